import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, RecalError } from '../../base/errors.js';
import { groupThousands } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import type { Segment } from '../manifest.js';

const BUFFER_BYTES = 1 << 20;

/** What is wrong with a segment on disk. */
export interface SegmentDamage {
  readonly segment: Segment;
  readonly reason: 'missing' | 'size' | 'checksum' | 'unreadable';
}

/** Hashes a segment on disk. */
export async function hashSegment(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  const file = await open(path, 'r');
  try {
    const buffer = new Uint8Array(BUFFER_BYTES);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return { sha256: hash.digest('hex'), bytes };
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** Compares a segment with its entry in the manifest. Segments of 0.1.0 have no checksum: only their size is compared. */
export async function checkSegment(folder: string, segment: Segment): Promise<SegmentDamage | undefined> {
  try {
    const { sha256, bytes } = await hashSegment(join(folder, segment.path));
    if (bytes !== segment.bytes) return { segment, reason: 'size' };
    if (segment.sha256 !== undefined && sha256 !== segment.sha256) return { segment, reason: 'checksum' };
    return undefined;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return { segment, reason: 'missing' };
    if (isSystemError(error, 'EIO')) return { segment, reason: 'unreadable' };
    throw error;
  }
}

const WHAT = {
  missing: 'is missing',
  size: 'does not have the size in the manifest',
  checksum: 'does not match its checksum',
  unreadable: 'cannot be read from the disk',
} as const;

/** `segment events/h/2018-04-06/00001-0001.parquet does not match its checksum (12,000 events of web, 2018-04-06)` */
export function describeDamage({ segment, reason }: SegmentDamage): string {
  const { path, kind, rows, host, hosts, day } = segment;
  const whose = host === null ? `${groupThousands(String(hosts?.length))} hosts` : printable(host, 80);
  const content = `${groupThousands(String(rows))} ${kind === 'events' ? 'events' : 'entity records'} of ${whose}`;
  return `segment ${path} ${WHAT[reason]} (${content}${day === null ? '' : `, ${day}`})`;
}

export function damagedSegment(damage: SegmentDamage, folder: string): RecalError {
  const where = { file: join(folder, damage.segment.path) };
  if (damage.reason === 'missing') {
    return new RecalError('store-changed', describeDamage(damage), {
      hint: 'if recal drop ran at the same time, run the command again; otherwise restore the segment from a backup, or continue without it: recal repair --store DIR',
      where,
    });
  }
  return new RecalError('segment-damaged', describeDamage(damage), {
    hint: 'restore it from a backup, or continue without it: recal repair --store DIR',
    where,
  });
}
