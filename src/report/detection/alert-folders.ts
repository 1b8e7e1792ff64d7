import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Alert, Incident } from '../../detect/alerts/alert.js';
import { type AlertRun, readAlertFiles } from './alert-files.js';

/** The incidents of several alerts folders. */
export interface AlertFolders {
  /** By folder, then by rank. The same incident in a later folder replaces an earlier one. */
  readonly incidents: readonly FoundIncident[];
  readonly alerts: readonly Alert[];
  readonly folders: readonly { readonly folder: string; readonly run: AlertRun }[];
}

/** An incident, and the folder that has it. */
export type FoundIncident = Incident & { readonly folder: string };

/** Reads alerts folders. A folder without run.json stands for the alerts folders directly below it, in order of name. */
export async function readAlertFolders(places: readonly string[]): Promise<AlertFolders> {
  const incidents = new Map<string, FoundIncident>();
  const alerts = new Map<string, Alert>();
  const folders: { folder: string; run: AlertRun }[] = [];
  for (const place of places) {
    for (const folder of await foldersAt(place)) {
      const files = await readAlertFiles(folder);
      folders.push({ folder, run: files.run });
      for (const alert of files.alerts) alerts.set(alert.id, alert);
      for (const incident of files.incidents) {
        incidents.delete(incident.id);
        incidents.set(incident.id, { ...incident, folder });
      }
    }
  }
  return { incidents: [...incidents.values()], alerts: [...alerts.values()], folders };
}

async function foldersAt(place: string): Promise<string[]> {
  if (existsSync(join(place, 'run.json'))) return [place];
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const below = entries
    .filter((entry) => entry.isDirectory() && existsSync(join(place, entry.name, 'run.json')))
    .map((entry) => join(place, entry.name))
    .sort();
  return below.length > 0 ? below : [place]; // reading it says what is wrong
}
