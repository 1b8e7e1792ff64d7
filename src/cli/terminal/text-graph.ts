import { printable } from '../../base/printable.js';
import type { Alert, AlertInteraction, EntityRef } from '../../detect/alerts/alert.js';
import { cutTo } from './columns.js';
import { formatCount } from './quantities.js';
import type { Look } from './tables.js';

const LONGEST_NAME = 120;

interface Bundle {
  readonly other: EntityRef;
  /** True where the alert's entity acts. */
  readonly acts: boolean;
  readonly relations: string[];
}

export interface TextGraphOptions {
  /** Lines for neighbours; what is left out is counted. */
  readonly most?: number;
  /** A word to put behind an entity, by its identifier: `alert #2`. */
  readonly marks?: ReadonlyMap<string, string>;
}

/** An alert's entity, its parent, and what it had to do with, one line a neighbour; most telling first. */
export function renderTextGraph(alert: Alert, look: Look, options: TextGraphOptions = {}): string[] {
  const { most = 12, marks } = options;
  const { entity, neighbourhood } = alert;
  const signs = look.unicode
    ? { branch: '├─', end: '└─', out: '→', in: '←', times: '×', more: '…' }
    : { branch: '|-', end: '`-', out: '->', in: '<-', times: 'x', more: '...' };
  const show = (ref: EntityRef): string => {
    const mark = marks?.get(ref.id);
    return `${nameOf(ref)} (${ref.type})${mark === undefined ? '' : ` [${mark}]`}`;
  };
  const bundles = bundle(entity.id, neighbourhood.interactions, signs.times);
  const shown = bundles.slice(0, most);
  const told = shown.reduce((sum, { relations }) => sum + relations.length, 0);
  const lines = shown.map(
    ({ other, acts, relations }) => `${relations.join(', ')} ${acts ? signs.out : signs.in} ${show(other)}`,
  );
  const left = neighbourhood.total - told;
  if (left > 0) lines.push(`${signs.more} ${formatCount(left)} more interactions`);
  const pid = entity.pid === null ? '' : `, pid ${entity.pid}`;
  const self = `${nameOf(entity)} (${entity.type}${pid})`;
  const mark = marks?.get(entity.id);
  return [
    ...(entity.parent === null ? [] : [`parent ${show(entity.parent)}`]),
    mark === undefined ? self : `${self} [${mark}]`,
    ...lines.map((line, i) => `${i === lines.length - 1 ? signs.end : signs.branch} ${line}`),
  ].map((line) => cutTo(line, look.width, look.unicode ? '…' : '~'));
}

/** One bundle a neighbour and direction, in the order of its first interaction. */
function bundle(self: string, interactions: readonly AlertInteraction[], times: string): Bundle[] {
  const found = new Map<string, Bundle>();
  for (const { subject, relation, object, count } of interactions) {
    const acts = subject.id === self;
    const other = acts ? object : subject;
    const key = JSON.stringify([other.id, acts]);
    const known = found.get(key) ?? { other, acts, relations: [] };
    found.set(key, known);
    known.relations.push(
      count === 1 ? printable(relation, 80) : `${printable(relation, 80)} ${times}${formatCount(count)}`,
    );
  }
  return [...found.values()];
}

function nameOf({ name, id }: EntityRef): string {
  return printable(name ?? id, LONGEST_NAME);
}
