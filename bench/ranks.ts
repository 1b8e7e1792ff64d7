import { parseArgs } from 'node:util';
import { parseThreshold } from '../dist/detect/threshold/threshold.js';
import { evaluateVariants } from '../dist/evaluate/evaluate-variants.js';
import { LoadedSplit } from '../dist/evaluate/protocol/splits.js';
import { parseSeeds, resolveVariant, variantOf } from '../dist/evaluate/protocol/variants.js';
import { SCENARIOS, type Scenario } from '../dist/simulate/options.js';
import { median, withFolder } from './measurement.js';
import { OTRF_ORDERS } from './otrf.js';
import { DATA, openTrial, type Trial } from './trials.js';

const HOUR = 3_600_000_000_000;
const VARIANTS = ['recal', 'episodes'] as const;

/** The rank of an attack's first incident, with and without counting harmless novelty; null if it has none. */
interface Rank {
  readonly variant: string;
  readonly calibrate: string;
  readonly kind: string;
  readonly all: number | null;
  readonly notIgnored: number | null;
}

/**
 * `npm run bench -- ranks [e1|lab|otrf|SCENARIO…] [--worlds 30-39] [--seeds 0] [--epochs 5] [--events 150000]
 * [--calibrate 1h,4h,1]` shows at which incident each attack is first seen, for profile `recal` and the reference.
 * `--calibrate` cuts the calibrate split to its first hours, or to a share of its time.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      worlds: { type: 'string', default: '30-39' },
      seeds: { type: 'string', default: '0' },
      epochs: { type: 'string', default: '5' },
      events: { type: 'string', default: '150000' },
      calibrate: { type: 'string', default: '1' },
    },
  });
  const asked = positionals.length > 0 ? positionals : ['e1', 'lab', 'otrf', ...SCENARIOS];
  const names = asked.flatMap((name) =>
    name === 'otrf' ? OTRF_ORDERS.map((order) => `otrf-${order}`) : [name],
  );
  const ranks: Rank[] = [];
  for (const name of names) {
    const isSimulated = SCENARIOS.includes(name as Scenario);
    for (const world of isSimulated ? parseSeeds(values.worlds) : [0]) {
      await withFolder('ranks', async (folder) => {
        const trial = await openTrial(name, { world, folder, events: Number(values.events), tier: 'all' });
        if (trial === undefined) return console.log(`${name}: skipped, ${DATA} does not exist`);
        for (const calibrate of values.calibrate.split(',')) {
          const options = { epochs: Number(values.epochs), seeds: parseSeeds(values.seeds), calibrate };
          ranks.push(...(await rank(trial, options)));
        }
      });
    }
  }
  summarise(ranks);
}

async function rank(
  { name, splits, labels, ignore }: Trial,
  { epochs, seeds, calibrate }: { epochs: number; seeds: readonly number[]; calibrate: string },
): Promise<Rank[]> {
  const { result } = await evaluateVariants({
    splits: { ...splits, calibrate: await cutSplit(splits.calibrate, calibrate) },
    labels,
    ignore,
    tier: 'all',
    protocol: 'honest',
    // The captures in OTRF_ORDERS are separate sessions, tested in every order.
    allowPast: name.startsWith('otrf-'),
    seeds,
    threads: 2,
    matching: 'node',
    threshold: parseThreshold('budget:5/day'),
    variants: VARIANTS.map((variant) => resolveVariant(variantOf(variant), { epochs }, {})),
  });
  return VARIANTS.flatMap((variant) => {
    const { seeds: runs } = result.variants[variant];
    const steps = runs[0]?.budget?.steps;
    const found = (runs[0]?.perAttack ?? []).map((attack, i) => {
      const of = (which: 'firstEpisode' | 'firstEpisodeNotIgnored') =>
        runs.map((each) => each.perAttack?.[i]?.[which] ?? null);
      return { name: attack.name, all: of('firstEpisode'), notIgnored: of('firstEpisodeNotIgnored') };
    });
    const cells = found.map(
      ({ name: attack, all, notIgnored }) => `${attack} ${all.join(', ')} (${notIgnored.join(', ')})`,
    );
    const budget = steps === undefined ? '' : `, ${steps} steps`;
    console.log(`| ${name} | ${calibrate} | ${variant}${budget} | ${cells.join(' | ')} |`);
    return found.flatMap(({ name: attack, all, notIgnored }) =>
      all.map((each, i) => {
        return { variant, calibrate, kind: kindOf(attack), all: each, notIgnored: notIgnored[i] };
      }),
    );
  });
}

/** Medians by kind of attack. An attack that is never seen counts as last. */
function summarise(ranks: readonly Rank[]): void {
  console.log(
    '\n| attack | calibrate | variant | runs | median | worst | median (worst) without novelty | in ten |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  const groups = groupBy(ranks);
  for (const [group, of] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [all, without] = (['all', 'notIgnored'] as const).map((which) =>
      of.map((each) => each[which] ?? Number.POSITIVE_INFINITY),
    );
    const inTen = all.filter((each) => each <= 10).length;
    console.log(
      `| ${group} | ${of.length} | ${median(all)} | ${Math.max(...all)} | ${median(without)} (${Math.max(...without)}) | ${inTen} |`,
    );
  }
}

const groupOf = ({ kind, calibrate, variant }: Rank) => `${kind} | ${calibrate} | ${variant}`;
const kindOf = (attack: string) => attack.replace(/^A\d+-/, '');

function groupBy(ranks: readonly Rank[]): Map<string, Rank[]> {
  const groups = new Map<string, Rank[]>();
  for (const each of ranks) groups.set(groupOf(each), [...(groups.get(groupOf(each)) ?? []), each]);
  return groups;
}

/** The first part of a split: `4h` for hours, `0.5` for a share of its time. */
async function cutSplit(split: LoadedSplit, part: string): Promise<LoadedSplit> {
  if (part === '1') return split;
  const span = part.endsWith('h')
    ? Number(part.slice(0, -1)) * HOUR
    : Number(part) * Number(split.last - split.first);
  const selection = { ...split.selection, from: split.first, to: split.first + BigInt(Math.round(span)) };
  return LoadedSplit.open('calibrate', { folder: split.store.folder, selection });
}
