import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '../../dist/base/random.js';
import { OPERATIONS, type Operation } from './kills.js';
import { contentOf, copyWorld, isSame, type World } from './world.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SIZE = '256m';
const SAMPLE_MS = 5;

/** The end of one command on a disk that fills up. */
export interface Filling {
  readonly operation: string;
  /** Bytes that were free at the start. */
  readonly free: number;
  /** What the command left. `done` if the space was enough. */
  readonly state: 'done' | 'before' | 'after' | 'wrong';
  readonly why?: string;
}

/** What a command needs and leaves if the disk has space. */
interface Reference {
  readonly before: string;
  readonly after: string;
  readonly bytes: ReadonlyMap<string, string>;
  /** The most bytes that it used at any time. */
  readonly need: number;
}

/**
 * Mounts a small file system. Returns what unmounts it, which also happens when the process ends; undefined where this user
 * may not mount, or the system has no tmpfs.
 */
export function mountSmall(folder: string): (() => void) | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  mkdirSync(folder, { recursive: true });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder]).status !== 0)
    return undefined;
  const end = () => process.exit(1);
  const unmount = () => {
    process.off('exit', unmount).off('SIGINT', end).off('SIGTERM', end);
    if (spawnSync('umount', [folder]).status !== 0) spawnSync('umount', ['-l', folder]);
  };
  process.on('exit', unmount).on('SIGINT', end).on('SIGTERM', end);
  return unmount;
}

/**
 * Runs commands on a mounted file system with too little space, at random points. A command must end with the error of a
 * full disk, leave everything as it was or complete, and do its work when there is space again.
 */
export async function* fillDisk(
  original: World,
  { disk, seed, count }: { disk: string; seed: number; count: number },
): AsyncGenerator<Filling> {
  const random = new Random(seed).stream('fillings');
  const known = new Map<string, Reference>();
  for (let i = 0; i < count; i++) {
    const operation = OPERATIONS[i % OPERATIONS.length];
    let reference = known.get(operation.name);
    if (reference === undefined) {
      reference = await measure(operation, restart(original, disk, operation), disk);
      known.set(operation.name, reference);
    }
    const world = restart(original, disk, operation);
    const free = leaveFree(disk, Math.floor(reference.need * random.float()));
    yield { operation: operation.name, free, ...(await judge(operation, world, reference, disk)) };
  }
}

function restart(original: World, disk: string, operation: Operation): World {
  rmSync(ballast(disk), { force: true });
  const world = copyWorld(original, join(disk, 'world'));
  operation.prepare?.(world);
  return world;
}

async function measure(operation: Operation, world: World, disk: string): Promise<Reference> {
  const before = await operation.state(world);
  const start = freeBytes(disk);
  let least = start;
  const sampler = setInterval(() => {
    least = Math.min(least, freeBytes(disk));
  }, SAMPLE_MS);
  const { code, text } = await run(operation.words(world)).finally(() => clearInterval(sampler));
  if (code !== 0) throw new Error(`${operation.name} ended with ${code}: ${text}`);
  const after = await operation.state(world);
  if (after === before) throw new Error(`${operation.name} changed nothing`);
  return { before, after, bytes: contentOf(world.folder), need: start - least };
}

async function judge(
  operation: Operation,
  world: World,
  { before, after, bytes }: Reference,
  disk: string,
): Promise<Pick<Filling, 'state' | 'why'>> {
  const wrong = (why: string) => ({ state: 'wrong' as const, why: why.slice(0, 300) });
  try {
    const ended = await run(operation.words(world));
    rmSync(ballast(disk));
    const state = await operation.state(world);
    if (state !== before && state !== after) return wrong(`left ${state}`);
    if (ended.code === 0 && state === before) return wrong('ended with 0 and did nothing');
    if (ended.code !== 0) {
      const why = tellsFullDisk(ended.text);
      if (why !== undefined) return wrong(`ended with ${ended.code}: ${why}`);
    }
    if (state === before) {
      const again = await run(operation.words(world));
      if (again.code !== 0) return wrong(`with space again: ${again.code} ${again.text}`);
    }
    const content = contentOf(world.folder);
    if (!isSame(content, bytes)) return wrong(`other bytes: ${differences(content, bytes).join(', ')}`);
    if (ended.code === 0) return { state: 'done' };
    return { state: state === before ? 'before' : 'after' };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  } finally {
    rmSync(ballast(disk), { force: true });
  }
}

/** Why the output of a failed command is not that of a full disk; undefined if it is. */
function tellsFullDisk(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; errno?: string; hint?: string } };
    if (error.code !== 'disk-full' && error.errno !== 'ENOSPC') return `error ${JSON.stringify(error)}`;
    return error.hint === undefined ? 'no hint' : undefined;
  } catch {
    return `no error as JSON: ${text}`;
  }
}

function differences(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...one.keys(), ...other.keys()]);
  return [...paths].filter((path) => one.get(path) !== other.get(path));
}

function ballast(disk: string): string {
  return join(disk, 'ballast');
}

function freeBytes(disk: string): number {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
}

/** Fills the disk up to `wanted` bytes, in whole blocks, and returns what is free then. */
function leaveFree(disk: string, wanted: number): number {
  const block = new Uint8Array(statfsSync(disk).bsize);
  const file = openSync(ballast(disk), 'w');
  try {
    while (freeBytes(disk) - block.length >= wanted) {
      const blocks = Math.max(1, Math.floor((freeBytes(disk) - wanted) / block.length / 2));
      writeSync(file, new Uint8Array(blocks * block.length));
    }
  } finally {
    closeSync(file);
  }
  return freeBytes(disk);
}

/** Runs a command with `--json` in a process of its own. */
function run(words: readonly string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [MAIN, ...words, '--quiet', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text }));
  });
}
