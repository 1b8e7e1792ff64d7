import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { duplicatePartError, openError } from '../../ingest/sources/input-errors.js';
import { comparePartNames, partOf } from '../../ingest/sources/part-order.js';
import type { E3Host } from './published.js';

/** Whose choice of what to train on and what to judge. */
export const E3_SPLITS = ['magic', 'threatrace', 'pidsmaker'] as const;
export type E3Split = (typeof E3_SPLITS)[number];

/** Consecutive parts of a topic; `X.json` is part 0. */
interface TopicParts {
  readonly topic: string;
  readonly first: number;
  /** Undefined: as many as there are, at least the first, without a gap. */
  readonly last?: number;
}

interface FileSplit {
  readonly train: readonly TopicParts[];
  readonly test: readonly TopicParts[];
  /** What the published list has and this one cannot follow. */
  readonly differs?: string;
}

/** Days of April 2018, US/Eastern. */
export interface DaySplit {
  readonly train: readonly number[];
  readonly calibrate: readonly number[];
  readonly test: readonly number[];
}

const some = (topic: string, first: number, last = first): TopicParts => ({
  topic: `ta1-${topic}.json`,
  first,
  last,
});
const all = (topic: string): TopicParts => ({ topic: `ta1-${topic}.json`, first: 0 });

const FILE_SPLITS: Readonly<Record<E3Host, Readonly<Record<'magic' | 'threatrace', FileSplit>>>> = {
  cadets: {
    magic: {
      train: [some('cadets-e3-official', 0, 2), some('cadets-e3-official-2', 1)],
      test: [some('cadets-e3-official-2', 0)],
    },
    threatrace: { train: [some('cadets-e3-official', 1)], test: [some('cadets-e3-official-2', 0)] },
  },
  theia: {
    magic: { train: [some('theia-e3-official-6r', 0, 3)], test: [some('theia-e3-official-6r', 8)] },
    threatrace: { train: [some('theia-e3-official-1r', 0)], test: [some('theia-e3-official-6r', 8)] },
  },
  trace: {
    magic: {
      train: [some('trace-e3-official-1', 0, 3)],
      test: [some('trace-e3-official-1', 4)],
      differs:
        "MAGIC's list for TRACE also judges the malicious nodes of the four training parts; here only the part that training has not seen is judged",
    },
    threatrace: { train: [some('trace-e3-official-1', 0)], test: [some('trace-e3-official-1', 4)] },
  },
};

/** All parts of a host, for splits by day. */
const TOPICS: Readonly<Record<E3Host, readonly TopicParts[]>> = {
  cadets: [
    some('cadets-e3-official', 0, 2),
    some('cadets-e3-official-1', 0, 4),
    some('cadets-e3-official-2', 0, 1),
  ],
  theia: [
    some('theia-e3-official-1r', 0, 9),
    some('theia-e3-official-3', 0),
    some('theia-e3-official-5m', 0),
    some('theia-e3-official-6r', 0, 12),
  ],
  trace: [all('trace-e3-official'), all('trace-e3-official-1')],
};

export const DAY_SPLITS: Readonly<Record<E3Host, DaySplit>> = {
  cadets: { train: [2, 3, 4, 5, 7, 8, 9], calibrate: [10], test: [6, 11, 12, 13] },
  theia: { train: [2, 3, 4, 5, 6, 7, 8], calibrate: [9], test: [10, 12, 13] },
  trace: { train: [3, 4, 5, 6, 7, 8, 9, 11, 12], calibrate: [2], test: [10, 13] },
};

/** Midnight of a day of April 2018 in US/Eastern: daylight saving time since 11 March, so UTC-4. Nanoseconds. */
export function easternMidnight(day: number): bigint {
  return BigInt(Date.UTC(2018, 3, day, 4)) * 1_000_000n;
}

/** Neighbouring days as one stretch of time: from inclusive, to exclusive. */
export function dayRanges(days: readonly number[]): { from: bigint; to: bigint }[] {
  const ranges: { first: number; last: number }[] = [];
  for (const day of [...days].sort((a, b) => a - b)) {
    const open = ranges.at(-1);
    if (open !== undefined && day <= open.last + 1) open.last = day;
    else ranges.push({ first: day, last: day });
  }
  return ranges.map(({ first, last }) => ({ from: easternMidnight(first), to: easternMidnight(last + 1) }));
}

export interface E3Parts {
  readonly host: E3Host;
  readonly split: E3Split;
  /** For splits by file. */
  readonly train: readonly string[];
  readonly test: readonly string[];
  /** Whatever else of the host is there: it names entities that the parts above only mention. For days: everything. */
  readonly other: readonly string[];
  readonly notes: readonly string[];
}

const ARCHIVE = /\.(tar|tgz|tzst|tar\.gz|tar\.zst)$/;

