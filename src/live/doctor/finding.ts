/** How a check ended. `skipped`: it could not be done here, and the message says why. */
export type FindingStatus = 'ok' | 'warn' | 'fail' | 'skipped';

/** What a check found, and what to do about it. */
export interface Finding {
  readonly status: FindingStatus;
  readonly message: string;
  /** What to do; only for warn and fail. */
  readonly action?: string;
}

export interface NamedFinding extends Finding {
  /** The name of the check, and of its section in docs/how-to/runbook.md. */
  readonly check: CheckName;
}

/** In the order in which they are done. */
export const CHECKS = [
  'log',
  'rules',
  'losses',
  'clock',
  'model',
  'disk',
  'memory',
  'store',
  'decisions',
] as const;
export type CheckName = (typeof CHECKS)[number];

/** What to examine. Checks of what is not given are skipped. */
export interface DoctorOptions {
  /** Log files. */
  readonly logs: readonly string[];
  readonly store?: string | undefined;
  readonly model?: string | undefined;
  /** Compare every segment of the store with its checksum. Default: true. */
  readonly verify?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The machine, as far as checks look at it. Tests replace it. */
export interface Machine {
  /** Milliseconds since 1970. */
  now(): number;
  isRoot(): boolean;
  /** Standard output of a program; undefined if it is missing or fails. */
  output(program: string, args: readonly string[]): Promise<string | undefined>;
  /** Free and total bytes of the disk with this folder. */
  disk(folder: string): Promise<{ free: number; total: number }>;
  /** Bytes that a process can still allocate. */
  memory(): Promise<number>;
}

export const ok = (message: string): Finding => ({ status: 'ok', message });
export const warn = (message: string, action: string): Finding => ({ status: 'warn', message, action });
export const fail = (message: string, action: string): Finding => ({ status: 'fail', message, action });
export const skipped = (message: string): Finding => ({ status: 'skipped', message });
