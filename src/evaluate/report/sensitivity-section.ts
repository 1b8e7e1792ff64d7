import { sweepChart } from '../../report/charts/sweep-chart.js';
import type { Content } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import type { Figure, VariantResult } from '../result-schema.js';
import {
  type Assignment,
  type Axis,
  assignmentText,
  CALIBRATION_SHARE,
  valueText,
} from '../sweep/sweep-axes.js';
import type { Trial } from '../sweep/sweep-trial.js';
import { meanText, percentText, scaled, stepsOf } from './cell-text.js';
import { type StudySweeps, seedValues } from './study.js';

const SETTING_NAMES: Readonly<Record<string, string>> = {
  [CALIBRATION_SHARE]: 'share of calibration nodes',
  rounds: 'K, rounds of masked inference',
  gamma: 'γ, exponent of the mask rate',
  learningRate: 'learning rate',
};
const MOST_SERIES = 12;
/** F1 and the false positive rate, as in the paper; average precision needs no threshold. */
const MEASURES: readonly { readonly figure: Figure; readonly measure: string; readonly scale: number }[] = [
  { figure: 'f1', measure: 'F1', scale: 1 },
  { figure: 'fpr', measure: 'false positive rate in percent', scale: 100 },
  { figure: 'ap', measure: 'average precision', scale: 1 },
];

/** A chart for every numeric axis, and a table of all trials. */
export function sensitivitySection({ run, axes, trials }: StudySweeps): Section {
  const charts = axes.filter(isNumeric).flatMap((axis) => drawAxis(axis, axes, trials));
  return {
    id: 'sensitivity',
    title: 'Sensitivity',
    lead: `Each point is a separate evaluation (${run}). All other settings stay the same.`,
    content: [...charts, trialTable(trials)],
  };
}

function isNumeric({ values }: Axis): boolean {
  return values.length > 1 && values.every((value) => typeof value === 'number');
}

function drawAxis(axis: Axis, axes: readonly Axis[], trials: readonly Trial[]): Content[] {
  const own = trials.filter(({ assignment }) => assignment[axis.key] !== undefined);
  if (own.length === 0) return [];
  const values = axis.values as readonly number[];
  const name = SETTING_NAMES[axis.key] ?? axis.key;
  return MEASURES.flatMap(({ figure, measure, scale }) => {
    const series = seriesOf(axis, axes, own, figure, scale);
    if (series.length === 0) return [];
    const isLog = values.every((value) => value > 0) && Math.max(...values) / Math.min(...values) >= 50;
    return [
      sweepChart({
        id: `sweep-${axis.key}-${figure}`,
        title: `${name}: ${measure}`,
        setting: name,
        measure,
        log: isLog,
        series: series.slice(0, MOST_SERIES),
        ...(series.length > MOST_SERIES
          ? { caption: `${MOST_SERIES} of ${series.length} lines are drawn. The table below has all.` }
          : {}),
      }),
    ];
  });
}

/** One line for every variant and combination of the other axes. */
function seriesOf(
  axis: Axis,
  axes: readonly Axis[],
  trials: readonly Trial[],
  figure: Figure,
  scale: number,
) {
  const lines = new Map<string, { x: number; values: number[] }[]>();
  for (const { assignment, result } of trials) {
    const others = axes.filter(({ key }) => key !== axis.key && assignment[key] !== undefined);
    const rest = others.map(({ key }) => `${key}=${valueText(assignment[key])}`).join(' ');
    for (const [name, variant] of Object.entries(result.variants)) {
      const values = seedValues(variant, figure).map((value) => value * scale);
      if (values.length === 0) continue;
      const line = rest === '' ? name : `${name} ${rest}`;
      lines.set(line, [...(lines.get(line) ?? []), { x: assignment[axis.key] as number, values }]);
    }
  }
  return [...lines].map(([name, points]) => ({ name, points: points.sort((a, b) => a.x - b.x) }));
}

interface TrialRow {
  readonly assignment: Assignment;
  readonly name: string;
  readonly variant: VariantResult;
}

function trialTable(trials: readonly Trial[]): Content {
  const rows = trials.flatMap(({ assignment, result }) =>
    Object.entries(result.variants).map(([name, variant]): TrialRow => ({ assignment, name, variant })),
  );
  const column = (heading: string, figure: Figure) => ({
    heading,
    value: ({ variant }: TrialRow) => variant.mean[figure],
    show: ({ variant }: TrialRow) => meanText(variant, figure, 3),
    as: 'number' as const,
  });
  return dataTable({
    id: 'trials',
    title: 'Trials',
    columns: [
      {
        heading: 'settings',
        value: ({ assignment }: TrialRow) => assignmentText(assignment) || 'unchanged',
      },
      { heading: 'variant', value: ({ name }) => name },
      { heading: 'seeds', value: ({ variant }) => variant.seeds.length },
      { heading: 'steps', value: ({ variant }) => stepsOf(variant) },
      column('F1', 'f1'),
      {
        heading: 'FPR %',
        value: ({ variant }: TrialRow) => scaled(variant.mean.fpr, 100),
        show: ({ variant }: TrialRow) => percentText(variant, 'fpr'),
        as: 'number' as const,
      },
      column('AP', 'ap'),
      column('oracle F1', 'oracleF1'),
      column('AUROC', 'auroc'),
    ],
    rows,
    most: 200,
    download: true,
  });
}
