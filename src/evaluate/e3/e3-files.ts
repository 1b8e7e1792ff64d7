import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { duplicatePartError, openError } from '../../ingest/sources/input-errors.js';
import { comparePartNames, partOf } from '../../ingest/sources/part-order.js';
import type { E3Host } from './published.js';

/** Published ways to split the logs: MAGIC and ThreaTrace by file, PIDSMaker by day. */
export const SPLIT_SCHEMES = ['magic', 'threatrace', 'pidsmaker'] as const;
export type SplitScheme = (typeof SPLIT_SCHEMES)[number];

/** Consecutive numbered files of a topic; `X.json` is part 0. */
interface TopicParts {
  readonly topic: string;
  readonly first: number;
  /** Undefined: all parts in the folder, at least the first, without a gap. */
  readonly last?: number;
}

interface FileScheme {
  readonly train: readonly TopicParts[];
  /** May include files of training, as published. */
  readonly test: readonly TopicParts[];
}

/** Days of April 2018, US/Eastern. */
interface DayScheme {
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

const FILE_SCHEMES: Readonly<Record<E3Host, Readonly<Record<'magic' | 'threatrace', FileScheme>>>> = {
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
      test: [some('trace-e3-official-1', 0, 4)],
    },
    threatrace: { train: [some('trace-e3-official-1', 0)], test: [some('trace-e3-official-1', 4)] },
  },
};

/** All files of a host, for splits by day. */
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

export const DAY_SCHEMES: Readonly<Record<E3Host, DayScheme>> = {
  cadets: { train: [2, 3, 4, 5, 7, 8, 9], calibrate: [10], test: [6, 11, 12, 13] },
  theia: { train: [2, 3, 4, 5, 6, 7, 8], calibrate: [9], test: [10, 12, 13] },
  trace: { train: [3, 4, 5, 6, 7, 8, 9, 11, 12], calibrate: [2], test: [10, 13] },
};

/** Midnight of a day of April 2018 in US/Eastern (UTC-4, daylight saving time), in nanoseconds. */
function easternMidnight(day: number): bigint {
  return BigInt(Date.UTC(2018, 3, day, 4)) * 1_000_000n;
}

/** Time ranges of days, with adjacent days joined: from inclusive, to exclusive. */
export function dayRanges(days: readonly number[]): { from: bigint; to: bigint }[] {
  const ranges: { first: number; last: number }[] = [];
  for (const day of [...days].sort((a, b) => a - b)) {
    const open = ranges.at(-1);
    if (open !== undefined && day <= open.last + 1) open.last = day;
    else ranges.push({ first: day, last: day });
  }
  return ranges.map(({ first, last }) => ({ from: easternMidnight(first), to: easternMidnight(last + 1) }));
}

export interface E3Files {
  readonly host: E3Host;
  readonly scheme: SplitScheme;
  /** Empty for splits by day. */
  readonly train: readonly string[];
  readonly test: readonly string[];
  /** True if files of training are also test graphs. Then benign nodes count only in the last test graph, as in MAGIC. */
  readonly overlaps: boolean;
  /** All other files of the host, which name entities that the files above only mention. For splits by day: all files. */
  readonly other: readonly string[];
  readonly notes: readonly string[];
}

const ARCHIVE = /\.(tar|tgz|tzst|tar\.gz|tar\.zst)$/;

interface Found {
  /** Paths by `topic part`. */
  readonly parts: Map<string, string>;
  /** Paths of archives by topic. An archive holds a whole topic. */
  readonly archives: Map<string, string>;
}

/** Finds the files of a split in a folder and its direct subfolders. The error lists all missing files. */
export async function findE3Files(folder: string, host: E3Host, scheme: SplitScheme): Promise<E3Files> {
  const found = findParts(await listFiles(folder), host);
  const missing: string[] = [];
  const take = (wanted: readonly TopicParts[]): string[] =>
    wanted.flatMap((each) => partsOf(each, found, missing));
  const parts =
    scheme === 'pidsmaker'
      ? { train: [], test: [], overlaps: false, other: takeDays(host, found, missing) }
      : takeFiles(FILE_SCHEMES[host][scheme], found, take);
  if (missing.length > 0) throw missingFiles(folder, host, scheme, [...new Set(missing)], found);
  return { host, scheme, ...parts, notes: notesOf(scheme, parts) };
}

function takeFiles(
  { train, test }: FileScheme,
  { parts }: Found,
  take: (wanted: readonly TopicParts[]) => string[],
) {
  const trainFiles = take(train);
  const testFiles = take(test);
  const listed = new Set([...trainFiles, ...testFiles]);
  const other = [...parts.values()].filter((path) => !listed.has(path)).sort(comparePartNames);
  const overlaps = testFiles.some((path) => trainFiles.includes(path));
  return { train: trainFiles, test: testFiles, overlaps, other };
}

/** An archive can replace the files of a topic, because only event times decide the split. */
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

function findParts(paths: readonly string[], host: E3Host): Found {
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

function notesOf(
  scheme: SplitScheme,
  { test, overlaps, other }: Omit<E3Files, 'host' | 'scheme' | 'notes'>,
): string[] {
  if (scheme === 'pidsmaker') return [];
  const without =
    'the folder has no other files of the host, so entities that only those files define have no name and no type';
  const names = test.map((path) => basename(path));
  const published = `as published, ${names.length} test graphs, of which all but the last are also trained on (${names.join(', ')}); nodes without a label count only if they are in the last`;
  return [...(overlaps ? [published] : []), ...(other.length === 0 ? [without] : [])];
}

function missingFiles(
  folder: string,
  host: E3Host,
  scheme: SplitScheme,
  missing: readonly string[],
  { archives, parts }: Found,
): RecalError {
  const packed = [...archives].find(([topic]) => missing.some((name) => name.startsWith(topic)));
  const unpack =
    packed === undefined
      ? ''
      : `; unpack ${printable(basename(packed[1]), 100)}, because a split by files needs each part as a file`;
  const count = missing.length === 1 ? '1 file is' : `${missing.length} files are`;
  const named = missing.join(', ');
  return new RecalError(
    'e3-parts',
    `${count} missing in ${printable(folder, 200)} for ${host}, split ${scheme}: ${named}`,
    {
      hint:
        `download the JSON files of ${host} from DARPA's Engagement 3 release (see its README-E3), packed with gzip or not${unpack}` +
        (parts.size === 0 ? '; the folder has no file of this host' : ''),
      where: { file: folder },
      exit: EXIT.usage,
    },
  );
}
