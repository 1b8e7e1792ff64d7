import {
  type Curve,
  type CurvePoint,
  precisionRecallChart,
} from '../../report/charts/precision-recall-chart.js';
import { formatFixed } from '../../report/page/format.js';
import type { Content } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import type { PrecisionRecallCurve } from '../metrics/ranking-metrics.js';
import type { SeedResult } from '../result-schema.js';
import { thresholdText } from './cell-text.js';
import { leadingVariant, type Study, type StudyRun } from './study.js';
import { meanColumn, VARIANT_COLUMNS, variantRows } from './variant-rows.js';

/** One chart per protocol with the first seed of every variant. */
export function precisionRecallSection({ runs, host }: Study): Section | undefined {
  const charts = runs.flatMap(({ name, result, curves }): Content[] => {
    const drawn = Object.entries(curves ?? {}).flatMap(([variant, seeds]) => {
      const [first] = seeds;
      const measured = result.variants[variant]?.seeds.find(({ seed }) => seed === first?.seed);
      if (measured === undefined || first.precisionRecall === null) return [];
      // The marks of all variants lie close together, so only one has a label.
      const label = variant === leadingVariant(result, host)[0] ? thresholdText(measured) : '';
      return [curveOf(variant, first.precisionRecall, measured, label)];
    });
    if (drawn.length === 0) return [];
    return [
      precisionRecallChart({
        id: `pr-${name}`,
        curves: drawn,
        title: runs.length > 1 ? `Precision and recall, protocol ${name}` : 'Precision and recall',
        caption:
          'First seed. A line shows the best precision at each recall. A mark shows what the threshold in use flags. It lies below the line if a higher threshold has the same recall. It lies off the line if a variant flags whole process trees, or if the ranking corrects for the number of graphs while alerts are raised graph by graph.',
      }),
    ];
  });
  if (charts.length === 0) return undefined;
  return {
    id: 'curves',
    title: 'Precision and recall',
    lead: 'Results of each variant at every threshold. The curves and the table do not depend on how a threshold is chosen.',
    content: [...charts, rankingTable(runs)],
  };
}

function rankingTable(runs: readonly StudyRun[]): Content {
  return dataTable({
    id: 'ranking-table',
    title: 'Ranking metrics',
    caption: 'Mean over seeds ± one standard deviation.',
    columns: [
      ...VARIANT_COLUMNS,
      meanColumn('average precision', 'ap'),
      meanColumn('AUROC', 'auroc'),
      meanColumn('best F1', 'oracleF1'),
      meanColumn('labelled nodes that pass the gate', 'candidateRecall'),
    ],
    rows: variantRows(runs),
    download: true,
  });
}

function curveOf(name: string, curve: PrecisionRecallCurve, seed: SeedResult, label: string): Curve {
  const { recall, precision } = seed;
  const isShown = recall !== null && precision !== null && recall > 0;
  return {
    name,
    points: curvePoints(curve),
    ...(seed.ap === null ? {} : { summary: `AP ${formatFixed(seed.ap, 3)}` }),
    ...(isShown ? { inUse: { recall, precision, label } } : {}),
  };
}

/** The best precision at each recall. Thresholds descend, so the first point of a recall is the best. */
function curvePoints({ thresholds, precision, recall }: PrecisionRecallCurve): CurvePoint[] {
  const points: CurvePoint[] = [];
  for (let i = 0; i < recall.length; i++) {
    if (recall[i] === 0 || recall[i] === points.at(-1)?.recall) continue;
    points.push({ recall: recall[i], precision: precision[i], threshold: thresholds[i] });
  }
  return points;
}
