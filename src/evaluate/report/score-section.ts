import { type HistogramPanel, histogram } from '../../report/charts/histogram.js';
import { formatNumber } from '../../report/page/format.js';
import { type Content, h } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
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
    lead: 'Scores of labelled nodes and of all other nodes. The farther apart they are, the less depends on the threshold.',
    content: [
      ...drawn,
      h(
        'p',
        { class: 'note' },
        'The score before calibration is the distance to training (wo-cd), the score after it is the fused score.',
      ),
    ],
  };
}

function drawScores(id: string, run: string, { before, after }: ScoreSamples, several: boolean): Content[] {
  const panels = [
    ...(before === undefined ? [] : [panelOf('before calibration', 'kNN distance', before)]),
    ...(after === undefined ? [] : [panelOf('after calibration and fusion', 'fused score', after)]),
  ];
  if (panels.length === 0) return [];
  const title = several ? `Scores of nodes, protocol ${run}` : 'Scores of nodes';
  return [histogram({ id, title, caption: zeroText(after ?? before), panels })];
}

/** A logarithmic axis cannot show 0. */
function zeroText(sample: ScoreSample | undefined): string | undefined {
  if (sample === undefined) return undefined;
  const { variant, benign, attack, zeros } = sample;
  const share = (zeros: number, others: number) =>
    `${formatNumber(zeros)} of ${formatNumber(zeros + others)}`;
  return `Each row shows shares of its nodes. Not drawn, because ${variant} scores them 0: ${share(zeros.attack, attack.length)} labelled nodes and ${share(zeros.benign, benign.length)} others.`;
}

/** The axis is logarithmic, because distances and −ln p differ by powers of ten. */
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
