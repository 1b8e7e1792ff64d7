import { beforeAll, describe, expect, test } from 'vitest';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import { evaluateVariants } from '../../../src/evaluate/evaluate-variants.js';
import { readLabels } from '../../../src/evaluate/labels/read-labels.js';
import { type ResolvedVariant, resolveVariant, variantOf } from '../../../src/evaluate/protocol/variants.js';
import { QUICK, quickSteps, type SmallWorld, smallWorld } from '../small-world.js';

let world: SmallWorld;
beforeAll(async () => {
  world = await smallWorld();
});

async function evaluate(variants: readonly ResolvedVariant[]) {
  const { result } = await evaluateVariants({
    splits: world.splits,
    labels: await readLabels(world.labels),
    tier: 'all',
    protocol: 'honest',
    matching: 'node',
    threshold: parseThreshold('fpr:0.02'),
    seeds: [0],
    threads: 1,
    variants,
  });
  const budgets = Object.entries(result.variants).map(([name, { seeds }]) => [name, seeds[0].budget]);
  return {
    budgets: Object.fromEntries(budgets),
    notes: result.notes.filter((note) => note.startsWith('unequal training')),
  };
}

describe('the training budget', () => {
  // Train has two hours in one file: 12 windows of 10 minutes, or 1 file.
  const variant = (name: string, training: object) =>
    resolveVariant(variantOf(name), { ...QUICK.training, window: 10, ...training }, QUICK.detection);

  test('counts one step per graph and epoch, and is noted if it is unequal', async () => {
    const { budgets, notes } = await evaluate(
      ['recal', 'paper', 'wo-cd', 'rarity'].map((name) => variant(name, {})),
    );
    const { recal, paper, rarity } = budgets;
    expect(recal).toEqual({ epochs: 2, steps: 2 * recal.graphs, graphs: recal.graphs });
    expect(recal.graphs).toBeGreaterThan(5);
    expect(paper).toEqual({ epochs: 2, steps: 2, graphs: 1 });
    expect(budgets['wo-cd']).toEqual(paper);
    expect(rarity).toBeUndefined();
    expect(notes).toEqual([
      `unequal training: paper, wo-cd took 2 steps; recal ${recal.steps}; use --steps, or leave --epochs out so that each takes its own budget`,
    ]);
  });

  test('is the same for all learned variants with --steps', async () => {
    const names = ['recal', 'paper', 'velox'];
    const { budgets, notes } = await evaluate(names.map((name) => quickSteps(name, 6)));
    for (const name of names) expect(budgets[name].steps, name).toBe(6);
    // It learns from train and calibrate, which have as many graphs.
    expect(budgets.velox).toMatchObject({ epochs: 6, graphs: 2 * budgets.recal.graphs });
    expect(notes).toEqual([]);
  });

  test('of Velox is its own by default', async () => {
    const { budgets, notes } = await evaluate(['paper', 'velox'].map((name) => variant(name, {})));
    expect(budgets.velox).toMatchObject({ epochs: 300, steps: 300 });
    expect(notes.join()).toContain('paper took 2 steps; velox 300');
  });

  test('does not divide an epoch, and the note says how many steps are needed', async () => {
    const few = (name: string) => variant(name, { epochs: undefined, steps: 1 });
    const { budgets, notes } = await evaluate(['recal', 'paper'].map(few));
    expect(budgets.recal).toMatchObject({ epochs: 1, steps: budgets.recal.graphs });
    expect(notes.join()).toContain(`so use --steps ${budgets.recal.graphs} or more`);
  });
});
