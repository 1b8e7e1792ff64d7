import { type AcceptResult, accept, acceptAged } from '../../pipeline/accept.js';
import { readAlertFolders } from '../../report/detection/alert-folders.js';
import { recordVerdicts } from './decide.js';
import { TriageState, triagePath } from './triage-ledger.js';

export interface AcceptAndCloseOptions {
  readonly model: string;
  readonly alerts: readonly string[];
  readonly ids: readonly string[];
  /** Instead of ids: what was seen on this many days or hosts, and that nobody judged malicious or unsure. */
  readonly aged?: number | undefined;
  readonly reason: string;
  readonly author?: string | undefined;
  readonly triage?: string | undefined;
}

/** Accepts incidents, and records that they are benign. */
export async function acceptAndClose(options: AcceptAndCloseOptions): Promise<AcceptResult> {
  const { aged, triage: ledger, reason, author, alerts, model } = options;
  const found = await readAlertFolders(alerts);
  const triage = await TriageState.read(triagePath({ triage: ledger, folders: found.folders }));
  const isDoubted = ({ id }: { readonly id: string }) =>
    (triage.verdicts.get(id)?.at(-1)?.verdict ?? 'benign') !== 'benign';
  const result =
    aged === undefined
      ? await accept({ model, alerts, ids: options.ids, reason, author })
      : await acceptAged({ model, alerts, reason, author, least: aged, except: isDoubted });
  const accepted = new Set(result.accepted.map(({ incident }) => incident));
  const closed = found.incidents.filter(({ id }) => accepted.has(id));
  if (closed.length > 0) {
    await recordVerdicts(found, closed, {
      verdict: 'benign',
      note: `accepted: ${reason}`.slice(0, 4096),
      author,
      triage: ledger,
    });
  }
  return result;
}
