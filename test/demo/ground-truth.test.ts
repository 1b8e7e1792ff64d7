import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeAttacks, judgeIncident, readGroundTruth } from '../../src/demo/ground-truth.js';
import type { Incident } from '../../src/detect/alerts/alert.js';
import type { ScenarioManifest } from '../../src/simulate/manifest.js';
import { newFolder } from '../folders.js';

async function smallTruth() {
  const folder = newFolder();
  writeFileSync(
    join(folder, 'labels.csv'),
    'uuid,type,name,attack,tier,reason\nA,process,"a, ""b""",A1,core,x\nB,file,/b,A1,touched,x\nC,file,/c,A2,core,x\n',
  );
  writeFileSync(join(folder, 'labels.scan.txt'), 'A\nB\nC\nS1\nS2\n');
  writeFileSync(join(folder, 'unusual.csv'), 'uuid,type,name,activity\nU,process,gdb,operator\n');
  return readGroundTruth(folder);
}

function incidentOf(rank: number, ...ids: string[]): Incident {
  return { rank, alerts: ids.map((id) => ({ id, entity: { id } })) } as unknown as Incident;
}

test('counts the labelled entities of an incident, each once', async () => {
  const truth = await smallTruth();
  expect(judgeIncident(incidentOf(1, 'A', 'A', 'B', 'S1', 'U', 'elsewhere'), truth)).toEqual({
    rank: 1,
    entities: 5,
    attacks: { A1: 1 },
    touched: 1,
    scan: 1,
    unusual: { operator: 1 },
  });
  expect(judgeIncident(incidentOf(2, 'elsewhere'), truth)).toMatchObject({
    attacks: {},
    scan: 0,
    unusual: {},
  });
});

test('an attack is found by a core entity, not by a touched one', async () => {
  const attacks = ['A1', 'A2'].map((id) => ({ id, from: 'f', until: 'u' }));
  const manifest = { hosts: [{ attacks }] } as unknown as ScenarioManifest;
  const incidents = [incidentOf(1, 'B', 'U'), incidentOf(2, 'A', 'S1'), incidentOf(3, 'A')];
  expect(judgeAttacks(manifest, incidents, await smallTruth())).toEqual([
    { attack: 'A1', from: 'f', until: 'u', core: 1, found: 1, rank: 2 },
    { attack: 'A2', from: 'f', until: 'u', core: 1, found: 0, rank: null },
  ]);
});
