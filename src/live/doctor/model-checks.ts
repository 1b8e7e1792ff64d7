import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { decodeDetector } from '../../detect/detector-part.js';
import { readModelFile } from '../../model/file/model-file.js';
import { readAcceptances } from '../../pipeline/acceptances.js';
import { verifyStore } from '../../store/integrity/verify-store.js';
import type { Manifest } from '../../store/manifest.js';
import { TriageState, triagePath } from '../triage/triage-ledger.js';
import { type Finding, fail, type Machine, ok, skipped, warn } from './finding.js';
import { latestEvent } from './latest-event.js';

const DAY = 86_400_000;
/** Behaviour drifts; after this many days a model should be checked. */
const OLD_DAYS = 30;
const MIB = 1 << 20;
const MEMORY = { fail: 256 * MIB, warn: 1024 * MIB };
const DISK = { fail: 0.02, warn: 0.1 };

/** Whether the model is whole, calibrated and recent. */
export async function checkModel(
  model: string | undefined,
  manifest: Manifest | undefined,
): Promise<Finding> {
  if (model === undefined) return skipped('no model was given; use --model FILE');
  try {
    const stored = await readModelFile(model);
    if (stored.detector === undefined) {
      return fail(
        'the model is not calibrated',
        'run recal calibrate on benign events not used for training',
      );
    }
    const { calibration } = decodeDetector(stored, stored.detector);
    const calibrated = Number((calibration?.lastTs ?? 0n) / 1_000_000n);
    const last = latestEvent(manifest) ?? calibrated;
    const days = Math.floor((last - calibrated) / DAY);
    if (days > OLD_DAYS) {
      return warn(
        `the events are up to ${days} days newer than its calibration`,
        'run recal drift; if it reports drift, calibrate again or train again',
      );
    }
    return ok(`calibrated on events up to ${new Date(calibrated).toISOString()}`);
  } catch (error) {
    return failure(error, 'restore the model from a backup, or train and calibrate again');
  }
}

/** Whether there is space for the store. */
export async function checkDisk(folder: string | undefined, machine: Machine): Promise<Finding> {
  if (folder === undefined) return skipped('neither a store nor a model was given');
  const { free, total } = await machine.disk(folder);
  const share = total > 0 ? free / total : 0;
  const message = `${gib(free)} GiB of ${gib(total)} GiB are free`;
  const action =
    'remove old days with recal drop --store DIR --before DAY, or move the store to a larger disk';
  if (share < DISK.fail || free < 512 * MIB) return fail(message, action);
  return share < DISK.warn ? warn(message, action) : ok(message);
}

/** Whether there is memory to judge events. */
export async function checkMemory(machine: Machine): Promise<Finding> {
  const free = await machine.memory();
  const message = `${gib(free)} GiB are available`;
  const action =
    'stop other programs, raise the memory limit of the service, or select a shorter time range with --from and --to';
  if (free < MEMORY.fail) return fail(message, action);
  return free < MEMORY.warn ? warn(message, action) : ok(message);
}

/** Whether the files of the store are those that were written. */
export async function checkStore(
  store: string | undefined,
  { verify = true, signal }: { verify?: boolean | undefined; signal?: AbortSignal | undefined },
): Promise<Finding> {
  if (store === undefined) return skipped('no store was given; use --store DIR');
  if (!verify) return skipped('left out with --no-verify');
  const action = 'restore the files from a backup, or continue without them: recal repair --store DIR';
  try {
    const { damaged, backup, setAside, segments, withoutChecksum } = await verifyStore(store, { signal });
    if (damaged.length > 0) return fail(`${damaged.length} of ${segments} segments are damaged`, action);
    if (backup === 'differs')
      return warn('the copy of the manifest is damaged', 'run recal repair --store DIR');
    if (setAside.length > 0) {
      return warn(
        `${setAside.length} damaged segments were set aside`,
        'ingest their logs again, if you have them',
      );
    }
    if (withoutChecksum > 0) {
      return warn(
        `${withoutChecksum} segments have no checksum`,
        'write them: recal verify --store DIR --add',
      );
    }
    return ok(segments === 1 ? '1 segment is intact' : `${segments} segments are intact`);
  } catch (error) {
    signal?.throwIfAborted();
    return failure(error, action);
  }
}

/** Whether the ledgers of decisions are intact. */
export async function checkDecisions(store: string | undefined, model: string | undefined): Promise<Finding> {
  if (store === undefined && model === undefined) return skipped('neither a store nor a model was given');
  try {
    const triage = await TriageState.read(
      store === undefined ? undefined : triagePath({ store: resolve(store) }),
    );
    const acceptances = model === undefined ? undefined : await readAcceptances(model);
    const torn = triage.tornBytes + (acceptances?.tornBytes ?? 0);
    const standing = acceptances?.accepted.filter(({ undone }) => undone === null).length ?? 0;
    const message = `all decisions are intact: ${triage.entries.length} about incidents, ${standing} accepted`;
    if (torn === 0) return ok(message);
    return warn(
      `${message}; an unfinished last line is left out`,
      'repeat the decision that was interrupted',
    );
  } catch (error) {
    return failure(error, 'restore the file from a backup');
  }
}

/** An existing folder whose disk the store or model is on. */
export async function folderOf(
  store: string | undefined,
  model: string | undefined,
): Promise<string | undefined> {
  const path = store ?? (model === undefined ? undefined : dirname(resolve(model)));
  if (path === undefined) return undefined;
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists ? path : dirname(resolve(path));
}

function failure(error: unknown, action: string): Finding {
  if (error instanceof RecalError) return fail(error.message, error.hint ?? action);
  if (error instanceof Error) return fail(printable(error.message, 300), action);
  throw error;
}

function gib(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
