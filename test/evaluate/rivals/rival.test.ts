import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ingestSplits, type LoadedSplit, openSplits } from '../../../src/evaluate/protocol/splits.js';
import type { CalibrationOutcome, VariantFitOptions } from '../../../src/evaluate/protocol/variant-group.js';
import { type GraphScorer, Rival } from '../../../src/evaluate/rivals/rival.js';
import { newFolder } from '../../folders.js';
import { quickVariant } from '../small-world.js';

/** Counts the interactions of each relation in the graphs that a rival learns from. */
class Counter extends Rival {
  readonly seeded = false;
  readonly counts = new Map<string | undefined, number>();

  async fit(train: LoadedSplit, options: VariantFitOptions): Promise<void> {
    this.options = options;
    this.graphSpec = this.plainGraphs(train);
    const { relations } = this.graphSpec.space.parts;
    for (const { interactions } of (await this.graphsOf(train)).views()) {
      for (const relation of interactions.relation) {
        const name = relations[relation];
        this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
      }
    }
  }

  async calibrate(): Promise<CalibrationOutcome[]> {
    return [];
  }

  protected get scorer(): GraphScorer {
    return { scores: ({ planned }) => new Float64Array(planned.nodes.length) };
  }
}

test.each(['auditd/auditd-raw.in', 'sysmon/sysmon-flat.in'])(
  'a rival knows all relations of its training graphs, by their common names (%s)',
  async (file) => {
    const folder = newFolder();
    const same = [`${join(folder, 'store')}#train`];
    const inputs = { train: [resolve('test/fixtures', file)], calibrate: same, test: same };
    const splits = await openSplits(await ingestSplits(inputs, { folder: async () => folder, threads: 0 }));
    const counter = new Counter(quickVariant('rarity'));
    await counter.fit(splits.train, { seed: 0, threads: 1 });
    expect(counter.counts.get('exec')).toBeGreaterThan(0);
    expect(counter.counts.get(undefined)).toBeUndefined();
  },
);
