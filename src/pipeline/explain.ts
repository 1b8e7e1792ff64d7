import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Alert } from '../detect/alerts/alert.js';
import { type Explained, findExplained, loadRawEvents, type RawEvents } from '../detect/alerts/explain.js';
import { readAlertFiles } from '../report/detection/alert-files.js';
import { Store } from '../store/store.js';

/** Alerts of an incident that are explained in full. */
const MOST_EXPLAINED = 3;

export interface ExplainOptions {
  /** Folder that `detect` wrote. */
  readonly alerts: string;
  /** Id of an alert or an incident, or its beginning. */
  readonly id: string;
  /** Folder of the store; by default the one that `detect` read. */
  readonly store?: string | undefined;
  /** Raw events to load for each explained alert; 0 for none. Default: 20. */
  readonly events?: number | undefined;
}

export interface Explanation {
  /** The alert with its incident, or the incident with its alerts. */
  readonly found: Explained;
  /** The alerts explained in full: the alert itself, or the highest of the incident. */
  readonly explained: readonly Alert[];
  /** The log records behind them; empty if the store is not available. */
  readonly rawEvents: readonly RawEvents[];
  /** The store that was looked for and not found; undefined if it was found or not needed. */
  readonly missingStore?: string | undefined;
}

/** Explains an alert or an incident from a results folder, with the raw events where the store is available. */
export async function explain({ alerts, id, store, events = 20 }: ExplainOptions): Promise<Explanation> {
  const files = await readAlertFiles(alerts);
  const found = findExplained(id, files);
  const explained = found.kind === 'alert' ? [found.alert] : found.alerts.slice(0, MOST_EXPLAINED);
  if (events === 0) return { found, explained, rawEvents: [] };
  // A store that was given must exist; the remembered one may have moved.
  const folder = store ?? files.run.store ?? '';
  if (store === undefined && !existsSync(join(folder, 'manifest.json'))) {
    return { found, explained, rawEvents: [], missingStore: folder };
  }
  const opened = await Store.open(folder);
  const rawEvents: RawEvents[] = [];
  for (const alert of explained) rawEvents.push(await loadRawEvents(opened, alert, events));
  return { found, explained, rawEvents };
}
