import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { peakMemory, resetPeakMemory } from '../dist/base/peak-memory.js';
import { ingestSplits, openSplits, type Splits } from '../dist/evaluate/protocol/splits.js';
import { VariantRunner } from '../dist/evaluate/protocol/variant-runner.js';
import { COMPARED, resolveVariant, variantOf } from '../dist/evaluate/protocol/variants.js';
import { cdmLog } from './cdm-log.js';
import { describeMachine, withFolder } from './measurement.js';

const NODES = 200_000;
const EDGES = 1_000_000;
/** Enough steps for a stable time per step. The published budgets would take hours at this size. */
const STEPS = 5;

/** A contestant that needs more processor time is cut. */
const MOST_SECONDS = 600;

/**
 * Prints processor seconds and memory of each contestant: rivals [NODES] [EDGES] [STEPS] [NAMES]. The stages are seconds
 * of the clock, which other work on the machine lengthens.
 */
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
    console.log(
      'contestant  processor s   prepare s    train s  per step s  calibrate s    score s   peak MiB',
    );
    for (const name of names?.split(',') ?? COMPARED) await measure(name, splits, most);
  });
}

async function measure(name: string, splits: Splits, steps: number): Promise<void> {
  (globalThis as { gc?: () => void }).gc?.();
  const isOwn = resetPeakMemory();
  const before = process.cpuUsage();
  const spent = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  const memory = () => (isOwn ? (peakMemory() / 2 ** 20).toFixed(0) : '-');
  const limit = new AbortController();
  let at = 'the start';
  const stage = (_: unknown, stage: string, done: number) => {
    at = `${stage}, ${(100 * done).toFixed(0)} % done`;
    if (spent() > MOST_SECONDS) limit.abort();
  };
  const timer = setInterval(() => spent() > MOST_SECONDS && limit.abort(), 1000);
  const variants = [resolveVariant(variantOf(name), { steps }, {})];
  const { signal } = limit;
  const runner = new VariantRunner({ splits, seeds: [0], variants, threads: 1, signal, watch: { stage } });
  try {
    for await (const { seconds, budget } of runner.runs()) {
      const { train = 0, calibrate = 0, prepare = 0, fit = 0, graphs = 0, ...rest } = seconds;
      const score = Object.values(rest).reduce((sum, each) => sum + each, 0);
      const perStep = budget === undefined ? '-' : (train / Math.max(1, budget.steps)).toFixed(3);
      const cells = [spent(), prepare + fit + graphs, train].map((value) => value.toFixed(1));
      const row = [...cells, perStep, calibrate.toFixed(1), score.toFixed(1), memory()];
      console.log([name.padEnd(11), ...row.map((cell) => cell.padStart(11))].join(' '));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log(`${name.padEnd(11)} cut after ${spent().toFixed(0)} s in ${at}; ${memory()} MiB`);
  } finally {
    clearInterval(timer);
  }
}
