import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { isSystemError, RecalError } from '../../base/errors.js';
import { makeFolder } from '../../base/files/make-folder.js';
import { replaceFile } from '../../base/files/replace-file.js';
import { printable } from '../../base/printable.js';
import { isoTime } from '../../base/time-text.js';
import type { Incident } from '../../detect/alerts/alert.js';
import { SEVERITIES, severityRank } from '../../detect/alerts/severity.js';
import { type DetectOptions, type DetectResult, detect } from '../../pipeline/detect.js';
import { checkOutFolder } from '../../pipeline/out-folder.js';
import { readAlertFolders } from '../../report/detection/alert-folders.js';
import { nothingSelected } from '../../store/nothing-selected.js';
import { type Selection, Store } from '../../store/store.js';
import { type ListedIncident, listIncidents } from './list-incidents.js';
import { TriageState, triagePath } from './triage-ledger.js';

/** File in the out folder that remembers what was judged and told. */
const STATE = 'since-last.json';
/** Events shortly before the new ones are judged again, so that a session that was cut is judged as one. */
const OVERLAP = 3_600_000_000_000n;
/** Incidents that are remembered, the latest ones. */
const MOST_REMEMBERED = 10_000;

const known = z.strictObject({
  severity: z.enum(SEVERITIES),
  trees: z.int().nonnegative(),
  processes: z.int().nonnegative(),
});

const stateSchema = z.strictObject({
  format: z.literal('recal-since-last'),
  version: z.literal(1),
  /** The store, and the number of the first ingest that was not judged. */
  store: z.string(),
  nextIngest: z.int().nonnegative(),
  /** What was told about each incident, oldest first. */
  incidents: z.array(z.tuple([z.string().max(64), known])),
});

type State = z.output<typeof stateSchema>;
type Known = z.output<typeof known>;

export interface SinceLastOptions extends Omit<DetectOptions, 'selection'> {
  /** Split and hosts to judge. */
  readonly selection?: Pick<Selection, 'split' | 'host'> | undefined;
  /** Ledger of decisions. Default: beside the store. */
  readonly triage?: string | undefined;
}

export interface SinceLastResult {
  /** The run; undefined if the store has nothing new. */
  readonly detection: DetectResult | undefined;
  /** Incidents that no earlier run reported. */
  readonly fresh: readonly ListedIncident[];
  /** Incidents that grew or became more severe since they were reported. */
  readonly changed: readonly ListedIncident[];
  /** New or changed incidents that a suppression matches. */
  readonly suppressed: number;
}

/**
 * Judges what was added to the store since the last such run with the same out folder. Each run writes to its own folder
 * below it. The state is written last, so the next run repeats an interrupted one.
 */
export async function detectSinceLast(options: SinceLastOptions): Promise<SinceLastResult> {
  const { out, triage, selection = {} } = options;
  await checkOutFolder(out);
  const store = await Store.open(options.store);
  const path = join(out, STATE);
  const state = await readState(path, resolve(options.store));
  const { nextIngest } = store.manifest;
  // Otherwise nothing would be new in a store that was made anew.
  if (nextIngest < state.nextIngest) throw damaged(path, 'the store has fewer ingests than at the last run');
  const selected = store.segments('events', selection);
  if (selected.length === 0) throw nothingSelected(store, selection);
  const added = selected.filter(({ ingest, firstTs }) => ingest >= state.nextIngest && firstTs !== null);
  const nothing = { detection: undefined, fresh: [], changed: [], suppressed: 0 };
  if (added.length === 0) return nothing;
  const times = added.flatMap(({ firstTs, lastTs }) => [BigInt(firstTs ?? 0), BigInt(lastTs ?? 0)]);
  times.sort((a, b) => (a < b ? -1 : 1));
  const [first, last] = [times[0], times[times.length - 1]];
  await makeFolder(out);
  const folder = join(out, `${isoTime(last).slice(0, 19).replace(/:/g, '')}Z-${nextIngest - 1}`);
  const detection = await detect({ ...options, selection, out: folder, since: first - OVERLAP }).catch(
    (error: unknown) => {
      // All that was added is older than the end of calibration.
      if (error instanceof RecalError && error.code === 'nothing-selected') return undefined;
      throw error;
    },
  );
  const remembered = new Map(state.incidents);
  const incidents = detection?.incidents ?? [];
  const told = detection === undefined ? nothing : await newsOf(folder, remembered, triage);
  for (const incident of incidents) {
    remembered.delete(incident.id);
    remembered.set(incident.id, summaryOf(incident));
  }
  await writeState(path, {
    ...state,
    nextIngest,
    incidents: [...remembered].slice(-MOST_REMEMBERED),
  });
  return { ...told, detection };
}

/** Incidents of a run that were not told of before, and are neither closed nor suppressed. */
async function newsOf(
  folder: string,
  remembered: ReadonlyMap<string, Known>,
  ledger: string | undefined,
): Promise<Omit<SinceLastResult, 'detection'>> {
  const found = await readAlertFolders([folder]);
  const triage = await TriageState.read(triagePath({ triage: ledger, folders: found.folders }));
  const news = found.incidents.filter((incident) => isNews(incident, remembered.get(incident.id)));
  const { incidents, suppressed } = listIncidents({ ...found, incidents: news }, triage, {
    status: ['new', 'open'],
  });
  return {
    fresh: incidents.filter(({ incident }) => !remembered.has(incident.id)),
    changed: incidents.filter(({ incident }) => remembered.has(incident.id)),
    suppressed,
  };
}

function isNews(incident: Incident, before: Known | undefined): boolean {
  if (before === undefined) return true;
  const { severity, trees, processes } = summaryOf(incident);
  return (
    severityRank(severity) > severityRank(before.severity) ||
    trees > before.trees ||
    processes > before.processes
  );
}

function summaryOf({ severity, episode, alerts }: Incident): Known {
  return { severity, trees: episode?.count ?? 1, processes: episode?.processCount ?? alerts.length };
}

async function readState(path: string, store: string): Promise<State> {
  const empty: State = { format: 'recal-since-last', version: 1, store, nextIngest: 0, incidents: [] };
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return undefined;
    throw error;
  });
  if (text === undefined) return empty;
  const parsed = stateSchema.safeParse(parseJson(text));
  if (!parsed.success) throw damaged(path, 'it was not written by recal');
  if (parsed.data.store !== store) {
    throw damaged(path, `it belongs to the store ${printable(parsed.data.store, 200)}`);
  }
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function damaged(path: string, why: string): RecalError {
  return new RecalError('since-last-damaged', `${printable(path)} cannot be used: ${why}`, {
    hint: 'use another --out folder, or remove the file to score everything again',
    where: { file: path },
  });
}

async function writeState(path: string, state: State): Promise<void> {
  await replaceFile(path, `${JSON.stringify(state)}\n`);
}
