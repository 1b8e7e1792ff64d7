import { printable } from '../../base/printable.js';
import type { EntityType } from '../../ingest/event.js';
import { quote, verbOf } from '../evidence/name-sentences.js';
import type { Alert, AlertEvidence, AlertMoment, EntityRef, Incident } from './alert.js';
import { formatMoment } from './moment.js';

/** Fewer benign values than this are worth a word. */
const FEW = 100;
const LONGEST_NAME = 72;
/** Evidence that weighs less is left to the table. */
const LEAST_SHARE = 0.05;
const MOST_CLAUSES = 3;

export type UnphrasedAlert = Omit<Alert, 'sentence'>;

/** One sentence that says who did what, and how that compares with benign behaviour. */
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
    clauses.unshift(`${phraseEntity(lineage.from)}, which acted on it, is more suspicious than itself`);
  if (alert.reasons.includes('new-relation'))
    clauses.push('training never met a relation that it takes part in');
  const what = phraseAction(alert);
  return clauses.length === 0 ? `${what}.` : `${what}: ${clauses.join('; ')}.`;
}

/** Who did what, as far as the strongest evidence says. */
export function phraseAction(alert: Pick<Alert, 'entity' | 'evidence'>): string {
  const source = alert.evidence[0]?.source ?? null;
  if (source === null) return `${phraseSelf(alert)} stands out`;
  const [subject, object] = [source.subject, source.object].map((end) =>
    end.id === alert.entity.id ? phraseSelf(alert) : phraseEntity(end),
  );
  return `${subject} ${verbOf(source.relation)} ${object}`;
}

/** An entity by its name, between backticks. */
export function phraseEntity({ type, name }: Pick<EntityRef, 'type' | 'name'>): string {
  return name === null ? `a nameless ${type}` : quote(cutMiddle(name));
}

function phraseSelf({ entity }: Pick<Alert, 'entity'>): string {
  return entity.pid === null ? phraseEntity(entity) : `${phraseEntity(entity)} (pid ${entity.pid})`;
}

/** A further deed, where the evidence comes from another one than the sentence began with. */
function phraseOtherAction(
  { entity }: UnphrasedAlert,
  { source }: AlertEvidence,
  main: AlertEvidence,
): string {
  if (source === null || (main.source !== null && sameDeed(source, main.source))) return '';
  const verb = verbOf(source.relation);
  return source.subject.id === entity.id
    ? `it ${verb} ${phraseEntity(source.object)}, `
    : `${phraseEntity(source.subject)} ${verb} it, `;
}

function sameDeed(a: NonNullable<AlertEvidence['source']>, b: NonNullable<AlertEvidence['source']>): boolean {
  return a.relation === b.relation && a.subject.id === b.subject.id && a.object.id === b.object.id;
}

/** How a piece of evidence compares with benign ones. Says where there is little to compare with. */
export function phraseEvidence(evidence: AlertEvidence): string {
  const { because } = evidence;
  const comparison = `${phraseMeasure(evidence)} ${phraseBenign(evidence)}`;
  return because === '' ? comparison : `${because}, ${comparison}`;
}

function phraseMeasure({ kind, relation, because }: AlertEvidence): string {
  switch (kind) {
    case 'reconstruction':
      return `its part in ${quote(relation ?? '')} fits what was learned worse than`;
    case 'name':
      return because === '' ? 'that name is more surprising than' : 'more surprising than';
    case 'relation':
      return because === '' ? 'that this was done is more surprising than' : 'more surprising than';
    case 'distance':
      return 'it lies farther from known behaviour than';
  }
}

function phraseBenign({ n, beyond, benignQuantile, level, draws }: AlertEvidence): string {
  if (n === 0) return 'anything, because there is nothing benign to compare with';
  const values = `${formatCount(n)} benign ${n === 1 ? 'value' : 'values'}`;
  const share = beyond ? `all ${values}` : `${formatShare(benignQuantile)} of ${values}`;
  const notes: string[] = [];
  if (draws > 1) notes.push(`the most of ${formatCount(draws)}`);
  if (n < FEW) notes.push('few to compare with');
  if (level === 'group' || level === 'all') notes.push('of other relations too, for want of this one');
  return notes.length === 0 ? share : `${share} (${notes.join(', ')})`;
}

const PLURALS: Readonly<Record<EntityType, string>> = {
  process: 'processes',
  file: 'files',
  flow: 'network flows',
  pipe: 'pipes',
  memory: 'memory regions',
  registry: 'registry keys',
  principal: 'users',
  module: 'modules',
  srcsink: 'devices',
  other: 'other entities',
};
const SINGULARS: Partial<Record<EntityType, string>> = {
  flow: 'network flow',
  memory: 'memory region',
  registry: 'registry key',
  principal: 'user',
  srcsink: 'device',
  other: 'other entity',
};

/** `highest` is the alert with the highest score. */
export function phraseIncident(
  incident: Pick<Incident, 'entities' | 'root' | 'host' | 'first' | 'last'>,
  highest: Pick<Alert, 'entity' | 'evidence'>,
): string {
  const counts = (Object.entries(incident.entities) as [EntityType, number][]).map(([type, count]) =>
    count === 1 ? `1 ${SINGULARS[type] ?? type}` : `${formatCount(count)} ${PLURALS[type]}`,
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

/** A path says most at its ends. */
function cutMiddle(name: string): string {
  const characters = [...printable(name, Number.POSITIVE_INFINITY)];
  if (characters.length <= LONGEST_NAME) return characters.join('');
  const side = Math.floor((LONGEST_NAME - 1) / 2);
  return `${characters.slice(0, side).join('')}…${characters.slice(-side).join('')}`;
}

function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Rounded down: 99.999 % must not become all. */
function formatShare(share: number): string {
  const percent = share * 100;
  const digits = percent > 99.9 ? 3 : percent > 90 ? 2 : 1;
  return `${(Math.floor(percent * 10 ** digits) / 10 ** digits).toFixed(digits)} %`;
}
