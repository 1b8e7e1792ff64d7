import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '../../src/base/random.js';
import { openParts, type Parts, placeParts } from '../../src/evaluate/protocol/parts.js';
import { resolveVariant, variantOf } from '../../src/evaluate/protocol/variants.js';
import { sharedFolder } from '../folders.js';
import { eventLine, file, MIDNIGHT, process, uuid } from '../store/small-logs.js';

/** Little of everything: what is tested is that figures are right, not that they are good. */
export const QUICK = {
  training: { epochs: 2, textEpochs: 2, textDimension: 4, window: 60 },
  detection: { rounds: 2, reference: 2000 },
} as const;

export const quickVariant = (name: string) =>
  resolveVariant(variantOf(name), QUICK.training, QUICK.detection);

const HOUR = 3_600_000_000_000n;
const HOURS = 2;
const PROGRAMS = ['cron', 'nginx', 'sshd', 'syslogd'];
const PART_HOURS = { train: 0n, calibrate: 2n, test: 4n } as const;

/** Processes of a few programs, each with its own habit; the test has an intruder as well. */
function linesOf(part: keyof typeof PART_HOURS): string[] {
  const random = new Random(7).stream(part);
  const start = MIDNIGHT + PART_HOURS[part] * HOUR;
  const lines: string[] = [];
  const at = (share: number) => start + BigInt(Math.floor(share * HOURS * 3_600_000)) * 1_000_000n;
  for (let i = 0; i < 60; i++) {
    const program = PROGRAMS[i % PROGRAMS.length];
    const subj = process(uuid(`${part.length}${1000 + i}`), { name: program });
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
  if (part === 'test') {
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

/** Two attacks of one process and one file each. */
export const INTRUDERS = [uuid(900001), uuid(900002)];
export const LOOT = [uuid(800001), uuid(800002)];

/** Logs of three parts and labels, in a folder of their own until all tests of the file are done. */
export async function writeSmallWorld(): Promise<string> {
  const folder = sharedFolder();
  for (const part of ['train', 'calibrate', 'test'] as const) {
    await writeFile(join(folder, `${part}.ndjson`), `${linesOf(part).join('\n')}\n`);
  }
  const rows = INTRUDERS.flatMap((id, i) => [`${id},attack ${i},core`, `${LOOT[i]},attack ${i},touched`]);
  await writeFile(join(folder, 'labels.csv'), `uuid,attack,tier\n${rows.join('\n')}\n`);
  return folder;
}

export interface SmallWorld {
  readonly folder: string;
  readonly parts: Parts;
  readonly labels: string;
}

export async function smallWorld(): Promise<SmallWorld> {
  const folder = await writeSmallWorld();
  const log = (part: string) => [join(folder, `${part}.ndjson`)];
  const places = await placeParts(
    { train: log('train'), calibrate: log('calibrate'), test: log('test') },
    { folder: async () => folder, threads: 0 },
  );
  return { folder, parts: await openParts(places), labels: join(folder, 'labels.csv') };
}
