import { printable } from '../../base/printable.js';
import type { AlertEvidence } from '../../detect/alerts/alert.js';
import { formatCount } from './quantities.js';
import { type Look, renderTable } from './tables.js';

/** The table marks evidence with fewer benign values. */
const FEW = 100;

const POOLED: Readonly<Record<AlertEvidence['level'], string>> = {
  type: '',
  slot: 'entities of all types',
  group: 'all relations in this role',
  all: 'all relations',
};

/** The evidence of an alert in numbered rows, followed by the reasons for the values. */
export function renderEvidence(evidence: readonly AlertEvidence[], look: Look): string[] {
  if (evidence.length === 0) return ['no evidence: the score is 0'];
  const [level, ...others] = new Set(evidence.map((each) => each.level));
  // The same note on every row says less than one line below them.
  const pooled =
    others.length > 0 || evidence.length === 1 || POOLED[level] === ''
      ? ''
      : `benign values: ${POOLED[level]}`;
  const rows = evidence.map((each, i) => [
    `${i + 1}`,
    each.kind,
    each.relation ?? '-',
    each.role ?? '-',
    each.events,
    formatValue(each.value),
    each.beyond ? 'all' : `${formatShare(each.benignQuantile)}`,
    each.n,
    formatProbability(each.logP),
    `${(each.share * 100).toFixed(1)} %`,
    notesOf(each, pooled === '').join('; '),
  ]);
  const headings = [
    '#',
    'evidence',
    'relation',
    'role',
    'events',
    'value',
    'beyond',
    'benign',
    'p',
    'share',
    '',
  ];
  const numbers = new Map<string, string[]>();
  for (const [i, { because }] of evidence.entries()) {
    if (because !== '') numbers.set(because, [...(numbers.get(because) ?? []), `#${i + 1}`]);
  }
  const reasons = Array.from(numbers, ([because, of]) => `${of.join(' ')} ${printable(because)}`);
  return [...renderTable(headings, rows, look), ...(pooled === '' ? [] : [pooled]), ...reasons];
}

function notesOf({ floor, modelled, level, n, draws }: AlertEvidence, namesPool: boolean): string[] {
  const notes: string[] = [];
  if (floor) notes.push('p cannot be smaller');
  else if (modelled) notes.push('p from the tail model');
  if (draws > 1) notes.push(`largest of ${formatCount(draws)}`);
  if (namesPool && POOLED[level] !== '') notes.push(`benign: ${POOLED[level]}`);
  if (n < FEW) notes.push('few benign values');
  return notes;
}

function formatValue(value: number): string {
  return Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-3)
    ? value.toExponential(2)
    : value.toFixed(3);
}

/** Rounds down, so that 99.9999 % does not become 100 %. */
function formatShare(share: number): string {
  return `${(Math.floor(share * 1e5) / 1e3).toFixed(3)} %`;
}

/** Formats p from ln p, because the smallest p are below the range of a double. */
export function formatProbability(logP: number): string {
  if (logP > Math.log(1e-3)) return Math.exp(logP).toFixed(4);
  if (logP === Number.NEGATIVE_INFINITY) return '0';
  const exponent = Math.floor(logP / Math.LN10);
  const digits = Math.exp(logP - exponent * Math.LN10);
  // 9.96 would be printed as 10.0.
  return digits >= 9.95 ? `1.0e${exponent + 1}` : `${digits.toFixed(1)}e${exponent}`;
}
