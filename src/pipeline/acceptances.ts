import { z } from 'zod';
import { EXIT, RecalError } from '../base/errors.js';
import { Ledger } from '../base/files/ledger.js';
import { printable } from '../base/printable.js';
import { acceptedTreesSchema, MOST_KEYS, MOST_TREES, stableId } from '../detect/alerts/alert.js';
import { AcceptedBehaviours } from '../detect/episodes/novelty/accepted-behaviours.js';

const id = z.string().regex(/^[0-9a-f]{16}$/);
const text = z.string().max(4097);
const decision = { version: z.literal(1), id, author: text, reason: text, time: z.iso.datetime() };

const acceptedSchema = z.strictObject({
  kind: z.literal('accept'),
  ...decision,
  incident: id,
  host: text,
  /** The model that raised the incident. Its keys are valid for any model. */
  model: text,
  sentence: z.string().max(16 * 1024),
  keys: z.array(id).max(MOST_KEYS),
  trees: z.array(acceptedTreesSchema).max(MOST_TREES),
});

const entrySchema = z.discriminatedUnion('kind', [
  acceptedSchema,
  z.strictObject({ kind: z.literal('undo'), ...decision, undoes: id }),
]);

type Entry = z.output<typeof entrySchema>;
type AcceptEntry = z.output<typeof acceptedSchema>;

/** One decision of a person that an incident is harmless. */
export interface Accepted extends Omit<AcceptEntry, 'kind' | 'version'> {
  /** Null unless it was undone. */
  readonly undone: { readonly author: string; readonly reason: string; readonly time: string } | null;
}

/** Who decided something, why and when. */
export interface DecisionBy {
  readonly author: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly time: string;
}

/** The acceptances beside a model, in the order in which they were made. */
export interface Acceptances {
  readonly path: string;
  readonly accepted: readonly Accepted[];
  /** Bytes of a last line that its writer did not finish. */
  readonly tornBytes: number;
}

/** The file of acceptances beside a model. A new model in the same place keeps them. */
export function acceptancesPath(model: string): string {
  return `${model}.accepted.jsonl`;
}

/** Reads the acceptances beside a model, also those that were undone. */
export async function readAcceptances(model: string): Promise<Acceptances> {
  const path = acceptancesPath(model);
  const { entries, tornBytes } = await new Ledger(path, entrySchema).read();
  return { path, accepted: foldEntries(entries), tornBytes };
}

/** The behaviours that were accepted beside these models and not undone. */
export async function readAcceptedBehaviours(models: readonly string[]): Promise<AcceptedBehaviours> {
  const read = await Promise.all(models.map(readAcceptances));
  return new AcceptedBehaviours(
    read.flatMap(({ accepted }) => accepted.filter(({ undone }) => undone === null)),
  );
}

/** Adds acceptances. An incident with the same keys that is already accepted is not added again. */
export async function addAcceptances(
  model: string,
  incidents: readonly Omit<AcceptEntry, 'kind' | 'version' | 'id' | keyof DecisionBy>[],
  by: DecisionBy,
): Promise<readonly Accepted[]> {
  const ledger = new Ledger<Entry>(acceptancesPath(model), entrySchema);
  const added = await ledger.append((entries) => {
    const standing = foldEntries(entries).filter(({ undone }) => undone === null);
    const known = new Set(standing.map(signOf));
    return incidents
      .filter((each) => !known.has(signOf(each)))
      .map((each, i) => ({
        kind: 'accept',
        version: 1,
        id: stableId('accept', each.incident, String(entries.length + i), by.time),
        ...each,
        ...by,
      }));
  });
  return foldEntries(added);
}

/** Undoes an acceptance. `start` is its id or the beginning of it. */
export async function undoAcceptance(model: string, start: string, by: DecisionBy): Promise<Accepted> {
  const ledger = new Ledger<Entry>(acceptancesPath(model), entrySchema);
  let found: Accepted | undefined;
  await ledger.append((entries) => {
    found = findStanding(foldEntries(entries), start);
    const own = stableId('undo', found.id, String(entries.length), by.time);
    return [{ kind: 'undo', version: 1, id: own, ...by, undoes: found.id }];
  });
  return { ...(found as Accepted), undone: by };
}

function findStanding(accepted: readonly Accepted[], start: string): Accepted {
  const wanted = start.toLowerCase();
  const standing = accepted.filter(({ undone }) => undone === null);
  const found = standing.filter((each) => wanted !== '' && each.id.startsWith(wanted));
  if (found.length === 1) return found[0];
  const ids = (found.length > 1 ? found : standing).slice(-5).map((each) => each.id.slice(0, 8));
  throw new RecalError(
    'accept-unknown',
    found.length > 1
      ? `the ids of ${found.length} acceptances begin with '${printable(start, 40)}'`
      : `no active acceptance has the id '${printable(start, 40)}'`,
    { hint: ids.length === 0 ? 'nothing is accepted' : `choose one of: ${ids.join(', ')}`, exit: EXIT.usage },
  );
}

function foldEntries(entries: readonly Entry[]): Accepted[] {
  const undone = new Map(
    entries.flatMap((entry) =>
      entry.kind === 'undo'
        ? [[entry.undoes, { author: entry.author, reason: entry.reason, time: entry.time }] as const]
        : [],
    ),
  );
  return entries.flatMap((entry) => {
    if (entry.kind === 'undo') return [];
    const { kind: _, version: __, ...rest } = entry;
    return [{ ...rest, undone: undone.get(entry.id) ?? null }];
  });
}

function signOf({ keys, trees }: Pick<AcceptEntry, 'keys' | 'trees'>): string {
  return stableId(...keys, JSON.stringify(trees));
}
