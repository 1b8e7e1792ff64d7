import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '../../src/base/random.js';
import { ingestSplits, openSplits, type Splits } from '../../src/evaluate/protocol/splits.js';
import { resolveVariant, variantOf } from '../../src/evaluate/protocol/variants.js';
import { sharedFolder } from '../folders.js';
import { eventLine, file, MIDNIGHT, process, uuid } from '../store/small-logs.js';

/** Small settings: the tests check that figures are correct, not that they are good. */
export const QUICK = {
  training: { epochs: 2, textEpochs: 2, textDimension: 4, window: 60 },
  detection: { rounds: 2, reference: 2000 },
} as const;

export const quickVariant = (name: string) =>
  resolveVariant(variantOf(name), QUICK.training, QUICK.detection);

/** Like `quickVariant`, with a budget in steps. */
export function quickSteps(name: string, steps: number) {
  const { epochs: _, ...training } = QUICK.training;
  return resolveVariant(variantOf(name), { ...training, steps }, QUICK.detection);
}

const HOUR = 3_600_000_000_000n;
const HOURS = 2;
const PROGRAMS = ['cron', 'nginx', 'sshd', 'syslogd'];
const SPLIT_HOURS = { train: 0n, calibrate: 2n, test: 4n } as const;

/** Processes of a few programs with regular behaviour. The test split also has intruders. */
function linesOf(split: keyof typeof SPLIT_HOURS): string[] {
  const random = new Random(7).stream(split);
  const start = MIDNIGHT + SPLIT_HOURS[split] * HOUR;
  const lines: string[] = [];
  const at = (share: number) => start + BigInt(Math.floor(share * HOURS * 3_600_000)) * 1_000_000n;
  for (let i = 0; i < 60; i++) {
    const program = PROGRAMS[i % PROGRAMS.length];
    const subj = process(uuid(`${split.length}${1000 + i}`), { name: program });
    const begin = (i + random.float()) / 61;
    const touch = (rel: string, path: string, number: number, after: number) =>
      lines.push(
        eventLine({
          ts: at(begin) + BigInt(after) * 1_000_000n,
          rel,
          subj,
          obj: file(uuid(number), { name: path }),
        }),
      );
    touch('EVENT_OPEN', `/etc/${program}.conf`, i % PROGRAMS.length, 1);
    for (let k = 0; k < 3; k++) touch('EVENT_READ', `/etc/${program}.conf`, i % PROGRAMS.length, 2 + k);
    touch('EVENT_WRITE', `/var/log/${program}.log`, 10 + (i % PROGRAMS.length), 9);
  }
  if (split === 'test') {
    for (const [i, intruder] of INTRUDERS.entries()) {
      const subj = process(intruder, { name: 'nginx' });
      const obj = file(LOOT[i], { name: `/home/admin/secret/${i}` });
      for (const [k, rel] of ['EVENT_EXECUTE', 'EVENT_READ', 'EVENT_UNLINK'].entries()) {
        lines.push(eventLine({ ts: at((i + 1) / 3) + BigInt(k), rel, subj, obj }));
      }
    }
  }
  return lines;
}

/** Two attacks, each with one process and one file. */
export const INTRUDERS = [uuid(900001), uuid(900002)];
export const LOOT = [uuid(800001), uuid(800002)];

/** Writes the logs of three splits and the labels to a folder that the test file shares. */
export async function writeSmallWorld(): Promise<string> {
  const folder = sharedFolder();
  for (const split of ['train', 'calibrate', 'test'] as const) {
    await writeFile(join(folder, `${split}.ndjson`), `${linesOf(split).join('\n')}\n`);
  }
  const rows = INTRUDERS.flatMap((id, i) => [`${id},attack ${i},core`, `${LOOT[i]},attack ${i},touched`]);
  await writeFile(join(folder, 'labels.csv'), `uuid,attack,tier\n${rows.join('\n')}\n`);
  return folder;
}

export interface SmallWorld {
  readonly folder: string;
  readonly splits: Splits;
  readonly labels: string;
}

export async function smallWorld(): Promise<SmallWorld> {
  const folder = await writeSmallWorld();
  const log = (split: string) => [join(folder, `${split}.ndjson`)];
  const sources = await ingestSplits(
    { train: log('train'), calibrate: log('calibrate'), test: log('test') },
    { folder: async () => folder, threads: 0 },
  );
  return { folder, splits: await openSplits(sources), labels: join(folder, 'labels.csv') };
}
