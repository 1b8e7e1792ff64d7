import { printable } from '../../base/printable.js';
import type { EntityType } from '../../ingest/event.js';
import { pluralOf, singularOf } from '../evidence/entity-words.js';
import { nounOf, quote, selfVerbOf, verbOf } from '../evidence/relation-words.js';
import type { Alert, AlertEvidence, AlertMoment, EntityRef, Incident } from './alert.js';
import { formatMoment } from './moment.js';

/** A comparison with fewer benign values says so. */
const FEW = 100;
const LONGEST_NAME = 72;
/** Evidence with a smaller share is left to the table. */
const LEAST_SHARE = 0.05;
const MOST_CLAUSES = 3;
/** Up to so many benign values above a value are counted; more are given as a percentage. */
const MOST_COUNTED = 9;

export type UnphrasedAlert = Omit<Alert, 'sentence'>;

/** One sentence that says what happened and how it compares with benign behaviour. */
export function phraseAlert(alert: UnphrasedAlert): string {
  const [main, ...more] = alert.evidence;
  const clauses: string[] = [];
  if (main !== undefined) clauses.push(phraseEvidence(main));
  for (const evidence of more.slice(0, MOST_CLAUSES - 1)) {
    if (evidence.share >= LEAST_SHARE)
      clauses.push(`${phraseOtherAction(alert, evidence, main)}${phraseEvidence(evidence)}`);
  }
  const { lineage } = alert;
  if (lineage !== null && lineage.inherited > lineage.own)
    clauses.unshift(`most of its score comes from ${phraseEntity(lineage.from)}, which acted on it`);
  if (alert.reasons.includes('new-relation'))
    clauses.push('it takes part in a relation that training never saw');
  const action = phraseAction(alert);
  return clauses.length === 0 ? `${action}.` : `${action}: ${clauses.join('; ')}.`;
}

/** The action of the strongest evidence: `nginx` (pid 7) executed `/tmp/x`. */
export function phraseAction(alert: Pick<Alert, 'entity' | 'evidence'>): string {
  const source = alert.evidence[0]?.source ?? null;
  if (source === null) return `${phraseSelf(alert)} stands out`;
  const { subject, relation, object } = source;
  const phrase = (end: EntityRef) => (end.id === alert.entity.id ? phraseSelf(alert) : phraseEntity(end));
  return subject.id === object.id
    ? `${phrase(subject)} ${selfVerbOf(relation, object.type)}`
    : `${phrase(subject)} ${verbOf(relation, object.type)} ${phrase(object)}`;
}

/** The name of an entity in backticks. */
function phraseEntity({ type, name }: Pick<EntityRef, 'type' | 'name'>): string {
  return name === null ? `an unnamed ${singularOf(type)}` : quote(cutMiddle(name));
}

function phraseSelf({ entity }: Pick<Alert, 'entity'>): string {
  return entity.pid === null ? phraseEntity(entity) : `${phraseEntity(entity)} (pid ${entity.pid})`;
}

/** Another action, if the evidence has a different source than the sentence began with. */
function phraseOtherAction(
  { entity }: UnphrasedAlert,
  { source }: AlertEvidence,
  main: AlertEvidence,
): string {
  if (source === null || (main.source !== null && isSameAction(source, main.source))) return '';
  const { subject, relation, object } = source;
  if (subject.id === object.id) return `it ${selfVerbOf(relation, object.type)}: `;
  const verb = verbOf(relation, object.type);
  return subject.id === entity.id
    ? `it ${verb} ${phraseEntity(object)}: `
    : `${phraseEntity(subject)} ${verb} it: `;
}

function isSameAction(
  a: NonNullable<AlertEvidence['source']>,
  b: NonNullable<AlertEvidence['source']>,
): boolean {
  return a.relation === b.relation && a.subject.id === b.subject.id && a.object.id === b.object.id;
}

const NO_BENIGN = 'no benign values to compare with';

