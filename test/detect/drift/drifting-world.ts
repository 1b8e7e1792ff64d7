import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../src/base/random.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { Store } from '../../../src/store/store.js';
import { eventLine, file, MIDNIGHT, process, uuid } from '../../store/small-logs.js';

const PROGRAMS = ['cron', 'nginx', 'sshd', 'syslogd'];
const MINUTE = 60_000_000_000n;
/** Processes of a split, one per minute. */
const PROCESSES = 240;

/**
 * Splits of one host, four hours each: `train`, `calibrate`, `same` (no change), `moved` (many processes do what few did
 * before), `attacked` (`same`, with a burst of new behaviour).
 */
const SPLITS = ['train', 'calibrate', 'same', 'moved', 'attacked'] as const;

type Split = (typeof SPLITS)[number];

function linesOf(split: Split): string[] {
  // `attacked` repeats `same` exactly.
  const random = new Random(11).stream(split === 'attacked' ? 'same' : split);
  const number = SPLITS.indexOf(split);
  const start = MIDNIGHT + BigInt(number * PROCESSES) * MINUTE;
  const lines: string[] = [];
  const touch = (at: bigint, rel: string, subj: ReturnType<typeof process>, path: string, id: number) =>
    lines.push(eventLine({ ts: at, rel, subj, obj: file(uuid(id), { name: path }) }));
  for (let i = 0; i < PROCESSES; i++) {
    const at = (k: number) => start + BigInt(i) * MINUTE + BigInt(k) * 1_000_000n;
    const which = random.below(PROGRAMS.length);
    const program = PROGRAMS[which];
    const subj = process(uuid(1000 + number * 1000 + i), { name: program });
    touch(at(1), 'EVENT_OPEN', subj, `/etc/${program}.conf`, which);
    touch(at(2), 'EVENT_READ', subj, `/etc/${program}.conf`, which);
    touch(at(3), 'EVENT_WRITE', subj, `/var/log/${program}.log`, 10 + which);
    const other = random.below(PROGRAMS.length);
    // Rare but known: reading the log of another program.
    if (random.chance(split === 'moved' ? 0.35 : 0.08))
      touch(at(4), 'EVENT_READ', subj, `/var/log/${PROGRAMS[other]}.log`, 10 + other);
  }
  for (let i = 0; split === 'attacked' && i < 4; i++) {
    const subj = process(uuid(900_000 + i), { name: 'dropper' });
    const at = start + BigInt(10 + i) * MINUTE + 500_000_000n;
    touch(at, 'EVENT_EXECUTE', subj, `/home/admin/${i}/secret`, 800_000 + i);
    touch(at + 1n, 'EVENT_UNLINK', subj, `/home/admin/${i}/secret`, 800_000 + i);
  }
  return lines;
}

/** A store with these splits. */
export async function driftingWorld(folder: string): Promise<Store> {
  const store = join(folder, 'store');
  for (const split of SPLITS) {
    const log = join(folder, `${split}.ndjson`);
    writeFileSync(log, `${linesOf(split).join('\n')}\n`);
    await ingestFiles([log], { store, split, append: true, threads: 0 });
  }
  return Store.open(store);
}
