import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../src/base/random.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { Store } from '../../../src/store/store.js';
import { eventLine, file, MIDNIGHT, process, uuid } from '../../store/small-logs.js';

const PROGRAMS = ['cron', 'nginx', 'sshd', 'syslogd'];
const MINUTE = 60_000_000_000n;
/** Processes of a part, one a minute. */
const PROCESSES = 240;

/**
 * Parts of one host's time, each of four hours: `train`, `calibrate`, `same` (nothing changed), `moved` (what few
 * processes did before, many do now), `attacked` (`same`, with a burst of what nobody ever did).
 */
const PARTS = ['train', 'calibrate', 'same', 'moved', 'attacked'] as const;

type Part = (typeof PARTS)[number];

function linesOf(part: Part): string[] {
  // The attacked part is the unchanged one, to the digit.
  const random = new Random(11).stream(part === 'attacked' ? 'same' : part);
  const number = PARTS.indexOf(part);
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
    // What is rare but known: others' logs are read.
    if (random.chance(part === 'moved' ? 0.35 : 0.08))
      touch(at(4), 'EVENT_READ', subj, `/var/log/${PROGRAMS[other]}.log`, 10 + other);
  }
  for (let i = 0; part === 'attacked' && i < 4; i++) {
    const subj = process(uuid(900_000 + i), { name: 'dropper' });
    const at = start + BigInt(10 + i) * MINUTE + 500_000_000n;
    touch(at, 'EVENT_EXECUTE', subj, `/home/admin/${i}/secret`, 800_000 + i);
    touch(at + 1n, 'EVENT_UNLINK', subj, `/home/admin/${i}/secret`, 800_000 + i);
  }
  return lines;
}

/** A store with the parts as its splits. */
export async function driftingWorld(folder: string): Promise<Store> {
  const store = join(folder, 'store');
  for (const part of PARTS) {
    const log = join(folder, `${part}.ndjson`);
    writeFileSync(log, `${linesOf(part).join('\n')}\n`);
    await ingestFiles([log], { store, split: part, append: true, threads: 0 });
  }
  return Store.open(store);
}
