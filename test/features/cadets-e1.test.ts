import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FeatureSpace } from '../../src/features/feature-space.js';
import { learnNodeText, type NodeText, readNodeText } from '../../src/features/node-text.js';
import { trainWord2Vec } from '../../src/features/word2vec.js';
import { DIRECTIONS } from '../../src/graph/direction.js';
import { makeFeatureSpace } from '../../src/model/file/trained-model.js';
import { buildGraphs, type PlannedGraph } from '../../src/model/training/build-graphs.js';
import { planGraphs } from '../../src/model/training/graph-plan.js';
import { resolveTrainingConfig } from '../../src/model/training/training-config.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { type LoadedEvents, loadEvents } from '../../src/store/load.js';
import { Store } from '../../src/store/store.js';
import { ROOT } from '../built.js';
import { sharedFolder } from '../folders.js';

const SOURCE = join(ROOT, '../shared/data/cadets-e1');

if (!existsSync(SOURCE)) {
  test('skipped because ../shared is missing: features of CADETS E1', () => {
    expect(existsSync(SOURCE)).toBe(false);
  });
}

describe.skipIf(!existsSync(SOURCE))('CADETS E1', () => {
  const folder = join(sharedFolder(), 'store');
  const config = resolveTrainingConfig({ textEpochs: 2 });
  let events: LoadedEvents;
  let text: NodeText;
  let space: FeatureSpace;
  let graphs: PlannedGraph[];

  beforeAll(async () => {
    const log = (split: string) => join(SOURCE, `ta1-cadets-e1-stretch.${split}.json.gz`);
    await ingestFiles([log('train')], { store: folder, split: 'train', threads: 0 });
    const store = await Store.open(folder);
    events = await loadEvents(store, { split: 'train' });
    const learned = await learnNodeText(store, events);
    text = learned.text;
    const { vocabulary } = learned;
    const vectors = await trainWord2Vec(text.sentences, vocabulary.size, {
      dimension: 32,
      window: 5,
      negatives: 5,
      epochs: config.textEpochs,
      rate: 0.025,
      seed: 0,
    });
    const relations = events.table.relations.map((name) => ({ name, frequency: 0 }));
    space = makeFeatureSpace(config, relations, vocabulary, vectors);
    const plan = planGraphs(store, events, config);
    graphs = [...buildGraphs(plan, { events, text, space, direction: DIRECTIONS.flow })];
  });

  test('almost every process has tokens, and the vocabulary contains common folders and programs', () => {
    const { vocabulary } = space.parts;
    expect(vocabulary.tokens).toEqual(expect.arrayContaining(['usr', 'local', 'sshd', 'nginx', '53']));
    const { types, sentences } = text;
    const nameless = Array.from(types.keys()).filter(
      (node) => types[node] === 0 && sentences.offsets[node] === sentences.offsets[node + 1],
    );
    expect(nameless.length / types.length).toBeLessThan(0.01);
  });

  test('reading with the learned vocabulary gives the same token numbers', async () => {
    const again = await readNodeText(await Store.open(folder), events, space.parts.vocabulary);
    expect(again).toEqual(text);
  });

  test('there are 23 relations and <new>, and windows of half an hour contain every event', () => {
    expect(events.table.relations).toHaveLength(23);
    expect(events.table.relations).not.toContain('<new>');
    expect(space.width).toBe(10 + 32 + 24 ** 2);
    expect(graphs).toHaveLength(6); // 12:53 to 15:30
    expect(graphs.reduce((sum, graph) => sum + graph.events, 0)).toBe(271_499);
    expect(graphs[1].title).toMatch(/ 2016-09-27T13:00:00Z$/);
    for (const { firstTs, lastTs } of graphs) expect(lastTs - firstTs).toBeLessThan(1_800_000_000_000n);
  });

  test('rows are sparse: a type, 32 numbers of text and at most 19 transitions', () => {
    for (const { graph, nodes } of graphs) {
      const { offsets, indices, values, rows, cols } = graph.features;
      expect([rows, cols]).toEqual([nodes.length, space.width]);
      for (let v = 0; v < rows; v++) expect(offsets[v + 1] - offsets[v]).toBeLessThanOrEqual(1 + 32 + 19);
      expect(indices.every((column) => column < cols)).toBe(true);
      expect(values.every((value) => Number.isFinite(value) && value !== 0)).toBe(true);
    }
    const nonZeros = graphs.reduce((sum, { graph }) => sum + graph.features.values.length, 0);
    const rows = graphs.reduce((sum, { graph }) => sum + graph.nodeCount, 0);
    console.log(`CADETS E1 train: ${rows} rows, ${(nonZeros / rows).toFixed(1)} of ${space.width} non-zero`);
  });

  test('profiles continue across windows', () => {
    // A node with a single event in a window still has transitions from earlier windows.
    const last = graphs[graphs.length - 1];
    const { offsets, indices } = last.graph.features;
    const withProfile = Array.from(last.nodes.keys()).filter((v) =>
      indices.subarray(offsets[v], offsets[v + 1]).some((column) => column >= space.profileColumn),
    );
    expect(withProfile.length).toBeGreaterThan(last.nodes.length / 2);
  });

  test('the frequencies of all windows add up to those of the log', () => {
    const of = (relation: string) =>
      graphs.reduce((sum, { graph }) => sum + graph.frequencies[space.relationNumber(relation)], 0);
    expect(of('EVENT_READ')).toBe(80_007);
    expect(of('EVENT_EXECUTE')).toBe(2299);
    expect(of('EVENT_EXIT')).toBe(0); // it has no object
  });
});
