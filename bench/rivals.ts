import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { peakMemory, resetPeakMemory } from '../dist/base/peak-memory.js';
import { ingestSplits, openSplits } from '../dist/evaluate/protocol/splits.js';
import { VariantRunner } from '../dist/evaluate/protocol/variant-runner.js';
import { COMPARED, resolveVariant, variantOf } from '../dist/evaluate/protocol/variants.js';
import { cdmLog } from './cdm-log.js';
import { describeMachine, withFolder } from './measurement.js';

const NODES = 200_000;
const EDGES = 1_000_000;
/** Enough steps for a stable time per step. The published budgets would take hours at this size. */
const STEPS = 5;

/** Prints seconds and memory of each contestant: rivals [NODES] [EDGES] [STEPS] [NAMES]. */
export async function run([nodes, edges, steps, names]: string[]): Promise<void> {
  const [entities, events] = [Number(nodes ?? NODES), Number(edges ?? EDGES)];
  const most = Number(steps ?? STEPS);
  console.log(`${entities} entities, ${events} events, ${most} steps; ${describeMachine()}`);
  await withFolder('rivals', async (folder) => {
    const log = join(folder, 'log.json');
    await pipeline(Readable.from(cdmLog({ events, entities })), createWriteStream(log));
    // A store takes a file once, so that the other splits are the same events.
    const same = [`${join(folder, 'store')}#train`];
    const inputs = { train: [log], calibrate: same, test: same };
    const splits = await openSplits(await ingestSplits(inputs, { folder: async () => folder, threads: 0 }));
    console.log('contestant   prepare s    train s  per step s  calibrate s    score s   peak MiB');
    for (const name of names?.split(',') ?? COMPARED) {
      (globalThis as { gc?: () => void }).gc?.();
      const isOwn = resetPeakMemory();
      const variants = [resolveVariant(variantOf(name), { steps: most }, {})];
      const runner = new VariantRunner({ splits, seeds: [0], variants, threads: 1 });
      for await (const { seconds, budget } of runner.runs()) {
        const { train = 0, calibrate = 0, prepare = 0, fit = 0, graphs = 0, ...rest } = seconds;
        const score = Object.values(rest).reduce((sum, each) => sum + each, 0);
        const perStep = budget === undefined ? '-' : (train / Math.max(1, budget.steps)).toFixed(3);
        const cells = [(prepare + fit + graphs).toFixed(1), train.toFixed(1), perStep, calibrate.toFixed(1)];
        const memory = isOwn ? (peakMemory() / 2 ** 20).toFixed(0) : '-';
        console.log(
          [name.padEnd(11), ...[...cells, score.toFixed(1), memory].map((cell) => cell.padStart(10))].join(
            ' ',
          ),
        );
      }
    }
  });
}
