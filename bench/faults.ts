import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { flipBits } from './faults/flips.js';
import { type Filling, fillDisk, mountSmall } from './faults/full-disk.js';
import { killCommands } from './faults/kills.js';
import { makeWorld, type World } from './faults/world.js';

/**
 * `npm run bench -- faults [--flips 1000] [--kills 300] [--fills 0] [--seed 1]` damages a tiny world: it flips single bits of
 * stored files, kills commands, and runs them on a small disk that fills up. It ends with 1 if damage stays unnoticed or an
 * interrupted command leaves something in between.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      flips: { type: 'string', default: '1000' },
      kills: { type: 'string', default: '300' },
      fills: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
    },
  });
  const seed = Number(values.seed);
  const folder = mkdtempSync(join(tmpdir(), 'recal-faults-'));
  try {
    const world = await makeWorld(join(folder, 'world'));
    const silent = Number(values.flips) > 0 ? await flip(world, folder, seed, Number(values.flips)) : 0;
    const between = Number(values.kills) > 0 ? await kill(world, folder, seed, Number(values.kills)) : 0;
    const wrong = Number(values.fills) > 0 ? await fill(world, folder, seed, Number(values.fills)) : 0;
    console.log(
      `seed ${seed}: ${values.flips} flips, ${silent} silent; ${values.kills} kills, ${between} in between; ${values.fills} full disks, ${wrong} wrong`,
    );
    if (silent + between + wrong > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function flip(world: World, folder: string, seed: number, count: number): Promise<number> {
  let silent = 0;
  const flips: Record<string, { flips: number; refused: number; silent: number }> = {};
  for await (const flip of flipBits(world, {
    folder: join(folder, 'flips'),
    seed,
    count: count,
  })) {
    const kind = flip.file
      .split('/')
      .slice(0, 2)
      .join('/')
      .replace(/^alerts\/.*/, 'alerts');
    flips[kind] ??= { flips: 0, refused: 0, silent: 0 };
    flips[kind].flips++;
    if (flip.refused > 0) flips[kind].refused++;
    if (flip.silent.length === 0) continue;
    silent++;
    flips[kind].silent++;
    console.log(`silent: ${flip.file} bit ${flip.bit}: ${flip.silent.join(', ')}`);
  }
  console.table(flips);
  return silent;
}

async function kill(world: World, folder: string, seed: number, count: number): Promise<number> {
  let between = 0;
  const kills: Record<string, { kills: number; before: number; after: number; between: number }> = {};
  for await (const kill of killCommands(world, {
    folder: join(folder, 'kills'),
    seed,
    count: count,
  })) {
    kills[kill.operation] ??= { kills: 0, before: 0, after: 0, between: 0 };
    const counts = kills[kill.operation];
    counts.kills++;
    if (kill.state === 'in between') {
      counts.between++;
      between++;
      console.log(`in between: ${kill.operation} after ${kill.after} ms: ${kill.why ?? ''}`);
    } else counts[kill.state]++;
  }
  console.table(kills);
  return between;
}

async function fill(world: World, folder: string, seed: number, count: number): Promise<number> {
  const disk = join(folder, 'disk');
  const unmount = mountSmall(disk);
  if (unmount === undefined) {
    console.log('full disks are left out: this user cannot mount a small file system');
    return 0;
  }
  let wrong = 0;
  const fills: Record<string, Record<Filling['state'], number>> = {};
  try {
    for await (const { operation, free, state, why } of fillDisk(world, { disk, seed, count })) {
      fills[operation] ??= { done: 0, before: 0, after: 0, wrong: 0 };
      fills[operation][state]++;
      if (state !== 'wrong') continue;
      wrong++;
      console.log(`wrong: ${operation} with ${free} bytes free: ${why ?? ''}`);
    }
  } finally {
    unmount();
  }
  console.table(fills);
  return wrong;
}
