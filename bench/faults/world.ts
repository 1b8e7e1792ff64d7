import { EventEmitter } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { commands } from '../../dist/cli/commands.js';
import { runProgram } from '../../dist/cli/program.js';
import { simulate } from '../../dist/simulate/simulate.js';

const SPLITS = ['train', 'calibrate', 'test'] as const;

export interface Answer {
  readonly code: number;
  readonly text: string;
}

/** Runs a command line of the built program in this process. */
export async function recalHere(...words: string[]): Promise<Answer> {
  const out = { text: '' };
  const sink = {
    isTTY: false,
    write: (text: string) => {
      out.text += text;
    },
  };
  const ignored = { isTTY: false, write: () => undefined };
  const code = await runProgram(words, commands, {
    stdout: sink,
    stderr: ignored,
    env: {},
    cwd: process.cwd(),
    version: '0',
    signals: new EventEmitter(),
    exit: () => undefined,
  } as unknown as Parameters<typeof runProgram>[2]);
  return { code, text: out.text };
}

/** Paths of a tiny simulated host: logs, a store with three splits, a calibrated model and its results. */
export function pathsIn(folder: string) {
  return {
    folder,
    logs: join(folder, 'logs'),
    store: join(folder, 'store'),
    model: join(folder, 'host.recal'),
    alerts: join(folder, 'alerts'),
  };
}

export type World = ReturnType<typeof pathsIn>;

/** Makes the host with the smallest model. The same seed gives the same bytes. */
export async function makeWorld(folder: string, seed = 1): Promise<World> {
  const world = pathsIn(folder);
  await simulate({ scenario: 'demo', seed, events: 20_000, format: 'ndjson', out: world.logs });
  const lines = readFileSync(join(world.logs, 'train.ndjson'), 'utf8').split('\n').slice(1000, 4000);
  writeFileSync(join(world.logs, 'more.ndjson'), `${lines.join('\n')}\n`);
  for (const split of SPLITS) {
    await done(
      'ingest',
      join(world.logs, `${split}.ndjson`),
      '--store',
      world.store,
      '--append',
      '--as',
      split,
    );
  }
  await done(...trainWords(world));
  await done(...detectWords(world, world.alerts));
  return world;
}

export function trainWords({ store, model }: World): string[] {
  const data = ['--store', store, '--split', 'train', '--calibrate-split', 'calibrate', '--model', model];
  return ['train', ...data, '--epochs', '1', '--seed', '1', '--threads', '1'];
}

export function detectWords({ store, model }: World, out: string): string[] {
  return ['detect', '--store', store, '--split', 'test', '--model', model, '--threads', '1', '--out', out];
}

/** Copies a world, so that a fault in the copy leaves the original intact. */
export function copyWorld(world: World, folder: string): World {
  rmSync(folder, { recursive: true, force: true });
  cpSync(world.folder, folder, { recursive: true });
  return pathsIn(folder);
}

/** The bytes of each file below a folder, by path; nothing if there is no folder. */
export function contentOf(folder: string): Map<string, string> {
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    const paths = files.map((file) => join(file.parentPath, file.name)).sort();
    return new Map(paths.map((path) => [relative(folder, path), readFileSync(path).toString('latin1')]));
  } catch {
    return new Map();
  }
}

export function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([path, bytes]) => other.get(path) === bytes);
}

async function done(...words: string[]): Promise<void> {
  const { code, text } = await recalHere(...words);
  if (code !== 0) throw new Error(`recal ${words.join(' ')} ended with ${code}: ${text}`);
}
