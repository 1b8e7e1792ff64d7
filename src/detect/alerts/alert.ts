import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { LEVELS } from '../calibration/calibration-tables.js';
import { EVIDENCE_KINDS } from '../evidence/evidence.js';
import { ROLES } from '../evidence/interaction-evidence.js';
import { SEVERITIES } from './severity.js';

/** Increased when an older reader could misunderstand a file. */
export const ALERT_VERSION = 2;

/** The longest name or command line of an alert. A cut text ends with `…`. */
export const MOST_TEXT = 4096;
/** The most processes that an incident lists; all are counted. */
export const MOST_PROCESSES = 256;
/** The most keys of new behaviours that an incident lists; all are counted. */
export const MOST_KEYS = 16_384;
/** The most root programs of an incident, programs below each, and days. */
export const MOST_TREES = 64;
export const MOST_PROGRAMS = 1024;
export const MOST_DAYS = 366;
/** The most packages that a change names. */
export const MOST_PACKAGES = 64;
/** The most interactions in the neighbourhood of an alert; all are counted. */
export const MOST_NEIGHBOURHOOD = 40;

const count = z.int().nonnegative();
const id = z.string().regex(/^[0-9a-f]{16}$/);
// One more for `…`. A sentence contains several names.
const text = z.string().max(MOST_TEXT + 1);
const sentence = z.string().max(16 * 1024);
const probability = z.number().min(0).max(1);

const moment = z
  .strictObject({
    ns: z
      .string()
      .regex(/^-?\d{1,20}$/)
      .meta({ description: 'nanoseconds since 1970' }),
    iso: z.string().max(40).meta({ description: 'the same time in UTC' }),
  })
  .meta({ id: 'moment' });

const entityRef = z
  .strictObject({
    id: text.meta({ description: 'the UUID in the log, or the key in the store' }),
    type: z.enum(ENTITY_TYPES),
    name: text.nullable(),
  })
  .meta({ id: 'entityRef' });

const interaction = z
  .strictObject({
    subject: entityRef,
    relation: text.meta({ description: 'name of the relation in the log' }),
    object: entityRef,
    count: count.meta({ description: 'number of events' }),
    first: moment,
    last: moment,
  })
  .meta({ id: 'interaction' });

const evidence = z
  .strictObject({
    kind: z.enum(EVIDENCE_KINDS),
    role: z.enum(ROLES).nullable().meta({ description: 'role of the entity in the interaction' }),
    relation: text.nullable().meta({ description: 'null for evidence about the entity as a whole' }),
    events: count.meta({ description: 'events of the entity with this relation and role' }),
    value: z.number().meta({ description: 'error, surprise or distance; higher is more suspicious' }),
    benignQuantile: probability.meta({ description: 'share of benign values below this one' }),
    p: probability.meta({ description: 'tail probability, corrected for `draws`' }),
    logP: z.number().max(0),
    n: count.meta({
      description: 'number of benign values in the comparison, or of entities if they are few',
    }),
    level: z
      .enum(LEVELS)
      .meta({ description: 'benign values in the comparison: of this entity type and relation, or of more' }),
    beyond: z.boolean().meta({ description: 'true above every benign value' }),
    modelled: z
      .boolean()
      .default(false)
      .meta({ description: 'true if p comes from the tail model, not from counting' }),
    floor: z.boolean().meta({ description: 'true if p is the smallest that n benign values can give' }),
    draws: count.meta({ description: 'number of values that this one is the largest of' }),
    share: probability.meta({ description: 'share of the entity’s score' }),
    because: sentence.meta({ description: 'explanation of the value; may be empty' }),
    source: interaction.nullable().meta({ description: 'interaction that gave the value' }),
  })
  .meta({ id: 'evidence' });

/** A suspicious entity in one window, with its evidence. */
export const alertSchema = z
  .strictObject({
    version: z.literal(ALERT_VERSION),
    id: id.meta({ description: 'depends only on the model, host, entity and window' }),
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
    evidence: z.array(evidence).max(65_536).meta({ description: 'largest share first' }),
    lineage: z
      .strictObject({
        own: z.number().meta({ description: 'score of the entity’s own evidence' }),
        inherited: z
          .number()
          .meta({ description: 'score inherited from the actor, corrected for the number of choices' }),
        from: entityRef.meta({ description: 'the actor' }),
      })
      .nullable()
      .meta({ description: 'suspicion inherited from an actor, or null' }),
    knn: z.strictObject({ distance: z.number().nullable(), threshold: z.number().nullable() }),
    lookAlikes: z
      .array(z.strictObject({ name: text.nullable(), type: z.enum(ENTITY_TYPES), distance: z.number() }))
      .max(16)
      .meta({ description: 'nearest benign entities, nearest first' }),
    deviations: z
      .array(
        z.strictObject({
          kind: z.enum(['transition', 'token']),
          what: text.meta({
            description: 'a transition such as EVENT_READ → EVENT_EXECUTE, or a token of the name',
          }),
          seen: count.meta({ description: 'training instances with this feature' }),
          of: count.meta({ description: 'all training instances' }),
        }),
      )
      .max(64),
    neighbourhood: z.strictObject({
      total: count.meta({ description: 'interactions of the entity in the window' }),
      interactions: z.array(interaction).max(MOST_NEIGHBOURHOOD).meta({ description: 'most relevant first' }),
    }),
  })
  .meta({ title: 'RECAL alert', description: 'One line of alerts.jsonl.' });

