import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { LEVELS } from '../calibration/calibration-tables.js';
import { EVIDENCE_KINDS } from '../evidence/evidence.js';
import { ROLES } from '../evidence/interaction-evidence.js';
import { SEVERITIES } from './severity.js';

/** Raised when a reader of the last version could misunderstand a file. */
export const ALERT_VERSION = 1;

/** Longest name or command line that an alert carries; what is cut ends with `…`. */
export const MOST_TEXT = 4096;
/** Interactions of the neighbourhood that an alert carries; all of them are counted. */
export const MOST_NEIGHBOURHOOD = 40;

const count = z.int().nonnegative();
const id = z.string().regex(/^[0-9a-f]{16}$/);
// The cut mark may come on top; a sentence holds several names.
const text = z.string().max(MOST_TEXT + 1);
const sentence = z.string().max(16 * 1024);
const probability = z.number().min(0).max(1);

const moment = z
  .strictObject({
    ns: z
      .string()
      .regex(/^-?\d{1,20}$/)
      .meta({ description: 'nanoseconds since 1970, exact' }),
    iso: z.string().max(40).meta({ description: 'the same in UTC, for people' }),
  })
  .meta({ id: 'moment' });

const entityRef = z
  .strictObject({
    id: text.meta({ description: 'the log’s UUID, or what stands for it in the store' }),
    type: z.enum(ENTITY_TYPES),
    name: text.nullable(),
  })
  .meta({ id: 'entityRef' });

const interaction = z
  .strictObject({
    subject: entityRef,
    relation: text.meta({ description: 'the log’s own name' }),
    object: entityRef,
    count: count.meta({ description: 'raw events' }),
    first: moment,
    last: moment,
  })
  .meta({ id: 'interaction' });

const evidence = z
  .strictObject({
    kind: z.enum(EVIDENCE_KINDS),
    role: z.enum(ROLES).nullable().meta({ description: 'in which the entity took part' }),
    relation: text.nullable().meta({ description: 'null for evidence about the entity as a whole' }),
    events: count.meta({ description: 'raw events of the entity with this relation, in this role' }),
    value: z.number().meta({ description: 'error, surprise or distance; higher is stranger' }),
    benignQuantile: probability.meta({ description: 'share of benign values below this one' }),
    p: probability.meta({ description: 'tail probability, corrected for `draws`' }),
    logP: z.number().max(0),
    n: count.meta({ description: 'benign values it was compared with' }),
    level: z.enum(LEVELS).meta({ description: 'which benign values: of this type and relation, or pooled' }),
    beyond: z.boolean().meta({ description: 'beyond every benign value' }),
    modelled: z
      .boolean()
      .default(false)
      .meta({ description: 'p comes from the model of the benign tail, not from counting' }),
    floor: z.boolean().meta({ description: 'p is the smallest that n benign values can give' }),
    draws: count.meta({ description: 'the value is the largest of so many' }),
    share: probability.meta({ description: 'of the entity’s score' }),
    because: sentence,
    source: interaction.nullable().meta({ description: 'what the value comes from' }),
  })
  .meta({ id: 'evidence' });

/** One suspicious entity in one window, with all that is known of why. */
export const alertSchema = z
  .strictObject({
    version: z.literal(ALERT_VERSION),
    id: id.meta({ description: 'the same for the same model, host, entity and window' }),
    model: text,
    host: text,
    entity: entityRef.extend({ cmd: text.nullable(), pid: count.nullable(), parent: entityRef.nullable() }),
    window: z.strictObject({ from: moment, to: moment }),
    first: moment.meta({ description: 'first event of the entity in the window' }),
    last: moment,
    score: z.number().meta({ description: '−ln of the fused tail probability' }),
    threshold: z.number(),
    empiricalP: probability,
    severity: z.enum(SEVERITIES),
    reasons: z.array(z.enum(['score', 'new-relation'])),
    sentence,
    evidence: z.array(evidence).max(65_536).meta({ description: 'by share, highest first' }),
    lineage: z
      .strictObject({
        own: z.number().meta({ description: 'the score of the entity’s own evidence' }),
        inherited: z
          .number()
          .meta({ description: 'what was passed on to it, after the price of its degree' }),
        from: entityRef.meta({ description: 'who acted on it' }),
      })
      .nullable()
      .meta({ description: 'suspicion passed on by an actor; null where none was' }),
    knn: z.strictObject({ distance: z.number().nullable(), threshold: z.number().nullable() }),
    lookAlikes: z
      .array(z.strictObject({ name: text.nullable(), type: z.enum(ENTITY_TYPES), distance: z.number() }))
      .max(16)
      .meta({ description: 'nearest benign entities' }),
    deviations: z
      .array(
        z.strictObject({
          kind: z.enum(['transition', 'token']),
          what: text.meta({ description: 'such as EVENT_READ → EVENT_EXECUTE, or a token of its name' }),
          seen: count.meta({ description: 'benign ones that have it, of all that were looked at' }),
          of: count,
        }),
      )
      .max(64),
    neighbourhood: z.strictObject({
      total: count.meta({ description: 'interactions of the entity in the window' }),
      interactions: z.array(interaction).max(MOST_NEIGHBOURHOOD).meta({ description: 'most telling first' }),
    }),
  })
  .meta({ title: 'RECAL alert', description: 'One line of alerts.jsonl.' });

/** Alerts that belong together. */
export const incidentSchema = z
  .strictObject({
    version: z.literal(ALERT_VERSION),
    id,
    model: text,
    rank: z.int().positive(),
    host: text,
    score: z.number().meta({ description: 'the highest of its alerts' }),
    prominence: z.number().meta({
      description:
        'what the rank follows: the highest, over its alerts, of the own score capped by the strangest single act',
    }),
    severity: z.enum(SEVERITIES),
    root: entityRef.meta({ description: 'where it seems to begin' }),
    first: moment,
    last: moment,
    entities: z.partialRecord(z.enum(ENTITY_TYPES), count).meta({ description: 'distinct ones, by type' }),
    alerts: z
      .array(z.strictObject({ id, entity: entityRef, score: z.number() }))
      .min(1)
      .meta({ description: 'by score, highest first' }),
    sentence,
  })
  .meta({ title: 'RECAL incident', description: 'One line of incidents.jsonl.' });

export type Alert = z.output<typeof alertSchema>;
export type Incident = z.output<typeof incidentSchema>;
export type AlertMoment = z.output<typeof moment>;
export type EntityRef = z.output<typeof entityRef>;
export type AlertInteraction = z.output<typeof interaction>;
export type AlertEvidence = z.output<typeof evidence>;
export type LookAlike = Alert['lookAlikes'][number];
export type Deviation = Alert['deviations'][number];

/** The schema as others can check it, in schema/. */
export function jsonSchemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema);
}

/** The same parts give the same identifier; whoever reads the logs again finds the alert again. */
export function stableId(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
