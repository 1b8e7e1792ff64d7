import { parseArgs } from 'node:util';
import {
  parseSeeds,
  type ResolvedVariant,
  resolveVariant,
  variantOf,
} from '../dist/evaluate/protocol/variants.js';
import {
  PUBLISHED_RIVALS,
  type PublishedRival,
  publishedVariant,
} from '../dist/evaluate/rivals/rival-settings.js';
import { printRows } from './contestants.js';
import { withFolder } from './measurement.js';
import { openTrial } from './trials.js';

type Changes = Readonly<Record<string, number>>;

/** The main settings of each rival, as changes of its published defaults. */
const CHANGES: Readonly<Record<PublishedRival, readonly Changes[]>> = {
  magic: [
    {},
    { epochs: 200 },
    { rate: 0.005 },
    { rate: 0.005, epochs: 200 },
    { hidden: 128 },
    { neighbours: 50 },
  ],
  threatrace: [
    {},
    { ratio: 1 },
    { ratio: 3 },
    { hidden: 64 },
    { rate: 0.003 },
    { dropout: 0.1 },
    { models: 10 },
  ],
  orthrus: [
    {},
    { rate: 0.00001, epochs: 12 },
    { epochs: 12 },
    { rate: 0.001 },
    { rate: 0.001, epochs: 12 },
    { rate: 0.001, out: 128, dropout: 0.3 },
  ],
  flash: [{}, { epochs: 100 }, { textEpochs: 100 }, { text: 64 }, { hidden: 64 }, { rate: 0.003 }],
  unicorn: [
    {},
    { batch: 1000 },
    { batch: 300 },
    { batch: 100 },
    { batch: 300, decay: 0.1 },
    { batch: 300, hops: 2 },
    { batch: 300, deviations: 1 },
  ],
};

/**
 * `npm run bench -- rival-search [RIVAL…] [--traces e1,freebsd-server] [--world 51] [--events 20000] [--seeds 0]
 * [--only 0,2] [--out DIR]` compares settings of published rivals on development data.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      traces: { type: 'string', default: 'freebsd-server,linux-desktop,e1' },
      world: { type: 'string', default: '51' },
      events: { type: 'string', default: '20000' },
      seeds: { type: 'string', default: '0' },
      only: { type: 'string' },
      out: { type: 'string', default: '.bench/rival-search' },
    },
  });
  const kinds = positionals.length === 0 ? PUBLISHED_RIVALS : (positionals as PublishedRival[]);
  const wanted = values.only?.split(',').map(Number);
  for (const name of values.traces.split(',')) {
    await withFolder('rival-search', async (folder) => {
      const options = { world: Number(values.world), events: Number(values.events), folder };
      const trial = await openTrial(name, { ...options, tier: 'core' });
      if (trial === undefined) return console.log(`${name}: skipped, its data is not at hand`);
      for (const kind of kinds) {
        const variants = CHANGES[kind]
          .filter((_, i) => wanted === undefined || wanted.includes(i))
          .map((settings) => changed(kind, settings));
        await printRows(trial, variants, { seeds: parseSeeds(values.seeds), out: values.out });
      }
    });
  }
}

function changed(kind: PublishedRival, settings: Changes): ResolvedVariant {
  const text = Object.entries(settings).map(([key, value]) => `${key} ${value}`);
  const name = text.length === 0 ? publishedVariant(kind) : [kind, ...text].join(', ');
  return resolveVariant({ ...variantOf(publishedVariant(kind)), name, settings }, {}, {});
}
