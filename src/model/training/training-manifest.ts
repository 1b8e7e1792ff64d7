import { z } from 'zod';

const count = z.int().nonnegative();
/** 64-bit integers are strings in JSON: a double would round nanoseconds. */
const integer = z.string().regex(/^-?\d{1,20}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string().max(4096);

/**
 * What a model was trained on and how it went: enough to tell whether two models saw the same, and to notice one that
 * saw something it should not have. No wall-clock time, no thread count: the same training gives the same bytes.
 */
export const trainingManifestSchema = z.strictObject({
  /** As asked for. */
  selection: z.strictObject({
    split: text.nullable(),
    host: text.nullable(),
    from: integer.nullable(),
    to: integer.nullable(),
  }),
  hosts: z.array(text).max(65_536),
  /** Log files of the ingests that the events come from. */
  files: z.array(z.strictObject({ name: text, sha256, split: text.nullable() })).max(1_000_000),
  firstTs: integer,
  lastTs: integer,
  events: count,
  entities: count,
  graphs: count,
  /** Over graphs: the same entity counts in each. */
  nodes: count,
  neighbours: count,
  /** SHA-256 of the events, types and tokens that training read. */
  data: sha256,
  /** Graphs too large for the memory, into how many parts they were cut, and SHA-256 of where; only if there were any. */
  inParts: z.strictObject({ graphs: count, parts: count, bounds: sha256 }).optional(),
  device: z.strictObject({
    kind: z.enum(['wasm', 'reference']),
    /** `relaxed-simd` differs from `simd` in the last bits. */
    build: z.enum(['float64', 'simd', 'relaxed-simd']),
  }),
  /** Steps of Adam; one a graph and epoch. */
  steps: count,
  epochs: z.strictObject({ asked: count, done: count }),
  /** Of the last whole epoch; null before the first, and for a relation no masked node of which had a neighbour. */
  loss: z.number().nullable(),
  losses: z.array(z.number().nullable()).max(65_536),
  /** Realised share of masked nodes. */
  masked: z.number().nullable(),
});

export type TrainingManifest = z.output<typeof trainingManifestSchema>;
