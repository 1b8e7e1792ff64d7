import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { EXIT, isSystemError, RecalError } from '../../base/errors.js';
import { syncFolder } from '../../base/files/replace-file.js';
import { SEVERITIES } from '../../detect/alerts/severity.js';
import type { Notification } from '../sinks/notification.js';

const ns = z.string().regex(/^-?\d+$/);
const count = z.number().int().nonnegative();

const modelSchema = z.strictObject({
  /** Relative to the folder of models. */
  file: z.string().regex(/^[\w.-]+\.recal$/),
  id: z.string(),
  calibratedTo: ns,
  window: ns,
  /** When it was trained, in milliseconds since 1970. */
  trained: z.number(),
});

const toldSchema = z.strictObject({
  revision: count,
  status: z.enum(['new', 'updated', 'closed']),
  severity: z.enum(SEVERITIES),
  processes: count,
  /** Start of the span in which it was told last. */
  span: ns,
  /** What was told last; null once the span is over. */
  notification: z.custom<Notification>().nullable(),
  /** Verdicts of people that were told. */
  verdicts: count.default(0),
});

const heldSchema = z.strictObject({
  /** Start of the span in which it would have been told. */
  span: ns,
  /** The suppression that covers it; null if a person closed it. */
  suppression: z.string().nullable(),
  processes: count,
  notification: z.custom<Notification>(),
});

const stateSchema = z.strictObject({
  format: z.literal('recal-watch'),
  version: z.literal(1),
  model: modelSchema.nullable(),
  /** The model before, for `--rollback`. */
  previous: modelSchema.nullable(),
  /** Takes over with the next span. */
  next: modelSchema.nullable(),
  /** Events up to here were used for the last training, whatever became of it. */
  learnedTo: ns.nullable(),
  /** Start of the open span, and up to where its windows are over. */
  span: ns.nullable(),
  closed: ns.nullable(),
  incidents: z.record(z.string(), toldSchema),
  /** Incidents that were not told, because a person decided so. */
  held: z.record(z.string(), heldSchema).default({}),
  /** Decided, but not yet taken by every receiver. */
  outbox: z.array(z.custom<Notification>()),
});

export type ModelEntry = z.infer<typeof modelSchema>;
export type ToldIncident = z.infer<typeof toldSchema>;
export type HeldIncident = z.infer<typeof heldSchema>;
export type WatchState = z.infer<typeof stateSchema>;

function emptyState(): WatchState {
  return {
    format: 'recal-watch',
    version: 1,
    model: null,
    previous: null,
    next: null,
    learnedTo: null,
    span: null,
    closed: null,
    incidents: {},
    held: {},
    outbox: [],
  };
}

/** The state with the model before. */
export function rolledBack(state: WatchState): WatchState {
  if (state.previous === null)
    throw new RecalError('no-earlier-model', 'no earlier model is kept', {
      hint: 'leave out --rollback',
      exit: EXIT.usage,
    });
  return { ...state, model: state.previous, previous: state.model, next: null };
}

/** What was told about the open span last. */
export async function readTold(path: string): Promise<Notification[]> {
  const { state } = await readCheckpoint(path);
  return Object.values(state.incidents).flatMap(({ notification }) => notification ?? []);
}

/** Reads the checkpoint, or the one before if it is damaged. `isOlder` tells which. */
export async function readCheckpoint(path: string): Promise<{ state: WatchState; isOlder: boolean }> {
  const problems: unknown[] = [];
  for (const [name, isOlder] of [
    [path, false],
    [`${path}.before`, true],
  ] as const) {
    try {
      return { state: check(await readFile(name, 'utf8')), isOlder };
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) problems.push(error);
    }
  }
  if (problems.length === 0) return { state: emptyState(), isOlder: false };
  throw new RecalError('checkpoint-damaged', 'the checkpoint and the one before it cannot be read', {
    hint: `restore ${path} from a backup; without it, incidents may be sent again`,
    where: { file: path },
    cause: problems[0],
  });
}

function check(text: string): WatchState {
  const newline = text.indexOf('\n');
  if (text.slice(newline + 1).trim() !== digest(text.slice(0, newline)))
    throw new Error('the checksum does not match');
  return stateSchema.parse(JSON.parse(text.slice(0, newline)));
}

/** Writes the checkpoint durably, and keeps the one before. */
export async function writeCheckpoint(path: string, state: WatchState): Promise<void> {
  const text = JSON.stringify(state);
  const draft = `${path}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${text}\n${digest(text)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(path, `${path}.before`).catch((error: unknown) => {
    if (!isSystemError(error, 'ENOENT')) throw error;
  });
  await rename(draft, path);
  await syncFolder(dirname(path));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
