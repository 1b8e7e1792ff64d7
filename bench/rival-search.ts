import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseThreshold } from '../dist/detect/threshold/threshold.js';
import { evaluateVariants } from '../dist/evaluate/evaluate-variants.js';
import { readLabels } from '../dist/evaluate/labels/read-labels.js';
import { ingestSplits, openSplits } from '../dist/evaluate/protocol/splits.js';
import { parseSeeds, resolveVariant, variantOf } from '../dist/evaluate/protocol/variants.js';
import { PUBLISHED_RIVALS, type PublishedRival } from '../dist/evaluate/rivals/rival-settings.js';
import { SCENARIOS, type Scenario } from '../dist/simulate/options.js';
import { simulate } from '../dist/simulate/simulate.js';
import { withFolder } from './measurement.js';

/** The main settings of each rival. An empty change is its defaults. */
const CHANGES: Readonly<Record<PublishedRival, readonly Readonly<Record<string, number>>[]>> = {
  magic: [{}, { epochs: 200 }, { rate: 0.005 }, { neighbours: 200 }],
  threatrace: [{}, { ratio: 1 }, { hidden: 64 }],
  orthrus: [{}, { rate: 0.001 }, { rate: 0.001, epochs: 12 }, { rate: 0.00001 }],
  flash: [{}, { epochs: 100 }, { textEpochs: 100 }],
  unicorn: [{}, { batch: 1000 }, { deviations: 5 }],
};

/**
 * `npm run bench -- rival-search [RIVAL…] [--scenario demo] [--seeds 0] [--events 20000]` compares settings of published
 * rivals on simulated hosts: development data, on which no reported figure is measured.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      scenario: { type: 'string', default: SCENARIOS[0] },
      seeds: { type: 'string', default: '0' },
      events: { type: 'string', default: '20000' },
    },
  });
  const kinds = positionals.length === 0 ? PUBLISHED_RIVALS : (positionals as PublishedRival[]);
  await withFolder('rival-search', async (folder) => {
    const world = join(folder, 'world');
    const scenario = values.scenario as Scenario;
    await simulate({ scenario, events: Number(values.events), seed: 3, out: world });
    const log = (split: string) => [join(world, `${split}.json`)];
    const inputs = { train: log('train'), calibrate: log('calibrate'), test: log('test') };
    const splits = await openSplits(await ingestSplits(inputs, { folder: async () => folder, threads: 0 }));
    const variants = kinds.flatMap((kind) =>
      CHANGES[kind].map((settings) => {
        const text = Object.entries(settings).map(([key, value]) => `${key} ${value}`);
        const name = [kind, ...text].join(', ');
        return resolveVariant({ ...variantOf(kind), name, settings }, {}, {});
      }),
    );
    const { result } = await evaluateVariants({
      splits,
      variants,
      labels: await readLabels(join(world, 'labels.csv'), 'core'),
      ignore: await readLabels(join(world, 'unusual.csv')),
      tier: 'core',
      protocol: 'honest',
      matching: 'node',
      threshold: parseThreshold('budget:5/day'),
      seeds: parseSeeds(values.seeds),
      threads: 1,
    });
    console.log(`| ${scenario}, ${values.events} events | AP | AUROC | ADP | steps |\n|---|---|---|---|---|`);
    for (const [name, { mean, seeds }] of Object.entries(result.variants)) {
      const cells = [mean.ap, mean.auroc, mean.adp].map((value) => value?.toFixed(3) ?? '–');
      console.log(`| ${name} | ${cells.join(' | ')} | ${seeds[0].budget?.steps ?? '–'} |`);
    }
  });
}
