import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { diskFull } from './outages/disk-full.js';
import { killsOfWatch } from './outages/kills.js';
import { sourceGone } from './outages/source-gone.js';
import { makeReplay } from './outages/watched-log.js';

/**
 * `npm run bench -- outages [--only kills,full,gone] [--kills 300] [--fills 10] [--seed 1] [--events 20000]` runs `recal watch`
 * over a log that is written while it runs, and breaks what it needs: it kills the watch and its receiver, fills its disk, and
 * takes its log away. Afterwards incidents and notifications must be those of an undisturbed run. Ends with 1 if they are not.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: 'kills,full,gone' },
      kills: { type: 'string', default: '300' },
      fills: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      events: { type: 'string', default: '20000' },
    },
  });
  const seed = Number(values.seed);
  const folder = mkdtempSync(join(tmpdir(), 'recal-outages-'));
  try {
    const replay = await makeReplay(join(folder, 'world'), Number(values.events));
    const campaigns = {
      kills: () => killsOfWatch(replay, { folder: join(folder, 'kills'), seed, count: Number(values.kills) }),
      full: () => diskFull(replay, { folder: join(folder, 'full'), seed, count: Number(values.fills) }),
      gone: () => sourceGone(replay, { folder: join(folder, 'gone'), seed }),
    };
    const chosen = values.only.split(',');
    for (const [key, campaign] of Object.entries(campaigns)) {
      if (!chosen.includes(key)) continue;
      const started = performance.now();
      const { name, done, problems } = await campaign();
      const seconds = Math.round((performance.now() - started) / 1000);
      console.log(
        `${name}: ${done} in ${seconds} s; ${problems.length === 0 ? 'as undisturbed' : 'DIFFERS'}`,
      );
      for (const problem of problems) console.log(`  ${problem}`);
      if (problems.length > 0) process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
