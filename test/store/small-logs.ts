import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entity } from '../../src/ingest/event.js';
import { type KnownEntity, readEntities } from '../../src/store/entities.js';
import { type LoadedEvents, loadEvents } from '../../src/store/load.js';
import { type Selection, Store } from '../../src/store/store.js';

/** An event of recal NDJSON. All fields have defaults. */
export interface LogEvent {
  ts?: bigint | string;
  seq?: number;
  host?: string;
  rel?: string;
  subj?: Entity;
  obj?: Entity;
  obj2?: Entity;
  flow?: 'in' | 'out';
}

/** 2018-04-06T00:00:00Z */
export const MIDNIGHT = 1_522_972_800_000_000_000n;
export const DAY = 86_400_000_000_000n;

export function eventLine({ ts = MIDNIGHT, ...rest }: LogEvent = {}): string {
  return JSON.stringify({ ts: String(ts), host: 'h', rel: 'EVENT_READ', subj: process('p'), ...rest });
}

export function entityLine(entity: Entity, host = 'h'): string {
  return JSON.stringify({ entity, host });
}

export function process(id: string, more: Partial<Entity> = {}): Entity {
  return { id, type: 'process', ...more };
}

export function file(id: string, more: Partial<Entity> = {}): Entity {
  return { id, type: 'file', ...more };
}

/** A UUID that ends with the given digits. */
export function uuid(digits: number | string): string {
  return `AAAAAAAA-0000-4000-8000-${String(digits).padStart(12, '0')}`;
}

const PACKAGE = 'com.bbn.tc.schema.avro.cdm18';
export const CDM_HOST = uuid(999);

/** A CDM 18 record as in the Engagement 3 release. */
export function cdmLine(kind: string, fields: Record<string, unknown>): string {
  return JSON.stringify({
    datum: { [`${PACKAGE}.${kind}`]: { hostId: CDM_HOST, ...fields } },
    CDMVersion: '18',
    source: 'SOURCE_FREEBSD_DTRACE_CADETS',
  });
}

export function cdmEvent(fields: {
  ts: bigint;
  subject?: string;
  object?: string;
  path?: string;
  partialPath?: string;
  exec?: string;
  type?: string;
}): string {
  const { ts, subject, object, path, partialPath, exec, type = 'EVENT_READ' } = fields;
  const wrapped = (key: string, value: string | undefined) => (value === undefined ? null : { [key]: value });
  const text = cdmLine('Event', {
    type,
    subject: wrapped(`${PACKAGE}.UUID`, subject),
    predicateObject: wrapped(`${PACKAGE}.UUID`, object),
    predicateObjectPath: wrapped('string', path),
    timestampNanos: 'TIME',
    properties: {
      map: {
        ...(exec === undefined ? {} : { exec }),
        ...(partialPath === undefined ? {} : { partial_path: partialPath }),
      },
    },
  });
  return text.replace('"TIME"', String(ts)); // JSON.stringify cannot write a BigInt
}

/** Writes a log file and returns its path. */
export function writeLog(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}

/** A loaded event with entities as `host/id`, to compare two stores. */
export interface PlainEvent {
  ts: bigint;
  seq: bigint;
  relation: string;
  subject: string | undefined;
  object: string | undefined;
  object2: string | undefined;
  flow: number;
}

export async function eventsOf(folder: string, selection: Selection = {}): Promise<PlainEvent[]> {
  return plainEvents(await loadEvents(await Store.open(folder), selection));
}

export function plainEvents(loaded: LoadedEvents): PlainEvent[] {
  const { table, keys, hosts } = loaded;
  const name = (node: number) => (node < 0 ? undefined : `${hosts[keys.hostAt(node)]}/${loaded.uuid(node)}`);
  return Array.from({ length: table.length }, (_, row) => ({
    ts: table.ts[row],
    seq: table.seq[row],
    relation: table.relations[table.relation[row]],
    subject: name(table.subject[row]),
    object: name(table.object[row]),
    object2: name(table.object2[row]),
    flow: table.flow[row],
  }));
}

export async function entitiesOf(folder: string, selection: Selection = {}): Promise<KnownEntity[]> {
  const entities: KnownEntity[] = [];
  for await (const entity of readEntities(await Store.open(folder), selection)) entities.push(entity);
  return entities;
}
