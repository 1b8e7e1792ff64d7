import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { isSystemError } from '../../base/errors.js';
import { openInput } from '../../ingest/sources/byte-source.js';
import { expandGlob } from '../../ingest/sources/glob.js';
import { partOf } from '../../ingest/sources/part-order.js';

/** A log is recognised by at most so many of its first bytes. */
export const HEAD_BYTES = 1024;
/** Files that other programs are still writing, or keep beside a log. */
const UNFINISHED = /\.(tmp|new|part|swp|lock)$|~$/;
const PACKED = /\.(gz|zst)$/;

/** A file that may be a log, or an old part of one. */
export interface LogFile {
  readonly path: string;
  /** Device and inode. */
  readonly id: string;
  readonly size: number;
  readonly packed: boolean;
  /** The first decompressed bytes. */
  readonly head: Buffer;
}

/** Finds the files of a pattern and their rotated parts (`X.1`, `X.2.gz`, `X-20240131`), the oldest first. */
export async function findLogFiles(
  pattern: string,
  heads: Map<string, { key: string; head: Buffer }>,
): Promise<LogFile[]> {
  const paths = new Set<string>();
  for (const each of [pattern, `${pattern}.*`, `${pattern}-*`])
    for (const path of await expandGlob(each)) if (!UNFINISHED.test(path)) paths.add(path);
  const found: (LogFile & { mtime: bigint })[] = [];
  for (const path of paths) {
    const stats = await stat(path, { bigint: true }).catch(() => undefined); // renamed in between
    if (stats === undefined || !stats.isFile() || stats.size === 0n) continue;
    const id = `${stats.dev}:${stats.ino}`;
    const packed = PACKED.test(path);
    // A head that is not full yet, or a file that was replaced, is read again.
    const key = `${path} ${packed ? stats.mtimeNs : ''} ${stats.size < HEAD_BYTES ? stats.size : ''} ${stats.mtimeNs}`;
    const known = heads.get(id);
    const head = known?.key === key ? known.head : await readHead(path, packed);
    if (head === undefined || head.length === 0) continue;
    heads.set(id, { key, head });
    found.push({ path, id, size: Number(stats.size), packed, head, mtime: stats.mtimeNs });
  }
  return inOrder(found);
}

/** Why a pattern has no log to read yet. */
export async function whyNoLog(pattern: string): Promise<string | undefined> {
  const [path = pattern] = (await expandGlob(pattern)).filter((each) => !UNFINISHED.test(each));
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return 'it is a folder; name the files in it, such as "DIR/*.log"';
    if (stats.size === 0) return 'it is empty; waiting for lines';
    await access(path, constants.R_OK);
    return undefined;
  } catch (error) {
    // Below a folder that may not be entered, nobody can tell whether there is a file.
    return isSystemError(error, 'EACCES')
      ? 'no permission to read it; run recal as a user who may'
      : 'there is no such file; waiting for it';
  }
}

/** Parts of one log by their numbers, logs by the time of their oldest part. */
function inOrder(files: readonly (LogFile & { mtime: bigint })[]): LogFile[] {
  const groups = new Map<string, (LogFile & { mtime: bigint })[]>();
  for (const file of files) {
    const { topic } = partOf(file.path);
    groups.set(topic, [...(groups.get(topic) ?? []), file]);
  }
  const oldest = (group: readonly { mtime: bigint }[]) =>
    [...group.map(({ mtime }) => mtime)].sort((a, b) => Number(a - b))[0];
  return [...groups.values()]
    .sort((a, b) => Number(oldest(a) - oldest(b)))
    .flatMap((group) => group.sort((a, b) => partOf(a.path).part - partOf(b.path).part));
}

async function readHead(path: string, packed: boolean): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(HEAD_BYTES);
  try {
    if (!packed) {
      const file = await open(path, 'r');
      try {
        const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    }
    const input = await openInput(path);
    try {
      if (input.archive) return undefined;
      for await (const source of input.sources()) return buffer.subarray(0, await source.read(buffer));
      return undefined;
    } finally {
      await input.close();
    }
  } catch {
    return undefined; // renamed or still being compressed; the next look finds it
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
