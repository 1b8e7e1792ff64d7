import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { learnNodeText } from '../../../src/features/node-text.js';
import { trainWord2Vec, WORD2VEC_DEFAULTS } from '../../../src/features/word2vec.js';
import { DIRECTIONS } from '../../../src/graph/direction.js';
import { makeFeatureSpace } from '../../../src/model/file/trained-model.js';
import { buildGraphs, graphBytes } from '../../../src/model/training/build-graphs.js';
import { checkRelations, planGraphs } from '../../../src/model/training/graph-plan.js';
import { resolveTrainingConfig } from '../../../src/model/training/training-config.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { loadEvents } from '../../../src/store/load.js';
import { type Selection, Store } from '../../../src/store/store.js';
import { newFolder } from '../../folders.js';
import { eventLine, file, type LogEvent, MIDNIGHT, process, writeLog } from '../../store/small-logs.js';

const MINUTE = 60_000_000_000n;
const sh = process('p', { name: 'sh' });
const at = (minute: number, more: LogEvent = {}) =>
  eventLine({
    ts: MIDNIGHT + BigInt(minute) * MINUTE,
    subj: sh,
    obj: file('f', { name: '/tmp/x' }),
    ...more,
  });

/** The graphs of logs that are ingested one after another. `known`: the relations of the model; default: all. */
async function graphsOf(
  logs: readonly (readonly string[])[],
  settings: Record<string, unknown> = {},
  selection: Selection = {},
  known?: readonly string[],
) {
  const folder = newFolder();
  const store = join(folder, 'store');
  for (const [index, lines] of logs.entries()) {
    await ingestFiles([writeLog(folder, `${index}.json`, lines)], { store, append: true, threads: 0 });
  }
  const opened = await Store.open(store);
  const events = await loadEvents(opened, selection);
  const { text, vocabulary } = await learnNodeText(opened, events);
  const config = resolveTrainingConfig({ halfLife: 0, ...settings });
  const options = { ...WORD2VEC_DEFAULTS, epochs: 1, seed: 0 };
  const vectors = await trainWord2Vec(text.sentences, vocabulary.size, options);
  const relations = (known ?? events.table.relations).map((name) => ({ name, frequency: 0 }));
  const space = makeFeatureSpace(config, relations, vocabulary, vectors);
  const direction = DIRECTIONS[config.direction];
  const graphs = [...buildGraphs(planGraphs(opened, events, config), { events, text, space, direction })];
  /** The profile of an entity in a graph: columns of p_v and their values. */
  const profile = (graph: number, node: number) => {
    const { features } = graphs[graph].graph;
    const local = graphs[graph].nodes.indexOf(node);
    const entries: [number, number][] = [];
    for (let i = features.offsets[local]; i < features.offsets[local + 1]; i++) {
      const column = features.indices[i] - space.profileColumn;
      if (column >= 0) entries.push([column, features.values[i]]);
    }
    return entries;
  };
  return { graphs, space, events, profile };
}

describe('windows', () => {
  test('are half hours of each host that start at full or half hours', async () => {
    const { graphs } = await graphsOf([
      [at(29), at(30), at(59), at(61), at(31, { host: 'i' }), at(32, { host: 'i' }), at(600)],
    ]);
    const seen = graphs.map(({ title, events }) => [title, events]);
    expect(seen).toEqual([
      ['h 2018-04-06T00:00:00Z', 1],
      ['i 2018-04-06T00:30:00Z', 2],
      ['h 2018-04-06T00:30:00Z', 2],
      ['h 2018-04-06T01:00:00Z', 1],
      ['h 2018-04-06T10:00:00Z', 1],
    ]);
  });

  test('can have another length and lie before 1970', async () => {
    const { graphs } = await graphsOf([[at(0), at(4), at(5)]], { window: 5 });
    expect(graphs.map(({ events }) => events)).toEqual([2, 1]);
    const early = [eventLine({ ts: -1n, obj: file('f') }), eventLine({ ts: 1n, obj: file('f') })];
    expect((await graphsOf([early])).graphs).toHaveLength(2);
  });

  test('continue the profiles of earlier windows and read them at their end', async () => {
    const rel = (minute: number, name: string) => at(minute, { rel: name });
    const log = [rel(0, 'A'), rel(1, 'B'), rel(31, 'A'), rel(32, 'A')];
    const { profile } = await graphsOf([log]);
    // Relations A, B, <new>: columns r·3 + r′.
    expect(profile(0, 0)).toEqual([[0 * 3 + 1, 1]]);
    expect(profile(1, 0)).toEqual([
      [0 * 3 + 0, 1],
      [0 * 3 + 1, 1],
      [1 * 3 + 0, 1],
    ]);
    // A selection that begins later starts with empty profiles.
    const { profile: later } = await graphsOf([log], {}, { from: MIDNIGHT + 30n * MINUTE }, ['A', 'B']);
    expect(later(0, 0)).toEqual([[0, 1]]);
  });
});

test('profile paper makes one graph per file', async () => {
  const { graphs } = await graphsOf([[at(0), at(100)], [at(50)]], { profile: 'paper' });
  // In the order of their last events.
  expect(graphs.map(({ title, events }) => [title, events])).toEqual([
    ['1.json', 1],
    ['0.json', 2],
  ]);
});

describe('relations that are not in the model', () => {
  test('are <new> in profile and adjacency, and have no frequency and no pairs to decode', async () => {
    const log = [at(0, { rel: 'A' }), at(1, { rel: 'EVENT_READ' }), at(2, { rel: 'C' })];
    const { graphs, profile } = await graphsOf([log], {}, {}, ['A']);
    const { graph } = graphs[0];
    expect([...graph.frequencies]).toEqual([1]);
    expect(graph.neighbours.relationCount).toBe(1);
    // A: p → f. EVENT_READ: f → p, by its name, although it is new. C: p → f.
    expect([...graph.adjacency.relations].sort()).toEqual([0, 1, 1]);
    expect(profile(0, 0)).toEqual([
      [0 * 2 + 1, 1],
      [1 * 2 + 1, 1],
    ]);
  });
});

test('events without an object are in the profile but have no edge', async () => {
  const { graphs, profile } = await graphsOf([
    [at(0, { rel: 'A' }), eventLine({ ts: MIDNIGHT + MINUTE, rel: 'EXIT', subj: sh })],
  ]);
  expect(profile(0, 0)).toEqual([[0 * 3 + 1, 1]]);
  expect([...graphs[0].graph.frequencies]).toEqual([1, 0]);
  expect(graphBytes(graphs[0].graph)).toBeGreaterThan(0);
});

test('more relations than a model holds are refused', () => {
  const refusal = expect.objectContaining({ code: 'too-many-relations' });
  expect(() => checkRelations(['a', 'b', 'c'], 2)).toThrow(refusal);
  expect(() => checkRelations(['a', 'b'], 2)).not.toThrow();
});
