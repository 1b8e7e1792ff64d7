import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '../../dist/base/random.js';
import { readAlertFiles } from '../../dist/report/detection/alert-files.js';
import { contentOf, copyWorld, detectWords, recalHere, trainWords, type World } from './world.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A command that is interrupted, and how to tell what it left. */
export interface Operation {
  readonly name: string;
  /** Brings the copy to the state before the command. */
  prepare?(world: World): void;
  words(world: World): string[];
  /** A text that is the same if nothing or everything happened; throws if the state is neither readable nor empty. */
  state(world: World): Promise<string>;
}

const storeState = async ({ store }: World) => {
  if (!existsSync(join(store, 'manifest.json'))) return 'no store';
  const { code, text } = await recalHere('verify', '--store', store, '--json');
  if (code !== 0) throw new Error(`the store is damaged: ${text}`);
  const { segments } = JSON.parse(text) as { segments: number };
  const manifest = JSON.parse(readFileSync(join(store, 'manifest.json'), 'utf8')) as {
    segments: { rows: number; path: string }[];
  };
  const rows = manifest.segments.map((segment) => `${segment.path} ${segment.rows}`).sort();
  return `${segments} segments: ${rows.join(', ')}`;
};

const modelState = async ({ model }: World) => {
  // Weights are written before the calibration, with a checkpoint that tells they are not the end.
  if (!existsSync(model) || existsSync(`${model}.checkpoint`)) return 'no model';
  const { code, text } = await recalHere('model', 'show', model, '--json');
  if (code !== 0) throw new Error(`the model is damaged: ${text}`);
  return text;
};

const alertsState = async ({ alerts }: World) => {
  if (!existsSync(alerts)) return 'no results';
  const { run } = await readAlertFiles(alerts);
  const { code, text } = await recalHere('verify', '--alerts', alerts);
  if (code !== 0) throw new Error(`the results are damaged: ${text}`);
  return JSON.stringify(run.files);
};

const more = ({ logs }: World) => join(logs, 'test.ndjson');

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'ingest',
    prepare: ({ store }) => rmSync(store, { recursive: true }),
    words: (world) => ['ingest', more(world), '--store', world.store, '--as', 'test'],
    state: storeState,
  },
  {
    name: 'append',
    words: ({ logs, store }) => {
      const log = join(logs, 'more.ndjson');
      return ['ingest', log, '--store', store, '--append', '--as', 'more', '--host', 'other'];
    },
    state: storeState,
  },
  {
    name: 'drop',
    words: ({ store }) => ['drop', '--store', store, '--before', '2025-03-05'],
    state: storeState,
  },
  { name: 'train', prepare: ({ model }) => rmSync(model), words: trainWords, state: modelState },
  {
    name: 'calibrate',
    words: ({ store, model }) => {
      return ['calibrate', '--store', store, '--split', 'test', '--model', model, '--threads', '1'];
    },
    state: modelState,
  },
  {
    name: 'detect',
    words: (world) => [...detectWords(world, world.alerts), '--threshold', 'top:3/day'],
    state: alertsState,
  },
];

/** The end of one killed command. */
export interface Kill {
  readonly operation: string;
  /** Milliseconds after the start. */
  readonly after: number;
  readonly state: 'before' | 'after' | 'in between';
  readonly why?: string;
}

/** Kills commands with SIGKILL at random times, and looks at what they leave. */
export async function* killCommands(
  original: World,
  { folder, seed, count }: { folder: string; seed: number; count: number },
): AsyncGenerator<Kill> {
  const random = new Random(seed).stream('kills');
  const known = new Map<string, { before: string; after: string; duration: number }>();
  for (let i = 0; i < count; i++) {
    const operation = OPERATIONS[i % OPERATIONS.length];
    let world = restart(original, folder, operation);
    let reference = known.get(operation.name);
    if (reference === undefined) {
      const before = await operation.state(world);
      const began = performance.now();
      const code = await start(operation.words(world));
      if (code !== 0) throw new Error(`${operation.name} ended with ${code}`);
      const duration = performance.now() - began;
      reference = { before, after: await operation.state(world), duration };
      if (reference.after === before) throw new Error(`${operation.name} changed nothing`);
      known.set(operation.name, reference);
      world = restart(original, folder, operation);
    }
    // Later half more often: files are written at the end.
    const after = Math.floor(reference.duration * (1 - 0.8 * random.float() ** 2) + 20 * random.float());
    await start(operation.words(world), after);
    yield { operation: operation.name, after, ...(await judge(operation, world, reference)) };
  }
}

function restart(original: World, folder: string, operation: Operation): World {
  const world = copyWorld(original, folder);
  operation.prepare?.(world);
  return world;
}

async function judge(
  operation: Operation,
  world: World,
  { before, after }: { before: string; after: string },
): Promise<Pick<Kill, 'state' | 'why'>> {
  try {
    const state = await operation.state(world);
    if (state !== before && state !== after) return { state: 'in between', why: state.slice(0, 300) };
    // What is left must not be in the way of the next attempt.
    const again = state === before ? await start([...operation.words(world)]) : 0;
    if (again !== 0) return { state: 'in between', why: `the next attempt ended with ${again}` };
    if (state === before && (await operation.state(world)) !== after) {
      return { state: 'in between', why: 'the next attempt gave something else' };
    }
    const left = [...contentOf(world.folder).keys()].filter((path) => /\.recal-files|\.new$/.test(path));
    if (state === before && left.length > 0) return { state: 'in between', why: `left: ${left.join(', ')}` };
    return { state: state === before ? 'before' : 'after' };
  } catch (error) {
    return { state: 'in between', why: error instanceof Error ? error.message.slice(0, 300) : String(error) };
  }
}

/** Runs a command and returns its exit code; with a time, kills it then and returns undefined. */
function start(words: readonly string[], killAfter?: number): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN, ...words, '--quiet'], { stdio: 'ignore' });
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}
