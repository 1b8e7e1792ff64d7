import { globMatcher } from '../../base/glob-match.js';
import type { Alert, EntityRef, Incident } from '../../detect/alerts/alert.js';
import type { Suppression, SuppressionRule } from './triage-ledger.js';

type AlertOf = (id: string) => Alert | undefined;
/** What a rule looks at. */
export type Suppressible = Pick<Incident, 'host' | 'root' | 'alerts'>;

/** The first suppression that covers an incident; undefined if none does. */
export function findSuppression(
  incident: Suppressible,
  suppressions: readonly Suppression[],
  alertOf: AlertOf,
): Suppression | undefined {
  return suppressions.find(({ host, rule }) => isOn(host, incident) && covers(rule, incident, alertOf));
}

/**
 * Whether a suppression could cover an incident whose alerts are not known yet. `touched` has its processes and everything
 * that they acted on: the entities that an alert can be about.
 */
export function couldCover(
  { host, rule }: Suppression,
  incident: Suppressible,
  touched: readonly EntityRef[],
): boolean {
  if (!isOn(host, incident)) return false;
  const all = [incident.root, ...touched];
  if (rule.by === 'entity') return all.some(isEntity(rule.entity));
  if (rule.by === 'path') return all.some(isPath(rule.glob));
  const [isParent, isChild] = [isPath(rule.parent), isPath(rule.child)];
  const isRoot = isParent(incident.root) || isChild(incident.root);
  return isRoot && all.some(isParent) && all.some(isChild);
}

function isOn(host: string | null, incident: Suppressible): boolean {
  return host === null || globMatcher(host)(incident.host);
}

/** One alert that matches is not enough: otherwise an intruder could hide by touching what is suppressed. */
function covers(rule: SuppressionRule, incident: Suppressible, alertOf: AlertOf): boolean {
  if (rule.by === 'start') return showsStart(rule, incident, alertOf);
  const matches = rule.by === 'entity' ? isEntity(rule.entity) : isPath(rule.glob);
  const { root, alerts } = incident;
  return matches(root) || (alerts.length > 0 && alerts.every(({ entity }) => matches(entity)));
}

function isEntity(wanted: string): (entity: EntityRef) => boolean {
  return ({ id, name }) => id === wanted || name === wanted;
}

function isPath(glob: string): (entity: EntityRef) => boolean {
  const matches = globMatcher(glob);
  return ({ name }) => name !== null && matches(name);
}

function showsStart(
  { parent, relation, child }: Extract<SuppressionRule, { by: 'start' }>,
  { root, alerts }: Suppressible,
  alertOf: AlertOf,
): boolean {
  const [isParent, isChild] = [isPath(parent), isPath(child)];
  if (!isParent(root) && !isChild(root)) return false;
  return alerts.some(({ id }) =>
    alertOf(id)?.neighbourhood.interactions.some(
      (each) => each.relation === relation && isParent(each.subject) && isChild(each.object),
    ),
  );
}
