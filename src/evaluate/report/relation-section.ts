import { barChart } from '../../report/charts/bar-chart.js';
import { formatNumber } from '../../report/page/format.js';
import type { Section } from '../../report/page/page.js';
import type { Study } from './study.js';

/** Undefined if the counts are missing. */
export function relationSection({ extras }: Study): Section | undefined {
  const relations = extras?.relations;
  if (relations === undefined || relations.length === 0) return undefined;
  const least = relations[relations.length - 1];
  const ratio = least.events > 0 ? relations[0].events / least.events : Number.POSITIVE_INFINITY;
  return {
    id: 'relations',
    title: 'Relations',
    lead: `Training events by relation. The most frequent relation has ${formatNumber(Math.round(ratio))} times as many events as the rarest.`,
    content: barChart({
      id: 'relation-counts',
      title: 'Events by relation',
      measure: 'events',
      bars: relations.map(({ name, events }) => ({ label: name.replace(/^EVENT_/, ''), value: events })),
    }),
  };
}
