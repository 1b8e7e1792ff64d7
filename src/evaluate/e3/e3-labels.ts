import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { openError } from '../../ingest/sources/input-errors.js';
import { type Labels, readLabels, type TierChoice } from '../labels/labels.js';
import type { Protocol } from '../protocol/protocol.js';
import type { E3Host } from './published.js';

/** Labels that a protocol asks for. */
export interface E3Labels {
  readonly protocol: Protocol;
  readonly labels: Labels;
  readonly tier: TierChoice;
}

/** Where each kind of label may be, first found wins: as published, by plain names, as the simulator writes them. */
function placesOf(host: E3Host): Readonly<Record<Protocol, readonly string[]>> {
  const upper = host.toUpperCase();
  return {
    paper: [`threatrace/${host}.txt`, `${host}.txt`, 'labels.scan.txt'],
    honest: [`orthrus/E3-${upper}.csv`, `E3-${upper}.csv`, `${host}.csv`, 'labels.csv'],
  };
}

/**
 * The labels in a folder: ThreaTrace's list for the paper's protocol, those of experts for the honest one. At least one
 * kind must be there.
 */
export async function findE3Labels(folder: string, host: E3Host): Promise<E3Labels[]> {
  const places = placesOf(host);
  const known = await namesIn(folder);
  const found: E3Labels[] = [];
  for (const protocol of ['paper', 'honest'] as const) {
    const name = places[protocol].find((each) => known.has(each));
    if (name !== undefined) found.push({ protocol, ...(await readChosen(join(folder, name))) });
  }
  if (found.length > 0) return found;
  throw new RecalError('e3-labels', `no labels of ${host} in ${printable(folder, 200)}`, {
    hint: `it should hold ${host}.txt (ThreaTrace's list), E3-${host.toUpperCase()}.csv (expert labels: uuid, attack), or both`,
    where: { file: folder },
    exit: EXIT.usage,
  });
}

/** Where a file tells what the attacker made from what he only touched, experts mean the former. */
async function readChosen(path: string): Promise<{ labels: Labels; tier: TierChoice }> {
  const labels = await readLabels(path, 'all');
  if (!labels.labels.some(({ tier }) => tier === 'core')) return { labels, tier: 'all' };
  return { labels: await readLabels(path, 'core'), tier: 'core' };
}

async function namesIn(folder: string): Promise<Set<string>> {
  const read = async (path: string) => (await readdir(path)).map((name) => name);
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
