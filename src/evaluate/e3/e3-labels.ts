import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { openError } from '../../ingest/sources/input-errors.js';
import type { Labels, TierChoice } from '../labels/labels.js';
import { readLabels } from '../labels/read-labels.js';
import type { Protocol } from '../protocol/protocol.js';
import type { E3Host } from './published.js';

/** The labels of one protocol. */
export interface E3Labels {
  readonly protocol: Protocol;
  readonly labels: Labels;
  readonly tier: TierChoice;
}

/** Label files by protocol, in order of preference: published names, plain names, names of the simulator. */
function labelFiles(host: E3Host): Readonly<Record<Protocol, readonly string[]>> {
  const upper = host.toUpperCase();
  return {
    paper: [`threatrace/${host}.txt`, `${host}.txt`, 'labels.scan.txt'],
    honest: [`orthrus/E3-${upper}.csv`, `E3-${upper}.csv`, `${host}.csv`, 'labels.csv'],
  };
}

/** Finds the labels in a folder: the ThreaTrace list for `paper`, expert labels for `honest`. Throws if both are missing. */
export async function findE3Labels(folder: string, host: E3Host): Promise<E3Labels[]> {
  const candidates = labelFiles(host);
  const known = await namesIn(folder);
  const found: E3Labels[] = [];
  for (const protocol of ['paper', 'honest'] as const) {
    const name = candidates[protocol].find((each) => known.has(each));
    if (name !== undefined) found.push({ protocol, ...(await readCore(join(folder, name))) });
  }
  if (found.length > 0) return found;
  throw new RecalError('e3-labels', `no labels for ${host} in ${printable(folder, 200)}`, {
    hint: `add ${host}.txt (the ThreaTrace list), E3-${host.toUpperCase()}.csv (expert labels: uuid, attack), or both`,
    where: { file: folder },
    exit: EXIT.usage,
  });
}

/** Reads the core tier if the file has one, and all labels otherwise. */
async function readCore(path: string): Promise<{ labels: Labels; tier: TierChoice }> {
  const labels = await readLabels(path, 'all');
  if (!labels.labels.some(({ tier }) => tier === 'core')) return { labels, tier: 'all' };
  return { labels: await readLabels(path, 'core'), tier: 'core' };
}

async function namesIn(folder: string): Promise<Set<string>> {
  const read = async (path: string) => await readdir(path);
  const here = await read(folder).catch(async (error: unknown) => {
    throw await openError(folder, error);
  });
  const deeper = await Promise.all(
    ['threatrace', 'orthrus'].map(async (name) => {
      const inner = await read(join(folder, name)).catch(() => []);
      return inner.map((each) => `${name}/${each}`);
    }),
  );
  return new Set([...here, ...deeper.flat()]);
}
