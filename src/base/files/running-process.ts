import { readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isSystemError } from '../errors.js';

/** Identifies a process in a lock or owner file. */
export interface RunningProcess {
  pid: number;
  host: string;
  /** The start of the process, if the system reports it: another process may have the same number later. */
  began?: string | undefined;
  /** The PID namespace, if the system reports it: containers number their processes on their own. */
  space?: string | undefined;
}

export function thisProcess(): RunningProcess {
  return { pid: process.pid, host: hostname(), began: startOf(process.pid), space: pidNamespace() };
}

/** Reads such a file: undefined if there is none, pid 0 and no host if it is unreadable. */
export async function readProcess(path: string): Promise<RunningProcess | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const { pid, host, began, space } = value as RunningProcess;
    const text = (given: unknown) => (given === undefined ? undefined : String(given));
    return { pid: Number(pid), host: String(host), began: text(began), space: text(space) };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    return { pid: 0, host: '' };
  }
}

export function isAlive({ pid, host, began: known }: RunningProcess): boolean {
  if (host !== hostname()) return host !== ''; // a process on another machine cannot be checked
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const began = startOf(pid);
  if (began !== undefined && known !== undefined && began !== known) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error, 'EPERM');
  }
}

/** Tells whether the process has ended for certain. Processes of other containers cannot be checked. */
export function hasEnded(other: RunningProcess): boolean {
  return other.pid > 0 && other.space === pidNamespace() && !isAlive(other);
}

/**
 * Returns the boot id and the start of the process in clock ticks since boot, from Linux's /proc. Together they tell a
 * process from a later one with the same number.
 */
function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, and may hold any character.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot} ${ticks}`;
  } catch {
    return undefined;
  }
}

function pidNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}
