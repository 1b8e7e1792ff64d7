import { readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isSystemError } from './errors.js';

/** A process that says in a file that something is its own. */
export interface RunningProcess {
  pid: number;
  host: string;
  /** When the process began, where the system tells: another one may have its number by now. */
  began?: string | undefined;
  /** Whose numbers it is counted in, where the system tells: containers have their own. */
  space?: string | undefined;
}

export function thisProcess(): RunningProcess {
  return { pid: process.pid, host: hostname(), began: beginOf(process.pid), space: ownSpace() };
}

/** Undefined where there is no such file; a process of number 0 and no host where it cannot be read. */
export async function readProcess(path: string): Promise<RunningProcess | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const { pid, host, began, space } = value as RunningProcess;
    const text = (given: unknown) => (given === undefined ? undefined : String(given));
    return { pid: Number(pid), host: String(host), began: text(began), space: text(space) };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    return { pid: 0, host: '' }; // unreadable: nobody we know of
  }
}

export function isAlive({ pid, host, began: known }: RunningProcess): boolean {
  if (host !== hostname()) return host !== ''; // another machine's process: cannot know, so believe it
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const began = beginOf(pid);
  if (began !== undefined && known !== undefined && began !== known) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error, 'EPERM');
  }
}

/** Surely gone: what runs in another container of the same name cannot be seen from here. */
export function isGone(other: RunningProcess): boolean {
  return other.pid > 0 && other.space === ownSpace() && !isAlive(other);
}

/**
 * What tells a process from another with the same number, after a restart of the container or the machine: the boot, and
 * the clock ticks from it to the start of the process, as Linux has them in /proc.
 */
function beginOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name, in brackets and with any character inside.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot} ${ticks}`;
  } catch {
    return undefined;
  }
}

function ownSpace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}
