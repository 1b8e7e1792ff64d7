import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDuckDB } from '../../src/store/duckdb.js';
import { type IngestResult, ingestFiles } from '../../src/store/ingest.js';
import { ROOT } from '../built.js';
import { sharedFolder } from '../folders.js';

// A real audit log of 1.3 million records against code that knows nothing of recal: see ../shared/data/linux-lab.
const SOURCE = join(ROOT, '../shared/data/linux-lab');
const SPLITS = ['train', 'calibrate', 'test'] as const;
const logOf = (split: string) => join(SOURCE, `audit.${split}.log.gz`);
const ausearch = spawnSync('ausearch', ['--version']).status === 0;

interface Call {
  ms: number;
  serial: number;
  pid: number;
  ppid: number;
  number: number;
  ok: boolean;
  exit: number;
  a0: number;
}

/** The SYSCALL records in the order of the log, by regular expressions. */
async function* calls(split: string): AsyncGenerator<Call> {
  const lines = createInterface({ input: createReadStream(logOf(split)).pipe(createGunzip()) });
  for await (const line of lines) {
    if (!line.startsWith('type=SYSCALL')) continue;
    const field = (name: string) => new RegExp(` ${name}=(\\S+)`).exec(line)?.[1] ?? '';
    const [, seconds, ms, serial] = /audit\((\d+)\.(\d+):(\d+)\)/.exec(line) as RegExpExecArray;
    yield {
      ms: Number(seconds) * 1000 + Number(ms),
      serial: Number(serial),
      pid: Number(field('pid')),
      ppid: Number(field('ppid')),
      number: Number(field('syscall')),
      ok: field('success') === 'yes',
      exit: Number(field('exit')),
      a0: Number.parseInt(field('a0'), 16),
    };
  }
}

const FORKS = new Set([56, 57, 58, 435]);
const EXIT_GROUP = 231;

/**
 * Parents by the parent numbers in the records: a process is a run of records with one number, from a fork with that result
 * (or its first record) to its exit. The parent is the process that has the parent number of its first record.
 */
async function parentsByNumber(): Promise<Map<string, string | undefined>> {
  const live = new Map<number, { id: string; start: number; ended: number }>();
  const parents = new Map<string, string | undefined>();
  for (const split of SPLITS) {
    for await (const { ms, pid, ppid, number, ok, exit, a0 } of calls(split)) {
      let process = live.get(pid);
      if (process === undefined || ms - process.ended > 1000) {
        process = { id: `pid:${pid}@${ms}000000`, start: ms, ended: Number.POSITIVE_INFINITY };
        live.set(pid, process);
        parents.set(process.id, live.get(ppid)?.id);
      }
      if (number === EXIT_GROUP) process.ended = Math.min(process.ended, ms);
      const isThread = number === 56 && (a0 & 0x10000) !== 0;
      if (FORKS.has(number) && ok && !isThread) {
        const child = live.get(exit);
        if (child !== undefined && child.start < ms) live.delete(exit);
      }
    }
  }
  return parents;
}

describe.runIf(existsSync(SOURCE))('linux-lab', { timeout: 600_000 }, () => {
  const store = join(sharedFolder(), 'store');
  const results = new Map<string, IngestResult>();
  let rows: (sql: string) => Promise<unknown[][]>;

  beforeAll(async () => {
    for (const split of SPLITS)
      results.set(split, await ingestFiles([logOf(split)], { store, split, append: true, threads: 0 }));
    const database = await openDuckDB({ memoryMiB: 512, spillFolder: join(store, '../spill') });
    const connection = await database.connect();
    rows = async (sql) => {
      const reader = await connection.runAndReadAll(
        sql
          .replaceAll('$entities', `read_parquet('${store}/entities/**/*.parquet')`)
          .replaceAll('$events', `read_parquet('${store}/events/**/*.parquet')`),
      );
      return reader.getRows() as unknown[][];
    };
  }, 600_000);

  it('accounts for every SYSCALL record: kept, merged or skipped', async () => {
    for (const split of SPLITS) {
      const { records, merged, skipped, malformed } = results.get(split) as IngestResult;
      expect(malformed).toBe(0);
      const first = results.get(split)?.firstTs;
      const last = results.get(split)?.lastTs;
      // Calls with an event of their own. A fork event belongs to the child, whose call counts by itself.
      const [[kept]] = await rows(
        `SELECT count(DISTINCT (ts, seq >> 8)) FROM $events
         WHERE relation NOT IN ('fork', 'USER_LOGIN') AND ts BETWEEN ${first} AND ${last}`,
      );
      const { notACall = 0, noCall = 0, ...left } = skipped;
      const sum = (counts: Record<string, number>) =>
        Object.values(counts).reduce((total, count) => total + count, 0);
      expect(noCall).toBe(0);
      expect(Number(kept) + merged.calls + sum(left)).toBe(records.SYSCALL);
      // Records that are not calls: part of a call, or of their own.
      const { SYSCALL, USER_LOGIN = 0, ...others } = records;
      expect(merged.records + notACall).toBe(sum(others));
      expect(USER_LOGIN).toBeGreaterThan(0);
    }
  });

  it('has every process, file and address of the labels', async () => {
    const ids = new Set((await rows('SELECT DISTINCT id FROM $entities')).map(([id]) => id));
    for (const file of ['labels.csv', 'ambiguous.csv']) {
      const keys = readFileSync(join(SOURCE, file), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => /^[^,]*,[^,]*,[^,]*,("[^"]*"|[^,]*)/.exec(line)?.[1].replaceAll('"', ''));
      expect(keys.length).toBeGreaterThan(200);
      expect(keys.filter((key) => !ids.has(key))).toEqual([]);
    }
  });

  it('has the process tree that the parent numbers show', async () => {
    const expected = await parentsByNumber();
    const found = new Map(
      (
        await rows(
          `SELECT c.id, max(p.id) FROM $entities c LEFT JOIN $entities p ON c.parent = p.entity
           WHERE c.type = 'process' GROUP BY c.id`,
        )
      ).map(([id, parent]) => [id as string, (parent ?? undefined) as string | undefined]),
    );
    expect([...expected.keys()].filter((id) => !found.has(id))).toEqual([]);
    // A process that makes no call of its own shows only as the target of a signal or of ptrace.
    const callers = new Set([...expected.keys()].map((id) => id.split('@')[0]));
    const others = [...found.keys()].filter((id) => !expected.has(id));
    expect(others.filter((id) => callers.has(id.split('@')[0]))).toEqual([]);
    expect(others.length).toBeLessThan(5);
    const different = [...expected].filter(
      ([id, parent]) => parent !== undefined && found.get(id) !== parent,
    );
    expect(different).toEqual([]);
  });

  it.runIf(ausearch)('has as many records of each type as ausearch finds', () => {
    for (const split of SPLITS) {
      const plain = join(sharedFolder(), `${split}.log`);
      writeFileSync(plain, gunzipSync(readFileSync(logOf(split))));
      const { stdout } = spawnSync('ausearch', ['-if', plain, '--format', 'raw'], { maxBuffer: 1 << 29 });
      const counts: Record<string, number> = {};
      for (const [, type] of stdout.toString('latin1').matchAll(/^type=(\S+) /gm))
        counts[type] = (counts[type] ?? 0) + 1;
      expect(counts).toEqual(results.get(split)?.records);
    }
  });

  it.skipIf(ausearch)('skipped because ausearch is not installed: counts of records by type', () => {});
});

it.skipIf(existsSync(SOURCE))('skipped because ../shared is missing: linux-lab', () => {});