interface Found {
  /** By `topic part`. */
  readonly parts: Map<string, string>;
  /** Archives by topic: a whole topic in one. */
  readonly archives: Map<string, string>;
}

/** Finds the parts that a split needs, in a folder or one folder deeper. Says all that are missing at once. */
export async function findE3Parts(folder: string, host: E3Host, split: E3Split): Promise<E3Parts> {
  const found = sortOut(await listFiles(folder), host);
  const missing: string[] = [];
  const take = (wanted: readonly TopicParts[]): string[] =>
    wanted.flatMap((each) => partsOf(each, found, missing));
  const parts =
    split === 'pidsmaker'
      ? { train: [], test: [], other: takeDays(host, found, missing) }
      : takeFiles(FILE_SPLITS[host][split], found, take);
  if (missing.length > 0) throw missingParts(folder, host, split, missing, found);
  return { host, split, ...parts, notes: notesOf(host, split, parts.other.length) };
}

function takeFiles(
  { train, test }: FileSplit,
  { parts }: Found,
  take: (of: readonly TopicParts[]) => string[],
) {
  const [learned, judged] = [take(train), take(test)];
  const listed = new Set([...learned, ...judged]);
  const other = [...parts.values()].filter((path) => !listed.has(path)).sort(comparePartNames);
  return { train: learned, test: judged, other };
}

/** An archive does as well where only times decide. */
function takeDays(host: E3Host, found: Found, missing: string[]): string[] {
  return TOPICS[host].flatMap((each) => {
    const archive = found.archives.get(each.topic);
    const lacking: string[] = [];
    const parts = partsOf(each, found, lacking);
    if (lacking.length === 0) return parts;
    if (archive !== undefined && parts.length === 0) return [archive];
    missing.push(...lacking);
    return [];
  });
}

function partsOf({ topic, first, last }: TopicParts, { parts }: Found, missing: string[]): string[] {
  const own = [...parts.keys()].filter((key) => key.startsWith(`${topic} `));
  const highest = last ?? own.reduce((most, key) => Math.max(most, Number(key.split(' ')[1])), first);
  const paths: string[] = [];
  for (let part = first; part <= highest; part++) {
    const path = parts.get(`${topic} ${part}`);
    if (path === undefined) missing.push(part === 0 ? topic : `${topic}.${part}`);
    else paths.push(path);
  }
  return paths;
}

function sortOut(paths: readonly string[], host: E3Host): Found {
  const found: Found = { parts: new Map(), archives: new Map() };
  const topics = new RegExp(`^ta1-${host}-e3-official(-[0-9a-z]+)?\\.json$`);
  for (const path of [...paths].sort(comparePartNames)) {
    const { topic, part } = partOf(basename(path));
    if (!topics.test(topic)) continue;
    if (ARCHIVE.test(path)) {
      found.archives.set(topic, path);
      continue;
    }
    const key = `${topic} ${part}`;
    const known = found.parts.get(key);
    if (known !== undefined) throw duplicatePartError(known, path);
    found.parts.set(key, path);
  }
  return found;
}

async function listFiles(folder: string): Promise<string[]> {
  const read = (path: string) => readdir(path, { withFileTypes: true });
  const entries = await read(folder).catch(async (error: unknown) => {
    throw await openError(folder, error);
  });
  const deeper = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const inner = await read(join(folder, name)).catch(() => []);
        return inner.filter((entry) => !entry.isDirectory()).map((entry) => join(folder, name, entry.name));
      }),
  );
  const here = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => join(folder, name));
  return [...here, ...deeper.flat()];
}

function notesOf(host: E3Host, split: E3Split, others: number): string[] {
  if (split === 'pidsmaker') return [];
  const { differs } = FILE_SPLITS[host][split];
  const without =
    'no other part of the host is there: an entity that only such a part defines has no name and no type';
  return [...(differs === undefined ? [] : [differs]), ...(others === 0 ? [without] : [])];
}

function missingParts(
  folder: string,
  host: E3Host,
  split: E3Split,
  missing: readonly string[],
  { archives, parts }: Found,
): RecalError {
  const packed = [...archives].find(([topic]) => missing.some((name) => name.startsWith(topic)));
  const unpack =
    packed === undefined
      ? ''
      : `; ${printable(basename(packed[1]), 100)} is there: unpack it, because a split by files needs each part as a file`;
  const count = missing.length === 1 ? 'a part is' : `${missing.length} parts are`;
  const named = missing.join(', ');
  return new RecalError(
    'e3-parts',
    `${count} missing in ${printable(folder, 200)} for ${host}, split ${split}: ${named}`,
    {
      hint:
        `README-E3 of DARPA's Transparent Computing release says where Engagement 3 is published; take the JSON files of ${host}, packed with gzip or not${unpack}` +
        (parts.size === 0 ? '; no part of this host was found at all: is it the right folder?' : ''),
      where: { file: folder },
      exit: EXIT.usage,
    },
  );
}
