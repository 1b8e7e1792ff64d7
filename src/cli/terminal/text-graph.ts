import { printable } from '../../base/printable.js';
import type { Alert, AlertInteraction, EntityRef } from '../../detect/alerts/alert.js';
import { cutTo } from './columns.js';
import { formatCount } from './quantities.js';
import type { Look } from './tables.js';

const MAX_NAME_LENGTH = 120;

/** All relations with one neighbour in one direction. */
interface Bundle {
  readonly other: EntityRef;
  /** Whether the alert's entity is the subject. */
  readonly acts: boolean;
  readonly relations: string[];
}

export interface TextGraphOptions {
  /** Maximum number of lines for neighbours. A last line counts the rest. */
  readonly most?: number;
  /** Labels to print after entities, by identifier, such as `alert #2`. */
  readonly marks?: ReadonlyMap<string, string>;
}

/** Draws an alert's entity, its parent and its neighbours, one line per neighbour. */
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
  const printed = shown.reduce((sum, { relations }) => sum + relations.length, 0);
  const lines = shown.map(
    ({ other, acts, relations }) => `${relations.join(', ')} ${acts ? signs.out : signs.in} ${show(other)}`,
  );
  const left = neighbourhood.total - printed;
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

/** One bundle per neighbour and direction, in the order of its first interaction. */
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
  return printable(name ?? id, MAX_NAME_LENGTH);
}
