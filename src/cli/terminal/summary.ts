import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { isoTime } from '../../base/time-text.js';
import type { FileEntry, Summary } from '../../store/manifest.js';
import { renderHistogram } from './histogram.js';
import { lossTexts } from './loss-text.js';
import { formatBytes, formatCount, formatDuration } from './quantities.js';
import { type Look, renderTable } from './tables.js';

/** The summary of an ingest: files, counts, time span, relations and entity types. */
export function renderSummary(summary: Summary, files: readonly FileEntry[], look: Look): string[] {
  const bold = look.bold ?? ((text: string) => text);
  return [
    ...renderFiles(files, look),
    '',
    ...renderCounts(summary),
    '',
    bold('events by relation (log scale)'),
    ...renderHistogram(bars(summary.relations), look),
    '',
    bold('entities by source type'),
    ...renderHistogram(bars(summary.entities.bySourceType), look),
  ];
}

function renderFiles(files: readonly FileEntry[], look: Look): string[] {
  const rows = files.flatMap((file) =>
    file.sources.map((source) => [
      source.name,
      source.format,
      source.timeUnit ?? '-',
      source.lines,
      formatBytes(file.bytes),
    ]),
  );
  return renderTable(['file', 'format', 'time', 'lines', 'on disk'], rows, look);
}

function renderCounts(summary: Summary): string[] {
  const { events, entities, edges } = summary;
  const types = Object.entries(entities.byType).map(([type, count]) => `${formatCount(count)} ${type}`);
  const lines: [string, string][] = [
    ['events', formatCount(events)],
    ['edges', `${formatCount(edges.total)} (${formatCount(edges.secondObject)} from second objects)`],
    ['no object', countOf(summary.noObject, 'event')],
    ['entities', `${formatCount(entities.total)}: ${types.join(', ') || 'none'}`],
    [
      'undefined',
      entities.placeholders === 0
        ? 'none'
        : `${countOf(entities.placeholders, 'entity', 'entities')}, in ${share(summary.unresolved, events)} of the events`,
    ],
    ['records', counts(summary.records)],
    ['span', span(summary)],
    ['out of order', share(summary.outOfOrder, events)],
    ['repaired', counts(summary.repaired)],
    ...merged(summary),
    ...identities(summary),
    ...lost(summary),
    ['skipped', counts(summary.skipped)],
    ['malformed', `${formatCount(summary.malformed)} of ${countOf(summary.lines, 'line')}`],
  ];
  return lines.map(([label, text]) => `${label.padEnd(13)} ${text}`);
}

/** Only logs whose events consist of several records have merged ones. */
function merged(summary: Summary): [string, string][] {
  return Object.keys(summary.merged).length === 0 ? [] : [['merged', counts(summary.merged)]];
}

/** Only logs that tell users, sessions, containers or services apart have a line for them. */
function identities({ identities }: Summary): [string, string][] {
  const known = Object.entries(identities).filter(([, count]) => count > 0);
  if (known.length === 0) return [];
  return [
    ['identities', known.map(([name, count]) => countOf(count, name.replace(/s$/, ''), name)).join(', ')],
  ];
}

/** Only logs that report losses have a line for them. */
function lost({ losses }: Summary): [string, string][] {
  return losses.length === 0 ? [] : [['lost', lossTexts(losses).join('; ')]];
}

function bars(values: Readonly<Record<string, number>>) {
  return Object.entries(values).map(([label, count]) => ({ label, count }));
}

function counts(values: Readonly<Record<string, number>>): string {
  return (
    Object.entries(values)
      .map(([name, count]) => `${formatCount(count)} ${printable(name, 80)}`)
      .join(', ') || 'none'
  );
}

function share(part: number, whole: number): string {
  if (part === 0 || whole === 0) return 'none';
  const percent = (100 * part) / whole;
  return `${formatCount(part)} (${percent < 0.01 ? '<0.01' : percent.toFixed(2)} %)`;
}

function span({ firstTs, lastTs }: Summary): string {
  if (firstTs === null || lastTs === null) return 'none';
  const [first, last] = [BigInt(firstTs), BigInt(lastTs)];
  const length = formatDuration(Number((last - first) / 1_000_000n));
  return `${isoTime(first)} to ${isoTime(last)} (${length})`;
}
