import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionOfRelation } from '../../../src/ingest/actions.js';
import type { Format } from '../../../src/simulate/options.js';
import { mergeEntities, readBytes, type WholeSource } from '../../ingest/records.js';
import { csvRows, makeSimulation, removeSimulations, type TestSimulation } from '../simulations.js';

afterAll(removeSimulations);

const READ = ['cdm18', 'auditd', 'auditd-enriched', 'sysmon', 'tetragon'] as const;

interface ReadBack {
  readonly simulation: TestSimulation;
  readonly source: WholeSource;
  /** `pid < parent program` of every execution. */
  readonly executions: string[];
  readonly ids: ReadonlySet<string>;
}

/** Simulates a world and reads its log with recal's reader of the format. */
async function readBack(scenario: 'linux-desktop' | 'linux-workstation', format: Format): Promise<ReadBack> {
  const simulation = await makeSimulation({ scenario, format, events: 25_000, seed: 6 });
  const [host] = simulation.manifest.hosts;
  const parts = await Promise.all(host.files.map(({ name }) => readFile(join(simulation.directory, name))));
  const [source] = await readBytes(Buffer.concat(parts), { threads: 0 });
  const entities = mergeEntities(source.upserts);
  const pid = (id: string | undefined) => entities.get(id ?? '')?.pid ?? '?';
  const parents = new Map<string, string>();
  const actions = source.events.map(({ action, rel }) => action ?? actionOfRelation(rel));
  for (const [at, { subj, obj }] of source.events.entries()) {
    if (actions[at] === 'fork' && subj !== undefined && obj !== undefined) parents.set(obj.id, subj.id);
  }
  // A parent whose first record is that of a vfork, after the child's own, is known from the entity only.
  const parentOf = (id = '') => parents.get(id) ?? entities.get(id)?.parent;
  const executions = source.events
    .filter(({ subj, obj }, at) => actions[at] === 'exec' && subj !== undefined && obj !== undefined)
    .filter(({ subj }) => parentOf(subj?.id) !== undefined) // not the processes that ran before the log
    .map(({ subj, obj }) => {
      const program = entities.get(obj?.id ?? '')?.name ?? obj?.id;
      return `${pid(subj?.id)} < ${pid(parentOf(subj?.id))} ${program}`;
    });
  return { simulation, source, executions, ids: new Set([...entities.keys()].map((id) => id.toLowerCase())) };
}

describe.each(['linux-desktop', 'linux-workstation'] as const)('a world of %s read back', (scenario) => {
  const read = new Map<Format, ReadBack>();
  beforeAll(async () => {
    for (const format of READ) read.set(format, await readBack(scenario, format));
  }, 120_000);
  const of = (format: Format) => read.get(format) as ReadBack;

  it('is read completely in every format', () => {
    for (const format of READ) {
      const { source } = of(format);
      expect(source.counts.malformed, format).toBe(0);
      // Sysmon says that it starts, so it saw nothing before.
      const gaps = source.losses.filter(({ from, to }) => from !== to);
      expect(gaps, format).toEqual([]);
    }
  });

  it('has the same process tree in every format', () => {
    const tree = of('cdm18').executions.sort();
    expect(tree.length).toBeGreaterThan(200);
    expect(tree.join(' ')).not.toContain('?');
    for (const format of READ) expect(of(format).executions.sort(), format).toEqual(tree);
  });

  it.each(['auditd', 'auditd-enriched', 'sysmon', 'tetragon'] as const)(
    'has an entity for every label of %s',
    async (format) => {
      const { simulation, ids } = of(format);
      const rows = csvRows(await readFile(join(simulation.directory, 'labels.csv'), 'utf8'));
      expect(rows.length).toBeGreaterThan(10);
      expect(rows.map(([key]) => key).filter((key) => !ids.has(key.toLowerCase()))).toEqual([]);
    },
  );

  it('has the same labelled programs in every format', async () => {
    const programs = async (format: Format) => {
      const text = await readFile(join(of(format).simulation.directory, 'labels.csv'), 'utf8');
      const rows = csvRows(text).filter(([, type, , , tier]) => type === 'process' && tier === 'core');
      return rows.map(([, , name, attack]) => `${attack} ${name}`).sort();
    };
    const expected = await programs('cdm18');
    expect(await programs('auditd')).toEqual(expected);
    expect(await programs('sysmon')).toEqual(expected);
    expect(await programs('tetragon')).toEqual(expected);
  });
});
