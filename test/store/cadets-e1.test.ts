import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildGraph } from '../../src/graph/provenance-graph.js';
import { type IngestResult, ingestFiles } from '../../src/store/ingest.js';
import { type LoadedEvents, loadEvents } from '../../src/store/load.js';
import { Store } from '../../src/store/store.js';
import { ROOT } from '../built.js';
import { sharedFolder } from '../folders.js';
import { entitiesOf } from './small-logs.js';

const SOURCE = join(ROOT, '../shared/data/cadets-e1');
const SPLITS = ['pre', 'train', 'calibrate', 'test'] as const;
const path = (split: string) => join(SOURCE, `ta1-cadets-e1-stretch.${split}.json.gz`);

/** The rows of the README table with this first heading: the numbers of each row by its name. */
function tableOf(heading: string): Map<string, number[]> {
  const lines = readFileSync(join(SOURCE, 'README.md'), 'utf8').split('\n');
  const from = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const rows = new Map<string, number[]>();
  for (const line of lines.slice(from + 2)) {
    if (!line.startsWith('|')) break;
    const [name, ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    rows.set(name, cells.map(Number));
  }
  return rows;
}

interface SourceEvent {
  ts: bigint;
  seq: bigint;
  relation: string;
  subject: string | undefined;
  object: string | undefined;
  object2: string | undefined;
}

/** Reads the events without any code of recal: JSON.parse for the fields, a regular expression for the time. */
async function* sourceEvents(split: string): AsyncGenerator<SourceEvent> {
  const lines = createInterface({ input: createReadStream(path(split)).pipe(createGunzip()) });
  const id = (value: Record<string, string> | null) => (value === null ? undefined : Object.values(value)[0]);
  for await (const line of lines) {
    if (!line.startsWith('{"datum":{"com.bbn.tc.schema.avro.cdm18.Event"')) continue;
    const [, digits] = /"timestampNanos":(\d+)/.exec(line) as RegExpExecArray;
    const event = JSON.parse(line).datum['com.bbn.tc.schema.avro.cdm18.Event'];
    yield {
      ts: BigInt(digits),
      seq: BigInt(event.sequence.long),
      relation: event.type,
      subject: id(event.subject),
      object: id(event.predicateObject),
      object2: id(event.predicateObject2),
    };
  }
}

function checkTrace(): void {
  const folder = sharedFolder();
  const together = join(folder, 'together');
  const store = join(folder, 'splits');
  let all: IngestResult;
  const bySplit = new Map<string, IngestResult>();
  const loaded = new Map<string, LoadedEvents>();

  beforeAll(async () => {
    all = await ingestFiles(SPLITS.map(path), { store: together, threads: 0 });
    for (const split of SPLITS) {
      bySplit.set(split, await ingestFiles([path(split)], { store, split, append: true, threads: 0 }));
      loaded.set(split, await loadEvents(await Store.open(store), { split }));
    }
  });

  test('the store contains all events', () => {
    expect(all).toMatchObject({
      status: 'added',
      events: 910_307,
      noObject: 50_832,
      malformed: 0,
      skipped: {},
      repaired: {},
      outOfOrder: 0,
      unresolved: 0,
      edges: { secondObject: 5921, total: 910_307 - 50_832 + 5921 },
    });
    expect(all.records.Event).toBe(910_307);
    const counts = readFileSync(join(SOURCE, 'counts.json'), 'utf8');
    expect(all.firstTs).toBe(/"first": (\d+)/.exec(counts)?.[1]);
    expect(all.lastTs).toBe([...counts.matchAll(/"last": (\d+)/g)].at(-1)?.[1]);
    expect(SPLITS.map((split) => bySplit.get(split)?.events)).toEqual([70_046, 271_499, 127_990, 440_772]);
  });

  test('the counts of entities equal the README', () => {
    const { byType, placeholders } = all.entities;
    expect(byType).toEqual({ process: 7384, file: 10_302, flow: 3166, pipe: 2682, principal: 7 });
    expect(placeholders).toBe(0);
    const types = { Subject: 'process', FileObject: 'file', NetFlowObject: 'flow' } as const;
    const rows = tableOf('nodes');
    expect(rows.size).toBe(5);
    for (const [index, split] of SPLITS.entries()) {
      const counts = bySplit.get(split)?.entities.byType;
      for (const [kind, type] of Object.entries(types)) expect(counts?.[type]).toBe(rows.get(kind)?.[index]);
      expect(counts?.pipe).toBe(rows.get('UnnamedPipeObject')?.[index]);
      expect(counts?.principal).toBe(rows.get('Principal')?.[index]);
    }
  });

  test('the counts of event types equal the README, per file and in total', () => {
    const rows = tableOf('event type');
    expect(rows.size).toBe(24);
    const column = (index: number) =>
      Object.fromEntries(
        [...rows].flatMap(([name, counts]) =>
          counts[index] === 0 ? [] : [[`EVENT_${name}`, counts[index]]],
        ),
      );
    for (const [index, split] of SPLITS.entries())
      expect(bySplit.get(split)?.relations).toEqual(column(index));
    expect(all.relations).toEqual(column(SPLITS.length));
  });

  test.each(SPLITS)('every event of %s equals the source in time, entities and relation', async (split) => {
    const { table, uuid } = loaded.get(split) as LoadedEvents;
    const ids = Array.from({ length: table.nodeCount }, (_, node) => uuid(node));
    const end = (node: number) => (node < 0 ? undefined : ids[node]);
    let row = 0;
    const different: unknown[] = [];
    for await (const event of sourceEvents(split)) {
      const same =
        table.ts[row] === event.ts &&
        table.seq[row] === event.seq &&
        table.relations[table.relation[row]] === event.relation &&
        end(table.subject[row]) === event.subject &&
        end(table.object[row]) === event.object &&
        end(table.object2[row]) === event.object2;
      if (!same && different.length < 3) different.push({ row, event });
      row++;
    }
    expect(different).toEqual([]);
    expect(row).toBe(table.length);
  });

  test('the graph of test has 11,569 nodes, and reduction removes edges', () => {
    const graph = buildGraph((loaded.get('test') as LoadedEvents).table);
    expect(graph.nodeCount).toBe(11_569);
    expect(graph.counts).toMatchObject({ events: 440_772, noSubject: 0 });
    expect(graph.edges.length).toBeLessThan(graph.counts.edges);
  });

  test('the reduction ratio is above 1', async () => {
    const graph = buildGraph((await loadEvents(await Store.open(together))).table);
    const { edges } = graph.counts;
    const ratio = edges / graph.edges.length;
    console.log(`CADETS E1: ${edges} edges, ${graph.edges.length} after reduction: ${ratio.toFixed(2)}×`);
    expect(edges).toBe(910_307 - 50_832 + 5921);
    expect(ratio).toBeGreaterThan(1);
  });

  test('a store of four splits has the same entities as one of all files', async () => {
    const [one, four] = [await entitiesOf(together), await entitiesOf(store)];
    expect(one).toHaveLength(7384 + 10_302 + 3166 + 2682 + 7);
    expect(four).toEqual(one);
  });

  test('labelled nodes have the names of the labels', async () => {
    // Labels give a process that forked and executed all its names (`nginx/sh`); the store has the latest one (`sh`).
    // Pipes have no name in the log. Five droppers run by a path relative to /, so their latest path starts with `/./`.
    const [header, ...rows] = readFileSync(join(SOURCE, 'labels.csv'), 'utf8').trimEnd().split('\n');
    expect(header.split(',').slice(0, 3)).toEqual(['uuid', 'type', 'name']);
    const known = new Map((await entitiesOf(store)).map((entity) => [entity.id, entity]));
    const types: Record<string, string> = { process: 'process', file: 'file', socket: 'flow', pipe: 'pipe' };
    const different: [string | undefined, string | undefined][] = [];
    for (const row of rows) {
      const [id, type, label] = row.split(',');
      const entity = known.get(id);
      expect(entity?.type).toBe(types[type]);
      const expected = type === 'pipe' ? undefined : type === 'process' ? label.split('/').at(-1) : label;
      if (entity?.name !== expected) different.push([expected, entity?.name]);
    }
    expect(rows).toHaveLength(76);
    expect(different).toHaveLength(5);
    for (const [expected, name] of different) expect(name).toBe(`/.${expected}`);
  });
}

if (existsSync(SOURCE)) describe('CADETS E1', checkTrace);
else {
  test('skipped because ../shared is missing: CADETS E1 against its README and records', () => {
    expect(existsSync(SOURCE)).toBe(false);
  });
}