/** A 64-bit key of a program, or of a program and what it did. */
const behaviourKey = z.string().regex(/^[0-9a-f]{16}$/);

/** Process trees below one program, as a person may accept them. */
export const acceptedTreesSchema = z.strictObject({
  root: behaviourKey.meta({ description: 'program of the roots' }),
  programs: z.array(behaviourKey).max(MOST_PROGRAMS).meta({ description: 'programs that ran in the trees' }),
  learned: z.number().meta({ description: 'highest learned score of a tree' }),
});

/** A group of related alerts. */
export const incidentSchema = z
  .strictObject({
    version: z.literal(ALERT_VERSION),
    id,
    model: text,
    rank: z.int().positive(),
    host: text,
    score: z.number().meta({ description: 'highest score of its alerts' }),
    prominence: z.number().meta({
      description:
        'order of the rank: the highest own score of its alerts, capped by their most surprising action',
    }),
    severity: z.enum(SEVERITIES),
    root: entityRef.meta({ description: 'entity where the incident probably began' }),
    first: moment,
    last: moment,
    entities: z
      .partialRecord(z.enum(ENTITY_TYPES), count)
      .meta({ description: 'number of distinct entities by type' }),
    alerts: z
      .array(z.strictObject({ id, entity: entityRef, score: z.number() }))
      .meta({ description: 'highest score first' }),
    sentence,
    episode: z
      .strictObject({
        count: count.meta({ description: 'number of process trees that repeat or have one cause' }),
        novelty: z.number().meta({ description: 'part of the score that comes from what is new, in nats' }),
        learned: z.number().meta({ description: 'part of the score that comes from learned scores' }),
        falsePerDay: z
          .number()
          .nonnegative()
          .meta({ description: 'incidents of at least this score per benign host and day' }),
        sure: z
          .enum(['resolved', 'extrapolated', 'unresolved'])
          .meta({ description: 'how sure falsePerDay is' }),
        change: z
          .strictObject({
            manager: text.meta({ description: 'the package manager' }),
            packages: z.array(text).max(MOST_PACKAGES).meta({ description: 'from its command lines' }),
            action: text.meta({ description: 'installed, upgraded, removed or changed software' }),
            newPrograms: count.meta({ description: 'programs that ran for the first time' }),
          })
          .nullable()
          .default(null)
          .meta({ description: 'the software change that the incident is; null if it is more than that' }),
        acts: z
          .array(
            z.strictObject({
              at: moment.nullable(),
              what: sentence,
              command: text
                .nullable()
                .default(null)
                .meta({ description: 'command line of the process that did it' }),
              surprise: z.number().default(0).meta({ description: 'in nats' }),
              main: z
                .boolean()
                .default(false)
                .meta({ description: 'whether it is one of the two that say most' }),
              usual: z.strictObject({ fresh: count, all: count }).nullable().default(null).meta({
                description:
                  'behaviours of this kind and program that were new in calibration, and all; null if few',
              }),
            }),
          )
          .max(16)
          .meta({ description: 'the strongest new acts of the trees, in order of time' }),
        processes: z
          .array(
            z.strictObject({
              entity: entityRef,
              pid: count.nullable(),
              score: z.number().meta({ description: 'learned score of the process' }),
            }),
          )
          .max(MOST_PROCESSES)
          .meta({ description: 'processes of the trees, the highest tree first' }),
        processCount: count,
        behaviours: z
          .strictObject({
            keys: z
              .array(behaviourKey)
              .max(MOST_KEYS)
              .meta({ description: 'what is new: programs, places, addresses and acts, coarse ones first' }),
            keyCount: count,
            trees: z.array(acceptedTreesSchema).max(MOST_TREES),
            newAddress: z
              .boolean()
              .meta({ description: 'whether it contacted an address that no one used before' }),
            days: z
              .array(z.iso.date())
              .max(MOST_DAYS)
              .meta({ description: 'days on which its trees began, in UTC' }),
          })
          .meta({ description: 'what recal accept makes known, as keys' }),
      })
      .nullable()
      .meta({ description: 'the process trees of the incident; null where single nodes are judged' }),
    flood: z
      .strictObject({
        incidents: count.meta({ description: 'similar incidents that this one represents' }),
        alerts: count.meta({ description: 'their alerts, including those that were not kept' }),
      })
      .optional()
      .meta({ description: 'only for an incident that stands for a flood of one kind' }),
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

/** An id that depends only on the given texts, so that alerts keep their ids when the logs are scored again. */
export function stableId(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
}

/** The id of the alert that a model raises about an entity in the graph that begins at `from`. */
export function alertId(model: string, host: string, entity: string, from: bigint): string {
  return stableId(model, host, entity, String(from));
}
