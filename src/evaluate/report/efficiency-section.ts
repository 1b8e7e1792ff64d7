import { stageBars } from '../../report/charts/stage-bars.js';
import { formatFixed, formatPercent, formatSeconds } from '../../report/page/format.js';
import { h } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { PUBLISHED_SECONDS } from '../e3/published.js';
import type { EvaluationResult } from '../result-schema.js';
import type { Study } from './study.js';

/** Seconds of a group of variants that share a model, for one seed. */
export interface GroupTimes {
  readonly names: string;
  readonly stages: Readonly<Record<string, number>>;
}

/** In the order of the work. The paper counts training and scoring; the rest is done once, or before. */
const STAGES = ['prepare', 'train', 'fit', 'calibrate', 'score'] as const;
const PART_OF_MEASURING = /^measure /;

/** `names: stage` of `timings`, by group and for one seed. */
export function groupTimes({ timings, variants }: EvaluationResult): GroupTimes[] {
  const groups = new Map<string, Record<string, number>>();
  for (const [key, seconds] of Object.entries(timings)) {
    const at = key.indexOf(': ');
    if (at < 0) continue;
    const [names, stage] = [key.slice(0, at), key.slice(at + 2)];
    const seeds = variants[names.split('+')[0]]?.seeds.length ?? 1;
    // What draws nothing at random runs once for all its seeds.
    const runs = names === 'rarity' ? 1 : Math.max(1, seeds);
    const known = groups.get(names) ?? {};
    groups.set(names, { ...known, [stage]: seconds / runs });
  }
  return [...groups].map(([names, stages]) => ({ names, stages }));
}

export function efficiencySection({ runs, host }: Study): Section | undefined {
  // Protocols differ in labels and threshold, not in the work.
  const run = runs.find(({ result }) => groupTimes(result).length > 0);
  if (run === undefined) return undefined;
  const groups = groupTimes(run.result);
  const part = (group: GroupTimes, stage: string) => group.stages[stage] ?? 0;
  const inner = [...new Set(groups.flatMap(({ stages }) => Object.keys(stages)))].filter((stage) =>
    PART_OF_MEASURING.test(stage),
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
    lead: 'Seconds of one seed. As the paper counts, training and inference are without preprocessing, loading and the one-time calibration; those are shown apart. Words are learned once a seed, by whoever comes first.',
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
        title: 'Seconds by stage, one seed',
        columns: [
          naming,
          seconds('training', 'train'),
          seconds('inference', 'score'),
          seconds('preparing', 'prepare'),
          seconds('reference', 'fit'),
          seconds('calibration', 'calibrate'),
        ],
        rows: groups,
        download: true,
      }),
      inner.length > 0 &&
        dataTable({
          id: 'measure-table',
          title: 'What measuring takes, one seed',
          caption: 'Of inference and calibration together',
          columns: [
            naming,
            ...inner.map((stage) =>
              seconds(stage.replace(PART_OF_MEASURING, '').replace('knn', 'kNN'), stage),
            ),
            {
              heading: 'kNN, share',
              value: (group: GroupTimes) => shareOf(group, 'measure knn', inner),
              show: (group: GroupTimes) => {
                const share = shareOf(group, 'measure knn', inner);
                return share === null ? '–' : formatPercent(share);
              },
              as: 'number' as const,
            },
          ],
          rows: groups.filter(({ stages }) => inner.some((stage) => stages[stage] !== undefined)),
          download: true,
        }),
      ...(run.result.peakMemory === null
        ? []
        : [
            h(
              'p',
              {},
              `Peak memory, all variants in one process: ${formatGibibytes(run.result.peakMemory)}.`,
            ),
          ]),
      ...(host === PUBLISHED_SECONDS.host
        ? [
            h(
              'p',
              {},
              `Published for TRACE on an RTX 5090: training ${PUBLISHED_SECONDS.train} s, inference ${PUBLISHED_SECONDS.infer} s, ${PUBLISHED_SECONDS.knnShare * 100} % of it kNN. Another machine: compare shares, not seconds.`,
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

/** Beside a bar there is no room for five names. */
function shortName({ names }: GroupTimes): string {
  const [first, ...others] = names.split('+');
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function shareOf({ stages }: GroupTimes, stage: string, among: readonly string[]): number | null {
  const all = among.reduce((sum, each) => sum + (stages[each] ?? 0), 0);
  return all > 0 ? (stages[stage] ?? 0) / all : null;
}

const formatGibibytes = (bytes: number): string => `${formatFixed(bytes / 2 ** 30, 2)} GiB`;
