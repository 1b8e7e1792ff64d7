import { readManifest } from '../../store/manifest.js';
import {
  CHECKS,
  type CheckName,
  type DoctorOptions,
  type Finding,
  type Machine,
  type NamedFinding,
} from './finding.js';
import { thisMachine } from './machine.js';
import { checkDecisions, checkDisk, checkMemory, checkModel, checkStore, folderOf } from './model-checks.js';
import { checkClock, checkLog, checkLosses, checkRules } from './sensor-checks.js';

/** Examines the sensor, the store, the model and the machine. Changes nothing. */
export async function examine(
  { logs, store, model, verify, signal }: DoctorOptions,
  machine: Machine = thisMachine,
): Promise<NamedFinding[]> {
  const manifest = store === undefined ? undefined : await readManifest(store).catch(() => undefined);
  const checks: Readonly<Record<CheckName, () => Finding | Promise<Finding>>> = {
    log: () => checkLog(logs, machine),
    rules: () => checkRules(machine),
    losses: () => checkLosses(manifest, machine),
    clock: () => checkClock(manifest, machine),
    model: () => checkModel(model, manifest),
    disk: async () => checkDisk(await folderOf(store, model), machine),
    memory: () => checkMemory(machine),
    store: () => checkStore(store, { verify, signal }),
    decisions: () => checkDecisions(store, model),
  };
  const findings: NamedFinding[] = [];
  for (const check of CHECKS) {
    signal?.throwIfAborted();
    findings.push({ check, ...(await checks[check]()) });
  }
  return findings;
}
