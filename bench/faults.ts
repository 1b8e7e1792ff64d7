import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { flipBits } from './faults/flips.js';
import { killCommands } from './faults/kills.js';
import { makeWorld } from './faults/world.js';

/**
 * `npm run bench -- faults [--flips 1000] [--kills 300] [--seed 1]` damages a tiny world: it flips single bits of stored
 * files and kills commands. It ends with 1 if damage stays unnoticed or a killed command leaves something in between.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      flips: { type: 'string', default: '1000' },
      kills: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
    },
  });
  const seed = Number(values.seed);
  const folder = mkdtempSync(join(tmpdir(), 'recal-faults-'));
  try {
    const world = await makeWorld(join(folder, 'world'));
    let silent = 0;
    const flips: Record<string, { flips: number; refused: number; silent: number }> = {};
    for await (const flip of flipBits(world, {
      folder: join(folder, 'flips'),
      seed,
      count: Number(values.flips),
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
    let between = 0;
    const kills: Record<string, { kills: number; before: number; after: number; between: number }> = {};
    for await (const kill of killCommands(world, {
      folder: join(folder, 'kills'),
      seed,
      count: Number(values.kills),
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
    console.log(
      `seed ${seed}: ${values.flips} flips, ${silent} silent; ${values.kills} kills, ${between} in between`,
    );
    if (silent + between > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
