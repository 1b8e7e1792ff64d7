import { z } from 'zod';

const count = z.int().nonnegative();
/** 64-bit integers are strings in JSON, because a double would round nanoseconds. */
const integer = z.string().regex(/^-?\d{1,20}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string().max(4096);

/**
 * The data and the course of a training. It shows whether two models were trained on the same data. It has no wall-clock
 * time and no thread count, so that the same training gives the same bytes.
 */
export const trainingManifestSchema = z.strictObject({
  /** The selection of events, as given. */
  selection: z.strictObject({
    split: text.nullable(),
    host: text.nullable(),
    from: integer.nullable(),
    to: integer.nullable(),
  }),
  hosts: z.array(text).max(65_536),
  /** The log files that the events come from. */
  files: z.array(z.strictObject({ name: text, sha256, split: text.nullable() })).max(1_000_000),
  firstTs: integer,
  lastTs: integer,
  events: count,
  entities: count,
  graphs: count,
  /** Summed over graphs; an entity counts in each graph that contains it. */
  nodes: count,
  neighbours: count,
  /** SHA-256 of the events, types and tokens of the training. */
  data: sha256,
  /** Graphs that did not fit into memory, the number of their blocks, and the SHA-256 of the division. */
  inParts: z.strictObject({ graphs: count, parts: count, bounds: sha256 }).optional(),
  device: z.strictObject({
    kind: z.enum(['wasm', 'reference']),
    /** `relaxed-simd` differs from `simd` in the last bits. */
    build: z.enum(['float64', 'simd', 'relaxed-simd']),
  }),
  /** Steps of Adam: one per graph and epoch. */
  steps: count,
  epochs: z.strictObject({ asked: count, done: count }),
  /** Losses of the last complete epoch; null before the first, and for a relation without masked nodes. */
  loss: z.number().nullable(),
  losses: z.array(z.number().nullable()).max(65_536),
  /** The share of masked nodes. */
  masked: z.number().nullable(),
});

export type TrainingManifest = z.output<typeof trainingManifestSchema>;
