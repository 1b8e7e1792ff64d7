import { actionNumber } from '../../actions.js';
import { EVENT_TABLE, type EventRule, IMAGE_RULE, type ObjectRule } from './event-table.js';
import { type DataField, type FieldGroup, type Fields, fieldGroup } from './fields.js';

let rules = 0;

/** A rule of the event table as the writer needs it. All rules have the same fields, because V8 reads those much faster. */
export class Rule {
  /** The number of rules before it. */
  readonly number = rules++;
  readonly relation: string;
  /** The number of the action in a batch. */
  readonly action: number;
  readonly flow: EventRule['flow'];
  readonly subject: EventRule['subject'];
  readonly object: ObjectRule | undefined;
  /** As in a batch: 1 if Sysmon blocked the action, otherwise 0. */
  readonly ok: number;
  readonly attributes: FieldGroup | undefined;

  constructor(rule: EventRule) {
    this.relation = rule.relation;
    this.action = actionNumber(rule.action);
    this.flow = rule.flow;
    this.subject = rule.subject;
    this.object = rule.object;
    this.ok = rule.ok === false ? 1 : 0;
    this.attributes = rule.attributes === undefined ? undefined : fieldGroup(...rule.attributes);
  }
}

/** The rules of an event id: by the value of a field, and for all other values. */
class Entry {
  readonly rule: Rule;
  readonly field: DataField | undefined;
  readonly variants: ReadonlyMap<string, Rule>;

  constructor({ rule, choose }: (typeof EVENT_TABLE)[number]) {
    this.rule = new Rule(rule);
    this.field = choose?.field;
    this.variants = new Map(
      Object.entries(choose?.variants ?? {}).map(([value, variant]) => [value, new Rule(variant)]),
    );
  }
}

const ENTRIES: Entry[] = [];
for (const [id, entry] of Object.entries(EVENT_TABLE)) ENTRIES[Number(id)] = new Entry(entry);

/** The program that a new process runs, as an event of its own. */
export const IMAGE = new Rule(IMAGE_RULE);

/** Returns the rule of an event id in the table for a record. */
export function ruleOf(eventId: number, fields: Fields): Rule {
  const { rule, field, variants } = ENTRIES[eventId];
  return field === undefined ? rule : (variants.get(fields.text(field)) ?? rule);
}
