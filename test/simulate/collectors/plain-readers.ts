import { lines, type TestSimulation } from '../simulations.js';

// Reads simulated logs without recal's readers, so that writers and readers are not checked against themselves.

/** `pid < parent`, for every process that the log shows to start. */
export type Fork = string;
/** `pid program`, for every execution. */
export type Execution = string;

export async function logLines({ directory, manifest }: TestSimulation): Promise<string[]> {
  const files = manifest.hosts.flatMap((host) =>
    host.files.map((file) => (host.directory === '' ? file.name : `${host.directory}/${file.name}`)),
  );
  return (await Promise.all(files.map((name) => lines(directory, name)))).flat();
}

/** The fields of an audit record before the translated ones. */
export function auditFields(line: string): Map<string, string> {
  const [raw] = line.split('\x1d');
  const fields = [...raw.matchAll(/ ([\w-]+(?:\[\d+\])?)=("[^"]*"|\([^)]*\)|\S+)/g)];
  return new Map(fields.map(([, key, value]) => [key, value]));
}

export function auditType(line: string): string {
  return /(?:^| )type=(\w+) /.exec(line)?.[1] ?? '';
}

export function auditSerial(line: string): number {
  return Number(/msg=audit\(\d+\.\d{3}:(\d+)\)/.exec(line)?.[1]);
}

export function unquote(value: string | undefined): string {
  if (value === undefined) return '';
  return value.startsWith('"') ? value.slice(1, -1) : Buffer.from(value, 'hex').toString('utf8');
}

export function auditTree(log: readonly string[]): { forks: Fork[]; executions: Execution[] } {
  const forks: Fork[] = [];
  const executions: Execution[] = [];
  for (const line of log) {
    if (auditType(line) !== 'SYSCALL') continue;
    const fields = auditFields(line);
    if (/^(56|58)$/.test(fields.get('syscall') ?? ''))
      forks.push(`${fields.get('exit')} < ${fields.get('pid')}`);
    if (fields.get('syscall') === '59')
      executions.push(`${fields.get('pid')} < ${fields.get('ppid')} ${unquote(fields.get('exe'))}`);
  }
  return { forks, executions };
}

export function sysmonData(line: string): Map<string, string> {
  return new Map(
    [...line.matchAll(/<Data Name="(\w+)">([^<]*)<\/Data>/g)].map(([, name, value]) => [name, value]),
  );
}

export function sysmonId(line: string): number {
  return Number(/<EventID>(\d+)</.exec(line)?.[1]);
}

export function sysmonExecutions(log: readonly string[]): Execution[] {
  return log
    .filter((line) => sysmonId(line) === 1)
    .map(sysmonData)
    .map((data) => `${data.get('ProcessId')} < ${data.get('ParentProcessId')} ${data.get('Image')}`);
}

export interface TetragonProcess {
  exec_id: string;
  pid: number;
  binary: string;
  flags: string;
  parent_exec_id?: string;
}

export interface TetragonEvent {
  type: string;
  process: TetragonProcess;
  parent?: TetragonProcess;
  function_name?: string;
  args?: Record<string, Record<string, unknown>>[];
}

export function tetragonEvent(line: string): TetragonEvent {
  const [[type, body]] = Object.entries(JSON.parse(line) as Record<string, Omit<TetragonEvent, 'type'>>);
  return { type, ...body };
}

export function tetragonExecutions(log: readonly string[]): Execution[] {
  return log
    .map(tetragonEvent)
    .filter(({ type, process }) => type === 'process_exec' && !process.flags.includes('procFS'))
    .map(({ process, parent }) => `${process.pid} < ${parent?.pid} ${process.binary}`);
}
