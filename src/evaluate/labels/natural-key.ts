import { EntityKey, formatKey } from '../../ingest/entity-key.js';

/** Paths, registry keys and pipes of Windows, whose names are the same in any case. */
const WINDOWS_NAME = /\\|^(?:[a-z]:|pipe:)/i;
// Some exports write UUIDs in quotes or braces.
const QUOTED_UUID = /^["'{]*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})["'}]*$/i;
const PROCESS_KEY = /^pid:(\d{1,10})@(\d{1,19})$/i;

/**
 * The keys under which the store may have an id, the most likely one last. Ids of Windows entities are stored in lower
 * case by the readers of Windows logs, and as written by recal NDJSON.
 */
export function entityKeys(id: string): string[] {
  const uuid = QUOTED_UUID.exec(id)?.[1];
  if (uuid !== undefined) return [uuid.toUpperCase()];
  const folded = foldName(id);
  return folded === id ? [keyOf(id)] : [keyOf(id), keyOf(folded)];
}

/** A name in the form in which names are compared: those of Windows in lower case, the others as they are. */
export function foldName(name: string): string {
  return WINDOWS_NAME.test(name) ? name.toLowerCase() : name;
}

/** The process number and the start of an id `pid:<pid>@<start ns>`. */
export interface ProcessKey {
  readonly pid: number;
  readonly start: bigint;
}

export function parseProcessKey(id: string): ProcessKey | undefined {
  const found = PROCESS_KEY.exec(id);
  return found === null ? undefined : { pid: Number(found[1]), start: BigInt(found[2]) };
}

function keyOf(id: string): string {
  const key = new EntityKey();
  key.fromText(id);
  return formatKey(key.w0, key.w1, key.w2, key.w3);
}
