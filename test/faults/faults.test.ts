import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { flipBits } from '../../bench/faults/flips.js';
import { fillDisk, mountSmall } from '../../bench/faults/full-disk.js';
import { killCommands } from '../../bench/faults/kills.js';
import { detectWords, makeWorld, recalHere, type World } from '../../bench/faults/world.js';
import { nodesByGraph } from '../../src/pipeline/nodes-by-graph.js';
import { sharedFolder } from '../folders.js';

const SEED = 20180406;
const folder = sharedFolder();
let world: World;

beforeAll(async () => {
  world = await makeWorld(join(folder, 'world'));
});

describe('a tiny world', () => {
  test('with one bit flipped is refused, or answers as before', async () => {
    let refused = 0;
    for await (const flip of flipBits(world, { folder: join(folder, 'flips'), seed: SEED, count: 15 })) {
      expect({ ...flip, silent: flip.silent }).toMatchObject({ silent: [] });
      if (flip.refused > 0) refused++;
    }
    expect(refused).toBeGreaterThan(10);
  });

  test.runIf(process.platform !== 'win32')('survives kill -9 of every command', async () => {
    for await (const kill of killCommands(world, { folder: join(folder, 'kills'), seed: SEED, count: 20 })) {
      expect(kill).toMatchObject({ state: expect.stringMatching(/^(before|after)$/) });
    }
  });

  test('ends on a full disk with its error, and nothing is half done', async ({ skip }) => {
    const disk = join(folder, 'disk');
    const unmount = mountSmall(disk);
    if (unmount === undefined) return skip('this user cannot mount a small file system');
    try {
      let full = 0;
      for await (const filling of fillDisk(world, { disk, seed: SEED, count: 8 })) {
        expect(filling).toMatchObject({ state: expect.stringMatching(/^(done|before|after)$/) });
        if (filling.state !== 'done') full++;
      }
      expect(full).toBeGreaterThan(4);
    } finally {
      unmount();
    }
  });

  test('is not judged with less memory than it needs, and leaves no results', async () => {
    const out = join(folder, 'out');
    const { code, text } = await recalHere(...detectWords(world, out), '--memory', '200', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'memory-budget' } });
    expect((await recalHere('verify', '--alerts', out)).code).toBe(1);
    // Enough for the events, but not for the largest graph.
    const graph = await recalHere(...detectWords(world, out), '--memory', '301', '--json');
    expect(JSON.parse(graph.text)).toMatchObject({
      error: { message: expect.stringMatching(/^judging graph/) },
    });
    expect((await recalHere(...detectWords(world, out), '--memory', '600')).code).toBe(0);
  });
});

test('the nodes of a graph are counted once', () => {
  const roles = [Int32Array.of(0, 0, 1, 0), Int32Array.of(1, 2, 2, -1)];
  expect(Array.from(nodesByGraph(Int32Array.of(0, 0, 1, 2), 3, roles))).toEqual([3, 2, 1]);
});