/** How evidence compares with benign values, and what limits the comparison. */
function phraseEvidence(evidence: AlertEvidence): string {
  const { kind, relation, because, n } = evidence;
  const notes = notesOf(evidence);
  const withNotes = (text: string) => (notes.length === 0 ? text : `${text} (${notes.join(', ')})`);
  if (kind === 'reconstruction') return withNotes(`its ${nounOf(relation ?? '')} ${phraseUnlike(evidence)}`);
  if (kind === 'distance') {
    if (n === 0) return withNotes(`its distance from known behaviour has ${NO_BENIGN}`);
    return withNotes(`it is farther from known behaviour than ${phraseBenign(evidence)}`);
  }
  const comparison = n === 0 ? NO_BENIGN : `more surprising than ${phraseBenign(evidence)}`;
  if (because !== '') return `${because} (${[comparison, ...notes].join(', ')})`;
  return withNotes(
    `${kind === 'relation' ? 'this relation' : 'this'} ${n === 0 ? 'has' : 'is'} ${comparison}`,
  );
}

function notesOf({ n, draws, level }: AlertEvidence): string[] {
  const notes: string[] = [];
  if (draws > 1) notes.push(`the highest of ${formatCount(draws)}`);
  if (n > 0 && n < FEW) notes.push('few to compare with');
  if (level === 'group' || level === 'all') notes.push('compared with other relations too');
  return notes;
}

function phraseUnlike(evidence: AlertEvidence): string {
  const { n, beyond } = evidence;
  if (n === 0) return 'have no benign ones to compare with';
  if (!beyond) return `are more unusual than ${phraseShare(evidence)} benign ones`;
  return n === 1 ? 'are unlike the only benign one' : `are unlike any of ${formatCount(n)} benign ones`;
}

function phraseBenign(evidence: AlertEvidence): string {
  const { n, beyond } = evidence;
  if (!beyond) return `${phraseShare(evidence)} benign values`;
  return n === 1 ? 'the only benign value' : `all ${formatCount(n)} benign values`;
}

/** "all but 2 of 4,187", "98.0 % of 12,430": the benign values below this one, which are never all. */
function phraseShare({ n, benignQuantile }: AlertEvidence): string {
  const above = Math.max(1, n - Math.round(benignQuantile * n));
  if (above <= MOST_COUNTED && above < n) return `all but ${above} of ${formatCount(n)}`;
  const percent = benignQuantile * 100;
  const digits = percent > 99 ? 2 : 1;
  const share = Math.floor(percent * 10 ** digits) / 10 ** digits;
  return `${share.toFixed(digits)} % of ${formatCount(n)}`;
}

/** `highest` is the alert with the highest score. */
export function phraseIncident(
  incident: Pick<Incident, 'entities' | 'root' | 'host' | 'first' | 'last'>,
  highest: Pick<Alert, 'entity' | 'evidence'>,
): string {
  const counts = (Object.entries(incident.entities) as [EntityType, number][]).map(([type, count]) =>
    count === 1 ? `1 ${singularOf(type)}` : `${formatCount(count)} ${pluralOf(type)}`,
  );
  const who = counts.length > 1 ? `${counts.slice(0, -1).join(', ')} and ${counts.at(-1)}` : counts.join('');
  const host = printable(incident.host, 80);
  const span = phraseSpan(incident.first, incident.last);
  return `${who} around ${phraseEntity(incident.root)} on ${host} ${span}: ${phraseAction(highest)}.`;
}

function phraseSpan(first: AlertMoment, last: AlertMoment): string {
  const [from, to] = [formatMoment(first), formatMoment(last)];
  if (from === to) return `at ${from} UTC`;
  const [day, time] = to.split(' ');
  return `between ${from} and ${from.startsWith(day) ? time : to} UTC`;
}

/** Cuts the middle of a long name, because the ends of a path say most. */
function cutMiddle(name: string): string {
  const characters = [...printable(name, Number.POSITIVE_INFINITY)];
  if (characters.length <= LONGEST_NAME) return characters.join('');
  const side = Math.floor((LONGEST_NAME - 1) / 2);
  return `${characters.slice(0, side).join('')}…${characters.slice(-side).join('')}`;
}

function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
