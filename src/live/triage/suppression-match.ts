import { globMatcher } from '../../base/glob-match.js';
import type { Alert, EntityRef, Incident } from '../../detect/alerts/alert.js';
import type { Suppression, SuppressionRule } from './triage-ledger.js';

type AlertOf = (id: string) => Alert | undefined;

/** The first suppression that covers an incident; undefined if none does. */
export function findSuppression(
  incident: Incident,
  suppressions: readonly Suppression[],
  alertOf: AlertOf,
): Suppression | undefined {
  return suppressions.find(
    ({ host, rule }) =>
      (host === null || globMatcher(host)(incident.host)) && covers(rule, incident, alertOf),
  );
}

/** One alert that matches is not enough: otherwise an intruder could hide by touching what is suppressed. */
function covers(rule: SuppressionRule, incident: Incident, alertOf: AlertOf): boolean {
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
  { root, alerts }: Incident,
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
