import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../dist/base/random.js';
import { type Answer, contentOf, copyWorld, detectWords, isSame, recalHere, type World } from './world.js';

/** What a flip hit, and what the commands answered. */
export interface Flip {
  readonly file: string;
  readonly bit: number;
  /** Commands that ended with 0 although their output differs, or that found the damaged file intact. */
  readonly silent: readonly string[];
  /** Commands that refused. */
  readonly refused: number;
}

const KINDS = ['events', 'entities', 'manifest', 'model', 'alerts'] as const;

/**
 * Flips random bits, one at a time, of segments, manifest, model and results, and runs the commands that read them. A
 * command must refuse, or answer as if nothing happened.
 */
export async function* flipBits(
  original: World,
  { folder, seed, count }: { folder: string; seed: number; count: number },
): AsyncGenerator<Flip> {
  const world = copyWorld(original, folder);
  const random = new Random(seed).stream('flips');
  const out = `${folder}-out`;
  const expected = await answers(world, out);
  for (const { answer } of expected) if (answer.code !== 0) throw new Error(`undamaged: ${answer.text}`);
  for (let i = 0; i < count; i++) {
    const file = pick(filesOf(world, KINDS[i % KINDS.length]), random);
    const bit = Math.floor(random.float() * 8 * statSync(file).size);
    const bytes = readFileSync(file);
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] ^= 1 << (bit & 7);
    writeFileSync(file, damaged);
    const silent: string[] = [];
    let refused = 0;
    for (const [n, { name, answer, files }] of (await answers(world, out)).entries()) {
      if (answer.code !== 0) refused++;
      else if (answer.text !== expected[n].answer.text || !isSame(files, expected[n].files))
        silent.push(name);
    }
    writeFileSync(file, bytes);
    yield { file: file.slice(folder.length + 1), bit, silent, refused };
  }
}

interface Named {
  readonly name: string;
  readonly answer: Answer;
  readonly files: ReadonlyMap<string, string>;
}

async function answers(world: World, out: string): Promise<Named[]> {
  const { store, model, alerts } = world;
  rmSync(out, { recursive: true, force: true });
  const found: Named[] = [];
  const ask = async (name: string, words: string[], written?: string) => {
    // Times and memory differ from run to run, so the text of detect is not compared.
    const answer = await recalHere(...words);
    const files = written === undefined ? new Map<string, string>() : contentOf(written);
    found.push({ name, answer: written === undefined ? answer : { ...answer, text: '' }, files });
  };
  await ask('detect', [...detectWords(world, out), '--no-report'], out);
  await ask('verify', ['verify', '--store', store, '--alerts', alerts]);
  await ask('model', ['model', 'show', model, '--json']);
  const first = firstIncident(join(alerts, 'incidents.jsonl'));
  await ask('explain', ['explain', first, '--alerts', alerts, '--events', '0', '--json']);
  return found;
}

/** The id is read from the sound prefix of the line: the damage may be anywhere. */
let incident: string | undefined;
function firstIncident(path: string): string {
  if (incident === undefined && existsSync(path)) {
    incident = (JSON.parse(readFileSync(path, 'utf8').split('\n')[0]) as { id: string }).id;
  }
  return incident ?? '';
}

function filesOf({ store, model, alerts }: World, kind: (typeof KINDS)[number]): string[] {
  if (kind === 'model') return [model];
  if (kind === 'manifest') return ['manifest.json', 'manifest.backup.json'].map((name) => join(store, name));
  const folder = kind === 'alerts' ? alerts : join(store, kind);
  return [...contentOf(folder).keys()].map((path) => join(folder, path));
}

function pick(files: readonly string[], random: { float(): number }): string {
  return files[Math.floor(random.float() * files.length)];
}
