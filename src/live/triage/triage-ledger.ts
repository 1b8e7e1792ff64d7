import { join } from 'node:path';
import { z } from 'zod';
import { Ledger } from '../../base/files/ledger.js';
import { SEVERITIES } from '../../detect/alerts/severity.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { AlertFolders } from '../../report/detection/alert-folders.js';

export const VERDICTS = ['benign', 'malicious', 'unsure'] as const;
export type Verdict = (typeof VERDICTS)[number];

const id = z.string().regex(/^[0-9a-f]{16}$/);
const text = z.string().max(4097);
const decision = { version: z.literal(1), id, author: text, time: z.iso.datetime() };

/** An incident as it was at the time of the verdict: later runs may no longer have it. */
const snapshot = z.strictObject({
  id,
  host: text,
  model: text,
  rank: z.int().positive(),
  score: z.number(),
  severity: z.enum(SEVERITIES),
  title: z.string().max(9000),
  sentence: z.string().max(16 * 1024),
  /** Milliseconds since 1970. */
  first: z.number(),
  last: z.number(),
  root: z.strictObject({ id: text, type: z.enum(ENTITY_TYPES), name: text.nullable() }),
});

const rule = z.discriminatedUnion('by', [
  /** The root, or every alert, is the entity with this id or exact name. */
  z.strictObject({ by: z.literal('entity'), entity: text }),
  /** The name of the root, or of the entity of every alert, matches this glob. */
  z.strictObject({ by: z.literal('path'), glob: text }),
  /** The root is the parent or the child, and an alert shows the relation between them. Names are globs. */
  z.strictObject({ by: z.literal('start'), parent: text, relation: text, child: text }),
]);

const suppression = z.strictObject({
  kind: z.literal('suppress'),
  ...decision,
  owner: text,
  reason: text,
  expires: z.iso.datetime(),
  /** Glob of host names. */
  host: text.nullable(),
  rule,
});

const entrySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('verdict'),
    ...decision,
    incident: snapshot,
    verdict: z.enum(VERDICTS),
    /** Whether the incident is closed. */
    closed: z.boolean(),
    note: text,
  }),
  suppression,
  z.strictObject({ kind: z.literal('unsuppress'), ...decision, suppression: id, reason: text }),
]);

export type TriageEntry = z.output<typeof entrySchema>;
export type VerdictEntry = Extract<TriageEntry, { kind: 'verdict' }>;
export type Suppression = Omit<z.output<typeof suppression>, 'kind' | 'version'>;
export type SuppressionRule = z.output<typeof rule>;

/** The ledger of decisions about incidents. It is also the audit log. */
export function triageLedger(path: string): Ledger<TriageEntry> {
  return new Ledger<TriageEntry>(path, entrySchema);
}

/** Where decisions are kept: as asked, or beside the store, or in the alerts folder if the store is unknown. */
export function triagePath({
  triage,
  store,
  folders = [],
}: {
  readonly triage?: string | undefined;
  readonly store?: string | undefined;
  readonly folders?: AlertFolders['folders'];
}): string | undefined {
  if (triage !== undefined) return triage;
  const known = store ?? folders.find(({ run }) => run.store !== null)?.run.store ?? undefined;
  if (known !== undefined) return `${known.replace(/[\\/]+$/, '')}.triage.jsonl`;
  return folders.length === 0 ? undefined : join(folders[0].folder, 'triage.jsonl');
}

/** The current state of all decisions. */
export class TriageState {
  readonly entries: readonly TriageEntry[];
  readonly tornBytes: number;
  /** The decisions about each incident, oldest first. */
  readonly verdicts = new Map<string, VerdictEntry[]>();
  readonly suppressions: readonly (Suppression & { readonly removed: boolean })[];

  constructor(entries: readonly TriageEntry[], tornBytes = 0) {
    this.entries = entries;
    this.tornBytes = tornBytes;
    const removed = new Set(
      entries.flatMap((each) => (each.kind === 'unsuppress' ? [each.suppression] : [])),
    );
    this.suppressions = entries.flatMap((entry) => {
      if (entry.kind !== 'suppress') return [];
      const { kind: _, version: __, ...rest } = entry;
      return [{ ...rest, removed: removed.has(entry.id) }];
    });
    for (const entry of entries) {
      if (entry.kind !== 'verdict') continue;
      this.verdicts.set(entry.incident.id, [...(this.verdicts.get(entry.incident.id) ?? []), entry]);
    }
  }

  /** Without a path, nothing was decided. */
  static async read(path: string | undefined): Promise<TriageState> {
    if (path === undefined) return new TriageState([]);
    const { entries, tornBytes } = await triageLedger(path).read();
    return new TriageState(entries, tornBytes);
  }

  /** Suppressions that are active at a time. */
  active(now: Date): Suppression[] {
    return this.suppressions.filter(
      ({ removed, expires }) => !removed && Date.parse(expires) > now.getTime(),
    );
  }
}
