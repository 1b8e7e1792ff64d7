import { type HistogramPanel, histogram } from '../../report/charts/histogram.js';
import { formatNumber } from '../../report/page/format.js';
import type { Content } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import type { ErrorSamples } from './error-samples.js';
import type { ScoreSample, ScoreSamples, Study } from './study.js';

/** Undefined if no scores are given. */
export function scoreSection({ runs, extras }: Study): Section | undefined {
  const drawn = runs.flatMap(({ name, scores }, r) => {
    const samples = scores ?? (r === 0 ? extras?.scores : undefined);
    return samples === undefined ? [] : drawScores(`scores-${name}`, name, samples, runs.length > 1);
  });
  if (drawn.length === 0) return undefined;
  return {
    id: 'scores',
    title: 'Scores before and after calibration',
    lead: 'Reconstruction errors of different relations do not compare. Calibration replaces an error by its p-value among the benign errors of its relation, and fusion joins the p-values of a node to one score.',
    content: drawn,
  };
}

function drawScores(id: string, run: string, { errors, fused }: ScoreSamples, several: boolean): Content[] {
  const of = several ? `, protocol ${run}` : '';
  return [
    ...(errors === undefined ? [] : [drawErrors(`errors-${run}`, `Errors by relation${of}`, errors)]),
    ...(fused === undefined
      ? []
      : [
          histogram({
            id,
            title: `Fused scores of nodes${of}`,
            caption: zeroText(fused),
            panels: [panelOf('after calibration and fusion', 'fused score', fused)],
          }),
        ]),
  ];
}

/** Raw errors beside their calibrated p-values: the same errors in the same rows. */
function drawErrors(id: string, title: string, { variant, seed, samples, others }: ErrorSamples): Content {
  const which = `(${variant}, seed ${seed})`;
  const panel = (heading: string, measure: string, key: 'errors' | 'calibrated'): HistogramPanel => ({
    title: `${heading} ${which}`,
    measure,
    samples: samples.map((each) => ({
      name: `${each.relation.replace(/^EVENT_/, '')}, ${each.labelled ? 'labelled' : 'not labelled'}`,
      values: each[key],
    })),
  });
  return histogram({
    id,
    title,
    caption: `Each row shows shares of the errors of one relation, one per node and graph.${others > 0 ? ` ${others} relations with fewer errors are not drawn.` : ''}`,
    panels: [
      panel('before calibration', 'reconstruction error', 'errors'),
      panel('after calibration', '−log10 p', 'calibrated'),
    ],
  });
}

/** A logarithmic axis cannot show 0. */
function zeroText({ variant, benign, attack, zeros }: ScoreSample): string {
  const share = (zeros: number, others: number) =>
    `${formatNumber(zeros)} of ${formatNumber(zeros + others)}`;
  return `Each row shows shares of its nodes. Not drawn, because ${variant} scores them 0: ${share(zeros.attack, attack.length)} labelled nodes and ${share(zeros.benign, benign.length)} others.`;
}

/** The axis is logarithmic, because values of −ln p differ by powers of ten. */
function panelOf(
  title: string,
  what: string,
  { variant, seed, benign, attack }: ScoreSample,
): HistogramPanel {
  const log = (values: Float64Array) => values.map(Math.log10);
  const which = seed === 'mean' ? 'mean over seeds' : `seed ${seed}`;
  return {
    title: `${title} (${variant}, ${which})`,
    measure: `log10 of the ${what}`,
    samples: [
      { name: 'not labelled', values: log(benign) },
      { name: 'labelled', values: log(attack) },
    ],
  };
}
