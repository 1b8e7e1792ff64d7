import type { World } from '../hosts/world.js';
import type { Process } from '../kernel/entities.js';

/** What a command does besides starting: files it reads, files it writes, and whether it prints. */
export interface Errand {
  readonly args?: string;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** Reads or writes per file. */
  readonly blocks?: number;
  /** Where output goes; nowhere if absent. */
  readonly output?: string;
}

/** Runs a short command to its end: fork, execute, loader, its errand, exit. */
export function command(world: World, parent: Process, program: string, errand: Errand = {}): Process {
  const { machine } = world;
  const process = machine.spawn(parent, program, ...(errand.args ? [errand.args] : []));
  const blocks = errand.blocks ?? 1;
  for (const path of errand.reads ?? []) machine.glance(process, path, blocks);
  for (const path of errand.writes ?? []) machine.store(process, path, blocks);
  if (errand.output) machine.append(process, errand.output);
  machine.exit(process);
  return process;
}

/** `a | b`: the first command's output goes through a pipe to the second. */
export function pipeline(
  world: World,
  shell: Process,
  first: string,
  second: string,
  errand: Errand = {},
): void {
  const { machine } = world;
  const pipe = machine.pipe(shell);
  const source = machine.spawn(shell, first, ...(errand.args ? [errand.args] : []));
  for (const path of errand.reads ?? []) machine.glance(source, path, errand.blocks ?? 1);
  machine.call('write', source, pipe, 512);
  const sink = machine.spawn(shell, second);
  machine.exit(source);
  machine.call('read', sink, pipe, 512);
  if (errand.output) machine.append(sink, errand.output);
  machine.exit(sink);
}
