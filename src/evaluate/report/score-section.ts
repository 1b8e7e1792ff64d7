import { barChart } from '../../report/charts/bar-chart.js';
import { type HistogramPanel, histogram } from '../../report/charts/histogram.js';
import { formatNumber } from '../../report/page/format.js';
import { type Content, h } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import type { ScoreSample, ScoreSamples, Study } from './study.js';

/** What the method is about: some relations are a hundred thousand times as frequent as others. */
export function relationSection({ extras }: Study): Section | undefined {
  const relations = extras?.relations;
  if (relations === undefined || relations.length === 0) return undefined;
  const least = relations[relations.length - 1];
  const ratio = least.events > 0 ? relations[0].events / least.events : Number.POSITIVE_INFINITY;
  return {
    id: 'relations',
    title: 'Relations',
    lead: `Events of training by relation. The most frequent has ${formatNumber(Math.round(ratio))} times the events of the rarest.`,
    content: barChart({
      id: 'relation-counts',
      title: 'Events by relation',
      measure: 'events',
      bars: relations.map(({ name, events }) => ({ label: name.replace(/^EVENT_/, ''), value: events })),
    }),
  };
}

/** Undefined where no scores are at hand. */
export function scoreSection({ runs, extras }: Study): Section | undefined {
  const drawn = runs.flatMap(({ name, scores }, r) => {
    const samples = scores ?? (r === 0 ? extras?.scores : undefined);
    return samples === undefined ? [] : drawScores(`scores-${name}`, name, samples, runs.length > 1);
  });
  if (drawn.length === 0) return undefined;
  return {
    id: 'scores',
    title: 'Scores before and after calibration',
    lead: 'Labelled nodes apart from all others. The further apart the two, the less a threshold has to decide.',
    content: [
      ...drawn,
      h(
        'p',
        { class: 'note' },
        'Before calibration there is only the distance to training (wo-cd); after it, the fused score.',
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
  return [histogram({ id, title, caption: silentText(after ?? before), panels })];
}

/** What a histogram of logarithms cannot show. */
function silentText(sample: ScoreSample | undefined): string | undefined {
  if (sample === undefined) return undefined;
  const { variant, benign, attack, silent } = sample;
  const share = (none: number, some: number) => `${formatNumber(none)} of ${formatNumber(none + some)}`;
  return `Shares of each row’s nodes. Scored 0 by ${variant}, and not drawn: ${share(silent.attack, attack.length)} labelled nodes, ${share(silent.benign, benign.length)} others.`;
}

/** On a logarithmic axis: distances and −ln p differ by powers of ten. */
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
