import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Labels, TierChoice } from '../dist/evaluate/labels/labels.js';
import { readLabels } from '../dist/evaluate/labels/read-labels.js';
import { ingestSplits, openSplits, type SplitInputs, type Splits } from '../dist/evaluate/protocol/splits.js';
import { SCENARIOS, type Scenario } from '../dist/simulate/options.js';
import { simulate } from '../dist/simulate/simulate.js';
import { captureOf, writeBenign, writeLabels } from './otrf.js';

export const DATA = resolve('../shared/data');

/** A labelled trace in three splits. */
export interface Trial {
  readonly name: string;
  readonly splits: Splits;
  readonly labels: Labels;
  readonly ignore: Labels;
}

export interface TrialOptions {
  /** Seed of a simulated host, and its events. */
  readonly world: number;
  readonly events: number;
  /** Folder for what the trial needs on disk. */
  readonly folder: string;
  readonly tier: TierChoice;
}

/** Opens e1, lab, otrf-TEST-TRAIN-CALIBRATE or a simulated host. Undefined if its data is not at hand. */
export async function openTrial(name: string, options: TrialOptions): Promise<Trial | undefined> {
  const { world, events, folder, tier } = options;
  if (SCENARIOS.includes(name as Scenario)) {
    const out = join(folder, 'world');
    await simulate({ scenario: name as Scenario, events, seed: world, out });
    const files = (part: string) => join(out, `${part}.json`);
    return openFiles(`${name} ${world}`, options, files, [join(out, 'labels.csv'), join(out, 'unusual.csv')]);
  }
  if (!existsSync(DATA)) return undefined;
  if (name.startsWith('otrf-')) return openCaptures(name, options);
  const [data, file, labels] =
    name === 'lab'
      ? ['linux-lab', (part: string) => `audit.${part}.log.gz`, 'labels.csv']
      : ['cadets-e1', (part: string) => `ta1-cadets-e1-stretch.${part}.json.gz`, 'labels.test.csv'];
  return openFiles(name, { folder, tier }, (part) => join(DATA, data, file(part)), [
    join(DATA, data, labels),
    join(DATA, data, 'ambiguous.csv'),
  ]);
}

/** `otrf-01-03-04` tests the first capture, trains on the second and calibrates on the third. */
async function openCaptures(name: string, options: TrialOptions): Promise<Trial> {
  const { folder } = options;
  const data = join(DATA, 'otrf-lsass');
  const [test, train, calibrate] = name.split('-').slice(1);
  const files: Readonly<Record<string, string>> = {
    test: captureOf(data, test),
    train: await writeBenign(data, train, folder),
    calibrate: await writeBenign(data, calibrate, folder),
  };
  return openFiles(name, options, (part) => files[part], [
    writeLabels(data, test, folder),
    join(data, 'ambiguous.csv'),
  ]);
}

async function openFiles(
  name: string,
  { folder, tier }: Pick<TrialOptions, 'folder' | 'tier'>,
  file: (part: string) => string,
  [labels, ignore]: readonly [string, string],
): Promise<Trial> {
  const inputs: SplitInputs = {
    train: [file('train')],
    calibrate: [file('calibrate')],
    test: [file('test')],
  };
  const splits = await openSplits(await ingestSplits(inputs, { folder: async () => folder }));
  return { name, splits, labels: await readLabels(labels, tier), ignore: await readLabels(ignore) };
}
