import { type Curve, type CurvePoint, curveChart } from '../../report/charts/curve-chart.js';
import { seedDots } from '../../report/charts/seed-dots.js';
import { formatFixed } from '../../report/page/format.js';
import { type Content, h } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { publishedOrder } from '../e3/published.js';
import type { PrecisionRecallCurve } from '../metrics/ranking-metrics.js';
import type { Figure, SeedResult, VariantResult } from '../result-schema.js';
import { countText, meanText } from './cell-text.js';
import { leadingVariant, type Study, type StudyRun, seedValues } from './study.js';

interface RunVariant {
  readonly run: string;
  readonly name: string;
  readonly variant: VariantResult;
}

function variantsOf(runs: readonly StudyRun[]): RunVariant[] {
  return runs.flatMap(({ name: run, result }) =>
    Object.entries(result.variants).map(([name, variant]) => ({ run, name, variant })),
  );
}

const mean = (heading: string, figure: Figure, decimals = 3) => ({
  heading,
  value: ({ variant }: RunVariant) => variant.mean[figure],
  show: ({ variant }: RunVariant) => meanText(variant, figure, decimals),
  as: 'number' as const,
});
const count = (heading: string, figure: Figure) => ({
  heading,
  value: ({ variant }: RunVariant) => variant.mean[figure],
  show: ({ variant }: RunVariant) => countText(variant, figure),
  as: 'number' as const,
});
const naming = [
  { heading: 'variant', value: ({ name }: RunVariant) => name },
  { heading: 'protocol', value: ({ run }: RunVariant) => run },
];

/** One chart a protocol, the first seed of every variant. */
export function curveSection({ runs, host }: Study): Section | undefined {
  const charts = runs.flatMap(({ name, result, curves }): Content[] => {
    const drawn = Object.entries(curves ?? {}).flatMap(([variant, seeds]) => {
      const [first] = seeds;
      const figures = result.variants[variant]?.seeds.find(({ seed }) => seed === first?.seed);
      if (figures === undefined || first.precisionRecall === null) return [];
      // One name for the threshold is enough: the marks of nine variants lie close.
      const label = variant === leadingVariant(result, host)[0] ? thresholdName(figures) : '';
      return [curveOf(variant, first.precisionRecall, figures, label)];
    });
    if (drawn.length === 0) return [];
    return [
      curveChart({
        id: `pr-${name}`,
        kind: 'pr',
        curves: drawn,
        title: runs.length > 1 ? `Precision and recall, protocol ${name}` : 'Precision and recall',
        caption:
          'The first seed. A line has the best precision of each recall; a mark is the threshold in use, and lies below where it flags more than that recall needs.',
      }),
    ];
  });
  if (charts.length === 0) return undefined;
  return {
    id: 'curves',
    title: 'Every threshold',
    lead: 'What each variant would give at any threshold: neither the curves nor the figures below depend on how one was chosen.',
    content: [...charts, rankingTable(runs)],
  };
}

function rankingTable(runs: readonly StudyRun[]): Content {
  return dataTable({
    id: 'ranking-table',
    title: 'Rankings as a whole',
    caption: 'Means over seeds ± one standard deviation',
    columns: [
      ...naming,
      mean('average precision', 'ap'),
      mean('AUROC', 'auroc'),
      mean('best F1', 'oracleF1'),
      mean('labelled nodes past the gate', 'candidateRecall'),
    ],
    rows: variantsOf(runs),
    download: true,
  });
}

function curveOf(name: string, curve: PrecisionRecallCurve, seed: SeedResult, label: string): Curve {
  const { recall, precision } = seed;
  const isShown = recall !== null && precision !== null && recall > 0;
  return {
    name,
    points: curvePoints(curve),
    ...(seed.ap === null ? {} : { figure: `AP ${formatFixed(seed.ap, 3)}` }),
    ...(isShown ? { operating: { x: recall, y: precision, label } } : {}),
  };
}

const thresholdName = ({ threshold: { asked, kind } }: SeedResult): string => asked ?? kind;

/** The best precision of each recall: a hundred thousand thresholds that find nothing more are no part of the line. */
export function curvePoints({ thresholds, precision, recall }: PrecisionRecallCurve): CurvePoint[] {
  const points: CurvePoint[] = [];
  for (let i = 0; i < recall.length; i++) {
    if (recall[i] === 0 || recall[i] === points.at(-1)?.x) continue;
    points.push({ x: recall[i], y: precision[i], threshold: thresholds[i] });
  }
  return points;
}

interface AttackRow extends RunVariant {
  readonly attack: string;
  readonly nodes: number;
  readonly seeds: readonly NonNullable<SeedResult['perAttack']>[number][];
}

