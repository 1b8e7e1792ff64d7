import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type GroundTruth, judgeAttacks, readGroundTruth } from '../../src/demo/ground-truth.js';
import type { DetectionConfig } from '../../src/detect/detection-config.js';
import { type DetectResult, detect } from '../../src/pipeline/detect.js';
import { train } from '../../src/pipeline/train.js';
import type { ScenarioManifest } from '../../src/simulate/manifest.js';
import { simulate } from '../../src/simulate/simulate.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { sharedFolder } from '../folders.js';

const DECOYS = 100;
const FILES = 150;
const SPLITS = ['train', 'calibrate', 'test'] as const;
const folder = sharedFolder();
const world = join(folder, 'world');
let manifest: ScenarioManifest;
let truth: GroundTruth;

/** Loud process trees that all do the same, each with names of its own if asked. */
function decoyLines(lines: readonly string[], ownNames: boolean): string[] {
  const records = lines.map((line) => JSON.parse(line) as { ts: string; host: string });
  const first = BigInt(records[0].ts);
  const span = BigInt(records[records.length - 1].ts) - first;
  const letters = (d: number) => `${'abcdefghij'[d % 10]}x${'klmnopqrst'[Math.floor(d / 10)]}`;
  return Array.from({ length: DECOYS }, (_, d) => {
    let ts = first + (span * BigInt(d)) / BigInt(DECOYS + 1);
    const name = ownNames ? `d${letters(d)}y` : 'decoy';
    const subj = { id: `decoy-${d}`, type: 'process', name, pid: 50_000 + d, cmd: 'decoy --loud' };
    const shell = { id: `decoy-shell-${d}`, type: 'process', name: 'sh', pid: 40_000 + d };
    const file = (path: string) => ({ id: `${path} ${d}`, type: 'file', name: path });
    const act = (rel: string, by: object, obj: object) => {
      ts += 1_000_000n;
      return JSON.stringify({ ts: String(ts), host: records[0].host, rel, subj: by, obj });
    };
    const place = ownNames ? letters(d) : 'spool';
    return [
      act('EVENT_FORK', shell, subj),
      act('EVENT_EXECUTE', subj, file(`/tmp/${place}/run`)),
      act('EVENT_SIGNAL', subj, shell),
      act('EVENT_INJECT', subj, shell),
      ...['/etc/master.passwd', '/root/.ssh/id', '/boot/kernel/kernel'].flatMap((path) => [
        act('EVENT_READ', subj, file(path)),
        act('EVENT_MODIFY_FILE_ATTRIBUTES', subj, file(path)),
        act('EVENT_LINK', subj, file(path)),
      ]),
      ...Array.from({ length: FILES }, (_, k) =>
        ['WRITE', 'UNLINK'].map((rel) => act(`EVENT_${rel}`, subj, file(`/var/${place}/f${k}`))),
      ).flat(),
      ...[22, 4444, 6667].map((port) =>
        act('EVENT_CONNECT', subj, {
          id: `flow-${d}-${port}`,
          type: 'flow',
          name: `${100 + d}.9.9.9:${port}`,
        }),
      ),
    ];
  }).flat();
}

beforeAll(async () => {
  manifest = await simulate({ scenario: 'demo', seed: 3, events: 20_000, format: 'ndjson', out: world });
  truth = await readGroundTruth(world);
  const lines = readFileSync(join(world, 'test.ndjson'), 'utf8').trim().split('\n');
  for (const kind of ['clean', 'same', 'own']) {
    const log = join(folder, `${kind}.ndjson`);
    const decoys = kind === 'clean' ? [] : decoyLines(lines, kind === 'own');
    const ts = (line: string) => BigInt((JSON.parse(line) as { ts: string }).ts);
    const sorted = [...lines, ...decoys]
      .map((line) => [ts(line), line] as const)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    writeFileSync(log, sorted.map(([, line]) => `${line}\n`).join(''));
    for (const split of SPLITS) {
      const path = split === 'test' ? log : join(world, `${split}.ndjson`);
      await ingestFiles([path], { store: join(folder, kind), split, append: true, threads: 0 });
    }
  }
});

describe.each<[DetectionConfig['unit'], string]>([
  ['episode', 'top:10/day'],
  ['node', 'fpr:0.1'],
])('a hundred decoys, judged by %s', (unit, threshold) => {
  const model = join(folder, `${unit}.recal`);
  let clean: DetectResult;
  const detectIn = (kind: string) =>
    detect({
      store: join(folder, kind),
      model,
      out: join(folder, `${unit}-${kind}`),
      selection: { split: 'test' },
      threshold,
      threads: 1,
    });
  const ranksIn = ({ incidents }: DetectResult) =>
    judgeAttacks(manifest, incidents, truth).map(({ rank }) => rank ?? Number.POSITIVE_INFINITY);

  beforeAll(async () => {
    await train({
      store: join(folder, 'clean'),
      model,
      selection: { split: 'train' },
      calibrateSplit: 'calibrate',
      training: { epochs: 1, seed: 3 },
      detection: { unit },
      threads: 1,
    });
    clean = await detectIn('clean');
    expect(Math.max(...ranksIn(clean))).toBeLessThanOrEqual(10);
    expect(clean.incidents.filter(({ flood }) => flood !== undefined)).toEqual([]);
  });

  test.each(['same', 'own'])('with %s names leave all three attacks on the list', async (names) => {
    const found = await detectIn(names);
    // A few decoys and their flood may come first, no more.
    const [before, after] = [ranksIn(clean), ranksIn(found)];
    after.forEach((rank, i) => {
      expect(rank).toBeLessThanOrEqual(before[i] + 5);
    });
    const floods = found.incidents.filter(({ flood }) => flood !== undefined);
    expect(floods.length).toBeGreaterThan(0);
    expect(floods[0].sentence).toMatch(/^flood: [\d,]+ (alerts|incidents) of one kind/);
    expect(found.alerts.length).toBeLessThanOrEqual(10_000);
    const listed = new Set(found.incidents.flatMap(({ alerts }) => alerts.map(({ id }) => id)));
    expect(listed).toEqual(new Set(found.alerts.map(({ id }) => id)));
    const { counts } = found;
    expect(counts.alertsLeftOut).toBeGreaterThan(unit === 'node' ? 10_000 : 1000);
  });
});
