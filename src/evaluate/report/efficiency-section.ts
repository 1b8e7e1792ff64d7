import { stageBars } from '../../report/charts/stage-bars.js';
import { formatFixed, formatPercent, formatSeconds } from '../../report/page/format.js';
import { h } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { PUBLISHED_SECONDS } from '../e3/published.js';
import type { EvaluationResult } from '../result-schema.js';
import type { Study } from './study.js';

/** Seconds per seed of a group of variants that share a model. */
interface GroupTimes {
  readonly names: string;
  readonly stages: Readonly<Record<string, number>>;
}

/** In the order in which they run. */
const STAGES = ['prepare', 'train', 'fit', 'calibrate', 'score'] as const;
/** Timings of the steps within calibration and inference. */
const STEP = /^measure /;

/** Reads the timings named `variants: stage`. */
function groupTimes({ timings, variants }: EvaluationResult): GroupTimes[] {
  const groups = new Map<string, Record<string, number>>();
  for (const [key, seconds] of Object.entries(timings)) {
    const at = key.indexOf(': ');
    if (at < 0) continue;
    const [names, stage] = [key.slice(0, at), key.slice(at + 2)];
    const seeds = variants[names.split('+')[0]]?.seeds.length ?? 1;
    // Rarity uses no random numbers, so it runs once for all seeds.
    const runs = names === 'rarity' ? 1 : Math.max(1, seeds);
    const known = groups.get(names) ?? {};
    groups.set(names, { ...known, [stage]: seconds / runs });
  }
  return [...groups].map(([names, stages]) => ({ names, stages }));
}

export function efficiencySection({ runs, host }: Study): Section | undefined {
  // Protocols differ in labels and threshold, not in run time.
  const run = runs.find(({ result }) => groupTimes(result).length > 0);
  if (run === undefined) return undefined;
  const groups = groupTimes(run.result);
  const part = (group: GroupTimes, stage: string) => group.stages[stage] ?? 0;
  const steps = [...new Set(groups.flatMap(({ stages }) => Object.keys(stages)))].filter((stage) =>
    STEP.test(stage),
  );
  const seconds = (heading: string, stage: string) => ({
    heading,
    value: (group: GroupTimes) => group.stages[stage] ?? null,
    show: (group: GroupTimes) =>
      group.stages[stage] === undefined ? '–' : formatSeconds(part(group, stage)),
    as: 'number' as const,
  });
  return {
    id: 'efficiency',
    title: 'Efficiency',
    lead: 'Time per seed. As in the paper, training and inference exclude preprocessing, loading and the one-time calibration, which are shown separately. Word vectors are learned once per seed, by the first variant that needs them.',
    content: [
      stageBars({
        id: 'stages',
        title: 'Time by stage',
        bars: groups.map((group) => ({
          name: shortName(group),
          stages: STAGES.map((stage) => ({ stage, seconds: part(group, stage) })),
        })),
      }),
      dataTable({
        id: 'stage-table',
        title: 'Time by stage, per seed',
        columns: [
          naming,
          seconds('training', 'train'),
          seconds('inference', 'score'),
          seconds('preparation', 'prepare'),
          seconds('reference', 'fit'),
          seconds('calibration', 'calibrate'),
        ],
        rows: groups,
        download: true,
      }),
      steps.length > 0 &&
        dataTable({
          id: 'measure-table',
          title: 'Time by step, per seed',
          caption: 'The steps of inference and calibration together.',
          columns: [
            naming,
            ...steps.map((stage) => seconds(stage.replace(STEP, '').replace('knn', 'kNN'), stage)),
            {
              heading: 'kNN share',
              value: (group: GroupTimes) => shareOf(group, 'measure knn', steps),
              show: (group: GroupTimes) => {
                const share = shareOf(group, 'measure knn', steps);
                return share === null ? '–' : formatPercent(share);
              },
              as: 'number' as const,
            },
          ],
          rows: groups.filter(({ stages }) => steps.some((stage) => stages[stage] !== undefined)),
          download: true,
        }),
      ...(run.result.peakMemory === null
        ? []
        : [
            h(
              'p',
              {},
              `Peak memory of all variants in one process: ${formatGibibytes(run.result.peakMemory)}.`,
            ),
          ]),
      ...(host === PUBLISHED_SECONDS.host
        ? [
            h(
              'p',
              {},
              `Published for TRACE on an RTX 5090: training ${PUBLISHED_SECONDS.train} s, inference ${PUBLISHED_SECONDS.infer} s, ${PUBLISHED_SECONDS.knnShare * 100} % of it kNN. The machines differ, so compare shares, not seconds.`,
            ),
          ]
        : []),
    ],
  };
}

const naming = {
  heading: 'variants that share a model',
  value: ({ names }: GroupTimes) => names.split('+').join(', '),
};

/** A bar has no room for five names. */
function shortName({ names }: GroupTimes): string {
  const [first, ...others] = names.split('+');
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function shareOf({ stages }: GroupTimes, stage: string, among: readonly string[]): number | null {
  const all = among.reduce((sum, each) => sum + (stages[each] ?? 0), 0);
  return all > 0 ? (stages[stage] ?? 0) / all : null;
}

const formatGibibytes = (bytes: number): string => `${formatFixed(bytes / 2 ** 30, 2)} GiB`;