/** Undefined where no labels name attacks. */
export function attackSection({ runs }: Study): Section | undefined {
  const rows = variantsOf(runs).flatMap((each): AttackRow[] => {
    const [first] = each.variant.seeds;
    return (first.perAttack ?? []).map(({ name, nodes }, a) => ({
      ...each,
      attack: name,
      nodes,
      seeds: each.variant.seeds.flatMap(({ perAttack }) => perAttack?.[a] ?? []),
    }));
  });
  if (rows.length === 0) return undefined;
  return {
    id: 'attacks',
    title: 'Attack by attack',
    lead: 'An attack is detected if one of its nodes is flagged. The rank is that of the first incident that leads to it, from the highest; a dash where some attack is never found in some seed.',
    content: [
      dataTable({
        id: 'attack-table',
        title: 'Attacks',
        columns: [
          { heading: 'attack', value: ({ attack }: AttackRow) => attack, as: 'name' },
          ...naming,
          { heading: 'nodes', value: ({ nodes }) => nodes },
          {
            heading: 'flagged, mean',
            value: ({ seeds }) => average(seeds.map(({ flagged }) => flagged)),
            show: ({ seeds }) => formatFixed(average(seeds.map(({ flagged }) => flagged)), 1),
            as: 'number',
          },
          {
            heading: 'detected in',
            value: ({ seeds }) =>
              `${seeds.filter(({ flagged }) => flagged > 0).length} of ${seeds.length} seeds`,
          },
          {
            heading: 'incident, by seed',
            value: ({ seeds }) => seeds.map(({ firstIncident }) => firstIncident ?? 'never').join(', '),
          },
        ],
        rows,
        most: 200,
        download: true,
      }),
      dataTable({
        id: 'attack-effort',
        title: 'What it takes to find every attack',
        columns: [
          ...naming,
          count('attacks', 'attacks'),
          count('detected', 'attacksDetected'),
          mean('ADP', 'adp'),
          count('false incidents', 'falseIncidents'),
          mean('a host and day', 'falseIncidentsPerDay'),
          count('false positives until all', 'fpUntilAllAttacks'),
          count('incidents until all', 'incidentsUntilAllAttacks'),
          count('nodes in them', 'nodesUntilAllAttacks'),
        ],
        rows: variantsOf(runs).filter(({ variant }) => variant.mean.attacks !== null),
        download: true,
      }),
    ],
  };
}

export function behaviourSection({ runs }: Study): Section {
  return {
    id: 'behaviours',
    title: 'Distinct behaviours',
    lead: 'Nodes with the same features and relations are one behaviour. Where most labels repeat one, finding it is nearly all of recall; here it counts once.',
    content: dataTable({
      id: 'behaviour-table',
      title: 'Per node and per behaviour',
      columns: [
        ...naming,
        mean('precision, nodes', 'precision'),
        mean('precision, behaviours', 'behaviourPrecision'),
        mean('recall, nodes', 'recall'),
        mean('recall, behaviours', 'behaviourRecall'),
        count('behaviours', 'behaviours'),
      ],
      rows: variantsOf(runs),
      download: true,
    }),
  };
}

/** Each seed as a dot; the published F1 beside it where it compares. */
export function seedSection({ runs, host }: Study): Section {
  const dots = (figure: 'f1' | 'ap', { name: run, result }: StudyRun): Content => {
    // Published figures are of the paper's labels and thresholds.
    const published = host === undefined || result.protocol !== 'paper' ? [] : publishedOrder(host);
    const groups = Object.entries(result.variants).map(([name, variant]) => {
      const known = figure === 'f1' ? published.find((each) => each.variant === name) : undefined;
      return {
        name,
        values: seedValues(variant, figure),
        ...(known === undefined ? {} : { published: known.f1 / 100 }),
      };
    });
    const measure = figure === 'f1' ? 'F1' : 'Average precision';
    return seedDots({
      id: `seeds-${figure}-${run}`,
      measure,
      groups,
      domain: [0, 1],
      title: runs.length > 1 ? `${measure} by seed, protocol ${run}` : `${measure} by seed`,
    });
  };
  return {
    id: 'seeds',
    title: 'Seed by seed',
    lead: 'A mean of a few runs hides how far they lie apart.',
    content: runs.flatMap((run) => [dots('f1', run), dots('ap', run)]),
  };
}

/** What the labels of the test would have added. */
export function gapSection({ runs }: Study): Section {
  return {
    id: 'gap',
    title: 'With and without the answers',
    lead: 'The best F1 that any threshold gives on the test, beside that of the threshold in use. The oracle looks at the labels; a threshold from calibration does not.',
    content: [
      dataTable({
        id: 'gap-table',
        title: 'Oracle against the threshold in use',
        columns: [
          ...naming,
          {
            heading: 'threshold',
            value: ({ variant: { seeds } }: RunVariant) => thresholdName(seeds[0]),
          },
          mean('F1', 'f1'),
          mean('oracle F1', 'oracleF1'),
          mean('gap', 'gap'),
          mean('MCC', 'mcc'),
        ],
        rows: variantsOf(runs),
        download: true,
      }),
      runs.length > 1 &&
        h('p', {}, 'Protocols differ in their labels too, so that only the gap within a row compares.'),
    ],
  };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
