import { expect, test } from 'vitest';
import { emptyCalibratedValue, LEVELS } from '../../../src/detect/calibration/calibration-tables.js';
import { Detector } from '../../../src/detect/detector.js';
import { graphsOfSplit } from '../../../src/evaluate/protocol/graphs-of-split.js';
import { trainModel } from '../../../src/model/training/train.js';
import { quickVariant, smallWorld } from '../../evaluate/small-world.js';

const COARSE = [LEVELS.indexOf('group'), LEVELS.indexOf('all')];

test.each(['paper', 'recal'] as const)(
  '%s compares errors of a rare relation with its own',
  async (name) => {
    const { splits } = await smallWorld();
    const { training, detection } = quickVariant(name);
    const { model } = await trainModel({ ...splits.train, config: training });
    const detector = await Detector.fit(model, await graphsOfSplit(splits.train, model), detection);
    try {
      const graphs = await graphsOfSplit(splits.calibrate, model, { keep: true });
      // A tenth of the entities, so that some relations have few.
      const { tables } = await detector.share([detection]).calibrate(detection, graphs, { share: 0.1 });
      const errors = tables.get('reconstruction');
      if (errors === undefined) throw new Error('the variant has no evidence from reconstruction');
      const { typeCount, slotCount } = errors.space;
      const answer = emptyCalibratedValue();
      let rare = 0;
      for (let slot = 0; slot < slotCount; slot++) {
        for (let type = 0; type < typeCount; type++) {
          const { level, nodes } = errors.describe(type, slot);
          expect(COARSE).not.toContain(level);
          if (nodes >= 30) continue;
          errors.lookup(type, slot, 1e9, answer);
          expect(answer.logP).toBeCloseTo(-Math.log(nodes + 1), 12);
          expect(answer.n).toBe(nodes);
          if (nodes > 0) rare++;
        }
      }
      expect(rare).toBeGreaterThan(0);
      // Surprises are −ln P under any relation, and small tables may still use those of others.
      for (const [kind, { options }] of tables) expect(options.comparable).toBe(kind !== 'reconstruction');
    } finally {
      await detector.close();
    }
  },
  60_000,
);
