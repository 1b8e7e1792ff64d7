import { seedDots } from '../../report/charts/seed-dots.js';
import type { Content } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { publishedOrder } from '../e3/published.js';
import { type Study, type StudyRun, seedValues } from './study.js';

/** Draws each seed, with the published F1 if it is comparable. */
export function seedSection({ runs, host }: Study): Section {
  const dots = (figure: 'f1' | 'ap', { name: run, result }: StudyRun): Content => {
    // Published results use the labels and thresholds of the paper.
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
    title: 'Results by seed',
    lead: 'The mean of a few seeds does not show how much they differ.',
    content: runs.flatMap((run) => [dots('f1', run), dots('ap', run)]),
  };
}
