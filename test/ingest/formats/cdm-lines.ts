import { F, P } from '../ids.js';
import { type Decoded, mergeEntities, readBlocks } from '../records.js';

export const HOST = 'CCCCCCCC-0000-4000-8000-000000000004';
export const TIME = 1_523_600_000_123_456_789n;

export type Fields = Record<string, unknown>;

/** Makes a line of CDM18. Integers beyond 2^53 are bigints. */
export function line(kind: string, fields: Fields, envelope: Fields = { CDMVersion: '18' }): string {
  const text = JSON.stringify({ datum: { [kind]: fields }, ...envelope }, (_, value: unknown) =>
    typeof value === 'bigint' ? `#${value}#` : value,
  );
  return text.replaceAll(/"#(-?\d+)#"/g, '$1');
}

export function event(fields: Fields = {}, envelope?: Fields): string {
  const usual = { type: 'EVENT_READ', subject: P, predicateObject: F, timestampNanos: TIME };
  return line('Event', { ...usual, ...fields }, envelope);
}

export const read = (...lines: (string | Buffer)[]): Promise<Decoded> =>
  readBlocks(Buffer.concat(lines.flatMap((text) => [Buffer.from(text as string), Buffer.from('\n')])), 'cdm');

/** Returns the name of an entity after these lines. */
export async function nameOf(id: string, ...lines: (string | Buffer)[]): Promise<string | undefined> {
  return mergeEntities((await read(...lines)).upserts).get(id)?.name;
}

/** The result of reading `event()`. */
export const expected = { ts: TIME, seq: 0n, host: '', rel: 'EVENT_READ', subj: { id: P }, obj: { id: F } };
