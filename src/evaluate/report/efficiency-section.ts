import { stageBars } from '../../report/charts/stage-bars.js';
import { formatFixed, formatPercent, formatSeconds } from '../../report/page/format.js';
import { h } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { PUBLISHED_SECONDS } from '../e3/published.js';
import { INFERENCE_STAGES, type InferenceStage } from '../protocol/inference-stages.js';
import { UNSEEDED } from '../protocol/variants.js';
import type { EvaluationResult } from '../result-schema.js';
import { stepsOf } from './cell-text.js';
import { type InferenceTimes, inferenceTimes } from './inference-times.js';
import type { Study } from './study.js';

/** Seconds per seed of a group of variants that share a model. */
interface GroupTimes {
  readonly names: string;
  /** Of the training that they share. */
  readonly steps: number | null;
  readonly stages: Readonly<Record<string, number>>;
}

/** The parts of a bar, in the order in which they run. A chart has six fills. */
const DRAWN_STAGES: readonly (readonly [name: string, ...stages: string[]])[] = [
  ['prepare', 'prepare'],
  ['train', 'train'],
  ['reference', 'fit', 'index'],
  ['calibrate', 'calibrate'],
  ['graphs', 'graphs'],
  ['score', 'score'],
];

/** Reads the timings named `variants: stage`. */
function groupTimes({ timings, variants }: EvaluationResult): GroupTimes[] {
  const groups = new Map<string, Record<string, number>>();
  for (const [key, seconds] of Object.entries(timings)) {
    const at = key.indexOf(': ');
    if (at < 0) continue;
    const [names, stage] = [key.slice(0, at), key.slice(at + 2)];
    const seeds = variants[names.split('+')[0]]?.seeds.length ?? 1;
    // It runs once for all seeds.
    const runs = UNSEEDED.has(names) ? 1 : Math.max(1, seeds);
    const known = groups.get(names) ?? {};
    groups.set(names, { ...known, [stage]: seconds / runs });
  }
  return [...groups].map(([names, stages]) => {
    const first = variants[names.split('+')[0]];
    return { names, steps: first === undefined ? null : stepsOf(first), stages };
  });
}

export function efficiencySection({ runs, host }: Study): Section | undefined {
  // Protocols differ in labels and threshold, not in run time.
  const run = runs.find(({ result }) => groupTimes(result).length > 0);
  if (run === undefined) return undefined;
  const groups = groupTimes(run.result);
  const rows = Object.entries(run.result.variants).flatMap(([name, variant]): TimesRow[] => {
    const times = inferenceTimes(variant);
    return times === undefined ? [] : [{ name, steps: stepsOf(variant), times }];
  });
  const { peakMemory } = run.result;
  return {
    id: 'efficiency',
    title: 'Efficiency',
    lead: 'Time per seed. As in the paper, inference excludes preprocessing, loading, graph building and the one-time calibration. Word vectors are learned once per seed, by the first variant that needs them.',
    content: [
      rows.length > 0 && inferenceTable(rows),
      stageBars({
        id: 'stages',
        title: 'Time by stage, of the variants that share a model',
        bars: groups.map((group) => ({
          name: shortName(group),
          stages: DRAWN_STAGES.map(([stage, ...parts]) => ({
            stage,
            seconds: parts.reduce((sum, part) => sum + (group.stages[part] ?? 0), 0),
          })),
        })),
      }),
      dataTable({
        id: 'stage-table',
        title: 'Time by stage, of the variants that share a model',
        caption: 'Inference of a group measures each graph once and scores it with every variant.',
        columns: [
          {
            heading: 'variants that share a model',
            value: ({ names }: GroupTimes) => names.split('+').join(', '),
          },
          { heading: 'steps', value: ({ steps }) => steps },
          groupSeconds('training', 'train'),
          groupSeconds('inference', 'score'),
          groupSeconds('kNN index', 'index'),
          groupSeconds('preparation', 'prepare'),
          groupSeconds('graph building', 'graphs'),
          groupSeconds('reference', 'fit'),
          groupSeconds('calibration', 'calibrate'),
        ],
        rows: groups,
        download: true,
      }),
      peakMemory !== null &&
        h('p', {}, `Peak memory of all variants in one process: ${formatGibibytes(peakMemory)}.`),
      host === PUBLISHED_SECONDS.host && h('p', {}, publishedText()),
    ],
  };
}

interface TimesRow {
  readonly name: string;
  readonly steps: number | null;
  readonly times: InferenceTimes;
}

/** Training and inference of each variant, as if it ran alone, and the shares of inference. */
function inferenceTable(rows: readonly TimesRow[]) {
  const seconds = (heading: string, of: (times: InferenceTimes) => number | null | undefined) => ({
    heading,
    value: ({ times }: TimesRow) => of(times) ?? null,
    show: ({ times }: TimesRow) => {
      const value = of(times) ?? null;
      return value === null ? '–' : formatSeconds(value);
    },
    as: 'number' as const,
  });
  const share = (heading: string, key: keyof NonNullable<InferenceTimes['shares']>) => ({
    heading,
    value: ({ times }: TimesRow) => (times.shares === null ? null : 100 * times.shares[key]),
    show: ({ times }: TimesRow) => (times.shares === null ? '–' : formatPercent(times.shares[key])),
    as: 'number' as const,
  });
  const stages = (Object.keys(INFERENCE_STAGES) as InferenceStage[]).filter((stage) =>
    rows.some(({ times }) => times.stages[stage] !== undefined),
  );
  return dataTable({
    id: 'inference-table',
    title: 'Training and inference of each variant',
    caption:
      'Inference is the sum of the stages to its right. The share of kNN includes its index. Distances are exact here; recal detect stops early and needs less.',
    columns: [
      { heading: 'variant', value: ({ name }: TimesRow) => name },
      { heading: 'steps', value: ({ steps }) => steps },
      seconds('training', ({ train }) => train),
      seconds('inference', ({ inference }) => inference),
      share('kNN %', 'knn'),
      share('calibration and fusion %', 'calibrationAndFusion'),
      ...stages.map((stage) => seconds(INFERENCE_STAGES[stage], ({ stages: own }) => own[stage])),
    ],
    rows,
    download: true,
  });
}

function groupSeconds(heading: string, stage: string) {
  return {
    heading,
    value: ({ stages }: GroupTimes) => stages[stage] ?? null,
    show: ({ stages }: GroupTimes) => (stages[stage] === undefined ? '–' : formatSeconds(stages[stage])),
    as: 'number' as const,
  };
}

function publishedText(): string {
  const { train, infer, knnShare, fusionShares } = PUBLISHED_SECONDS;
  const [low, high] = fusionShares.map((share) => formatFixed(100 * share, 1));
  return `Published for TRACE on an RTX 5090: training ${train} s, inference ${infer} s, ${formatPercent(knnShare)} of it kNN; calibration and fusion are ${low} to ${high} % on the three hosts. The machines differ, so compare shares, not seconds.`;
}

/** A bar has no room for five names. */
function shortName({ names }: GroupTimes): string {
  const [first, ...others] = names.split('+');
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

const formatGibibytes = (bytes: number): string => `${formatFixed(bytes / 2 ** 30, 2)} GiB`;
