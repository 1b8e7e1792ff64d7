import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { referenceEpisodes } from '../../../src/evaluate/protocol/reference-episodes.js';
import { openSplits, SPLIT_NAMES } from '../../../src/evaluate/protocol/splits.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { built, ROOT } from '../../built.js';
import { newFolder } from '../../folders.js';

const SHARED = join(ROOT, '../shared');
const PEERS = join(SHARED, 'peers');
const hasPeer = existsSync(join(PEERS, 'episodes.py')) && spawnSync('python3', ['--version']).status === 0;

/** Runs the reference in Python and keeps its ranked episodes: score, times seen, processes. */
const RUN_PEER = `
import builtins, json, sys
sys.path.insert(0, sys.argv[1])
import episodes
def keep(items, key=None):
    ranked = builtins.sorted(items, key=key)
    if key: json.dump([[e[0], e[8], e[2]] for e in ranked], open(sys.argv[2], 'w'))
    return ranked
episodes.sorted = keep
episodes.main(*sys.argv[3:])
`;

/** Reads logs into a store with the splits train, calibrate and test. */
async function storeOf(folder: string, log: (split: string) => string): Promise<string> {
  const store = join(folder, 'store');
  for (const split of SPLIT_NAMES)
    await ingestFiles([log(split)], { store, split, append: true, threads: 0 });
  return store;
}

/** Ranks the episodes of a store with recal and, on the exported events, with the peer. */
async function compare(folder: string, store: string): Promise<void> {
  const source = (split: string) => ({ folder: store, selection: { split } });
  const splits = await openSplits({
    train: source('train'),
    calibrate: source('calibrate'),
    test: source('test'),
  });
  const { folded } = await referenceEpisodes(splits);
  const own = [...folded].sort((a, b) => b.score - a.score);
  const files = SPLIT_NAMES.map((split) => {
    const out = join(folder, `${split}.ndjson`);
    execFileSync(process.execPath, [
      built('cli/main.js'),
      'export',
      ...['--store', store, '--split', split, '--out', out, '--quiet'],
    ]);
    return out;
  });
  const labels = join(folder, 'labels.csv');
  writeFileSync(labels, 'uuid,attack,tier\n');
  const ranked = join(folder, 'ranked.json');
  execFileSync('python3', ['-c', RUN_PEER, PEERS, ranked, ...files, labels]);
  const peer = JSON.parse(readFileSync(ranked, 'utf8')) as [number, number, number][];
  expect(own).toHaveLength(peer.length);
  own.forEach(({ score, episodes }, i) => {
    const [theirs, times, processes] = peer[i];
    expect(Math.abs(score - theirs)).toBeLessThan(1e-9);
    expect([episodes.length, episodes[0].processes.length]).toEqual([times, processes]);
  });
}

describe.skipIf(!hasPeer)('the contestant episodes and its peer in Python rank the same', () => {
  test.each(['freebsd-server', 'linux-desktop'] as const)(
    'on a simulated %s',
    { timeout: 600_000 },
    async (scenario) => {
      const folder = newFolder();
      const world = join(folder, 'world');
      await simulate({ out: world, scenario, seed: 3, events: 20_000 });
      await compare(folder, await storeOf(folder, (split) => join(world, `${split}.json`)));
    },
  );

  const e1 = join(SHARED, 'data/cadets-e1');
  test.skipIf(!existsSync(e1))('on CADETS E1', { timeout: 600_000 }, async () => {
    const folder = newFolder();
    const log = (split: string) => join(e1, `ta1-cadets-e1-stretch.${split}.json.gz`);
    await compare(folder, await storeOf(folder, log));
  });

  const lab = join(SHARED, 'data/linux-lab');
  test.skipIf(!existsSync(lab))(
    'on linux-lab, read through the peer’s converter',
    { timeout: 600_000 },
    async () => {
      const folder = newFolder();
      const parts = SPLIT_NAMES.map((split) => `${split}=${join(lab, `audit.${split}.log.gz`)}`);
      const converter = join(PEERS, 'audit_to_ndjson.py');
      execFileSync('python3', [converter, '--host', 'web1', '--out', join(folder, 'lab'), ...parts]);
      await compare(folder, await storeOf(folder, (split) => join(folder, 'lab', `${split}.ndjson.gz`)));
    },
  );
});
