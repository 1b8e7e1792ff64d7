import { userInfo } from 'node:os';
import { RecalError } from '../base/errors.js';
import type { Incident } from '../detect/alerts/alert.js';
import { findIncident } from '../detect/alerts/explain.js';
import { readAlertFolders } from '../report/detection/alert-folders.js';
import { type Accepted, addAcceptances, type DecisionBy, undoAcceptance } from './acceptances.js';
import { findAged } from './aged-incidents.js';

interface Deciding {
  /** Calibrated model file. The decision is kept beside it. */
  readonly model: string;
  readonly reason: string;
  /** Default: the name of the user who runs the process. */
  readonly author?: string | undefined;
  /** ISO 8601. Default: now. */
  readonly time?: string | undefined;
}

export interface AcceptOptions extends Deciding {
  /** Folders that `detect` wrote. */
  readonly alerts: readonly string[];
  /** Ids of incidents, or their beginnings. */
  readonly ids: readonly string[];
}

export interface AcceptAgedOptions extends Deciding {
  readonly alerts: readonly string[];
  /** Accept what was seen on at least this many days or hosts. */
  readonly least: number;
  /** Leaves out incidents, such as those that a person judged malicious. */
  readonly except?: ((incident: Incident) => boolean) | undefined;
}

export interface UndoAcceptOptions extends Deciding {
  /** Id of an acceptance, or its beginning. */
  readonly id: string;
}

export interface AcceptResult {
  /** New acceptances. */
  readonly accepted: readonly Accepted[];
  /** Incidents whose behaviours were accepted already. */
  readonly known: number;
  /** New behaviours that an incident record does not list, because it has too many. They stay new. */
  readonly keysLeftOut: number;
}

/** Accepts the new behaviours of incidents as normal. Anything else that the same programs do is still judged. */
export async function accept({ alerts, ids, ...deciding }: AcceptOptions): Promise<AcceptResult> {
  const { incidents } = await readAlertFolders(alerts);
  return acceptAll(
    ids.map((id) => findIncident(id, incidents)),
    deciding,
  );
}

/** Accepts the incidents that were seen on several days or hosts, except those that contact a new address. */
export async function acceptAged({
  alerts,
  least,
  except = () => false,
  ...deciding
}: AcceptAgedOptions): Promise<AcceptResult> {
  const { incidents } = await readAlertFolders(alerts);
  return acceptAll(
    findAged(incidents, least).filter((incident) => !except(incident)),
    deciding,
  );
}

/** Undoes an acceptance. */
export function undoAccept(options: UndoAcceptOptions): Promise<Accepted> {
  return undoAcceptance(options.model, options.id, decisionBy(options));
}

async function acceptAll(incidents: readonly Incident[], deciding: Deciding): Promise<AcceptResult> {
  let keysLeftOut = 0;
  const wanted = incidents.map(({ id, host, model, sentence, episode }) => {
    if (episode === null) {
      throw new RecalError('accept-impossible', `incident ${id} has no behaviours to accept`, {
        hint: 'its model judges single nodes; train with --set unit=episode, or use recal suppress add',
      });
    }
    const { keys, keyCount, trees } = episode.behaviours;
    keysLeftOut += keyCount - keys.length;
    return { incident: id, host, model, sentence, keys, trees };
  });
  const accepted = await addAcceptances(deciding.model, wanted, decisionBy(deciding));
  return { accepted, known: wanted.length - accepted.length, keysLeftOut };
}

function decisionBy({ reason, author, time }: Deciding): DecisionBy {
  return { reason, author: author ?? currentUser(), time: time ?? new Date().toISOString() };
}

/** A user without an entry in the password file has only a number. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
