import type { World } from '../hosts/world.js';
import type { Process } from '../kernel/entities.js';

/** The arguments and file accesses of a command. */
export interface CommandOptions {
  readonly args?: string;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** Reads or writes per file. */
  readonly blocks?: number;
  /** File that the output is appended to; none if absent. */
  readonly output?: string;
}

/** Runs a short command to its end: fork, execute, file accesses, exit. */
export function command(
  world: World,
  parent: Process,
  program: string,
  options: CommandOptions = {},
): Process {
  const { machine } = world;
  const process = machine.spawn(parent, program, ...(options.args ? [options.args] : []));
  const blocks = options.blocks ?? 1;
  for (const path of options.reads ?? []) machine.readFile(process, path, blocks);
  for (const path of options.writes ?? []) machine.writeFile(process, path, blocks);
  if (options.output) machine.append(process, options.output);
  machine.exit(process);
  return process;
}

/** Runs `first | second`. */
export function pipeline(
  world: World,
  shell: Process,
  first: string,
  second: string,
  options: CommandOptions = {},
): void {
  const { machine } = world;
  const pipe = machine.pipe(shell);
  const source = machine.spawn(shell, first, ...(options.args ? [options.args] : []));
  for (const path of options.reads ?? []) machine.readFile(source, path, options.blocks ?? 1);
  machine.call('write', source, pipe, 512);
  const sink = machine.spawn(shell, second);
  machine.exit(source);
  machine.call('read', sink, pipe, 512);
  if (options.output) machine.append(sink, options.output);
  machine.exit(sink);
}
