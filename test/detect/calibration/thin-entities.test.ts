import { beforeAll, describe, expect, test } from 'vitest';
import { thinEntities } from '../../../src/detect/calibration/thin-entities.js';
import { Detector } from '../../../src/detect/detector.js';
import { graphsOfSplit } from '../../../src/evaluate/protocol/graphs-of-split.js';
import type { Splits } from '../../../src/evaluate/protocol/splits.js';
import { trainModel } from '../../../src/model/training/train.js';
import type { KeyTable } from '../../../src/store/key-table.js';
import { quickVariant, smallWorld } from '../../evaluate/small-world.js';

let splits: Splits;
beforeAll(async () => {
  ({ splits } = await smallWorld());
});

function keptAt(keys: KeyTable, share: number, seed = 0): number[] {
  const isKept = thinEntities(keys, share, seed);
  return Array.from({ length: keys.size }, (_, node) => node).filter(isKept);
}

describe('thinEntities', () => {
  test('keeps the share of the entities, and a smaller share is a part of a larger one', () => {
    const { keys } = splits.calibrate.events;
    const shares = [0.01, 0.05, 0.1, 0.25, 0.5, 1];
    const kept = shares.map((share) => keptAt(keys, share));
    kept.forEach((nodes, i) => {
      expect(nodes).toHaveLength(Math.ceil(shares[i] * keys.size));
      for (const node of kept[Math.max(0, i - 1)]) expect(nodes).toContain(node);
    });
    expect(keptAt(keys, 0.5, 1)).not.toEqual(keptAt(keys, 0.5));
    expect(keptAt(keys, 1e-9)).toHaveLength(1);
  });

  test('depends on the id of an entity, not on its number in a selection', () => {
    const [one, two] = [splits.calibrate.events, splits.test.events];
    // More entities move the limit, but not the order of those that both have.
    const order = ({ keys }: typeof one, ids: readonly string[], uuid: (node: number) => string) =>
      ids.map((id) => {
        const node = Array.from({ length: keys.size }, (_, n) => n).find((n) => uuid(n) === id) as number;
        return [0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8].findIndex((share) => thinEntities(keys, share, 3)(node));
      });
    const known = new Set(Array.from({ length: two.keys.size }, (_, n) => two.uuid(n)));
    const ids = Array.from({ length: one.keys.size }, (_, n) => one.uuid(n)).filter((id) => known.has(id));
    expect(ids.length).toBeGreaterThan(5);
    const [first, second] = [order(one, ids, (n) => one.uuid(n)), order(two, ids, (n) => two.uuid(n))];
    for (const [i, at] of first.entries()) expect(Math.abs(at - second[i]), ids[i]).toBeLessThanOrEqual(1);
  });
});

test.each(['none', 'cross', 'split'] as const)(
  'a calibration on a share has the tables and scores of those entities in whole graphs: %s',
  async (halves) => {
    const { training, detection } = quickVariant('paper');
    const config = { ...detection, halves };
    const { model } = await trainModel({
      ...splits.train,
      config: { ...training, window: 10, graph: 'window' },
    });
    const detector = await Detector.fit(model, await graphsOfSplit(splits.train, model), config);
    try {
      const graphs = await graphsOfSplit(splits.calibrate, model, { keep: true });
      const shared = detector.share([config]);
      const [whole, half] = [
        await shared.calibrate(config, graphs, {}),
        await shared.calibrate(config, graphs, { share: 0.5 }),
      ];
      const isKept = thinEntities(splits.calibrate.events.keys, 0.5, model.config.seed);
      let instances = 0;
      for (const { planned } of graphs.views()) instances += planned.nodes.filter(isKept).length;
      expect(half.instances).toBe(instances);
      expect(half.instances).toBeLessThan(whole.instances);
      expect(half.graphs).toBe(whole.graphs);
      const valuesOf = (calibration: typeof whole) => [
        ...(calibration.tables.get('reconstruction')?.toArrays().values ?? []),
      ];
      // Errors of whole graphs: every value of the share is one of the values of all.
      const all = new Set(valuesOf(whole));
      expect(valuesOf(half).length).toBeGreaterThan(0);
      expect(valuesOf(half).length).toBeLessThan(valuesOf(whole).length);
      for (const value of valuesOf(half)) expect(all.has(value)).toBe(true);
      expect(half.benign.instances / whole.benign.instances).toBeCloseTo(half.instances / whole.instances, 1);
      expect(half.benign.hostDays).toBeLessThan(whole.benign.hostDays);
    } finally {
      await detector.close();
    }
  },
);
