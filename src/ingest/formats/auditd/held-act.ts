import { append } from '../../../base/append.js';
import {
  ACT,
  ACT_HEAD,
  ACT_TEXTS,
  ARG,
  ARG_WORDS,
  NONE,
  PATH_WORDS,
  SEEN,
  TARGET_WORDS,
} from '../../kernel/act.js';
import { folderArgument, WORKING_FOLDER } from '../../kernel/act-folders.js';
import type { ActTape } from '../../kernel/act-tape.js';
import { CALLS } from '../../kernel/calls.js';
import { joinPath } from '../../kernel/path-join.js';

type Text = string | null;

/** An act that may get further records from the next block. Its texts are strings, as it outlives its tape. */
export interface HeldAct {
  /** The first ACT_HEAD words. Texts are in `texts`. */
  words: number[];
  host: Text;
  texts: Text[];
  targets: [pid: number, name: Text][];
  args: [index: number, piece: number, text: Text, a0: Text, a1: Text, a2: Text][];
  paths: [item: number, role: number, mode: number, device: number, low: number, high: number, name: Text][];
  /** Lines of the whole input, from 0: of its last record, and the one that stands for the act. */
  last: number;
  line: number;
}

const LINES = new Set<number>([ACT.length, ACT.first, ACT.last, ACT.line]);

/** Tells whether an act has all its records: its end, the call, as many paths as the call has, the arguments of an exec. */
export function isComplete(words: ArrayLike<number>, at: number): boolean {
  const seen = words[at + ACT.seen];
  if ((seen & SEEN.alone) !== 0) return true;
  if ((seen & (SEEN.end | SEEN.call)) !== (SEEN.end | SEEN.call)) return false;
  if (words[at + ACT.paths] < words[at + ACT.items]) return false;
  const call = words[at + ACT.call];
  const isExec = call !== NONE && CALLS[call].kind === 'exec' && words[at + ACT.ok] === 2;
  return !isExec || (seen & SEEN.args) !== 0;
}

/** Names the event that an act belongs to. */
export function keyOfHeld({ words, host }: HeldAct): string {
  return `${words[ACT.serial]} ${words[ACT.timeHigh]} ${words[ACT.timeLow]} ${host ?? ''}`;
}

export function keyOfAct({ words }: ActTape, act: number, host: string | undefined): string {
  return `${words[act + ACT.serial]} ${words[act + ACT.timeHigh]} ${words[act + ACT.timeLow]} ${host ?? ''}`;
}

/** Copies an act from the tape. `base` is the line of the whole input at which the tape starts. */
export function holdAct(tape: ActTape, act: number, host: string | undefined, base: number): HeldAct {
  const { words } = tape;
  const text = (number: number): Text => tape.text(number) ?? null;
  const isFull = (words[act + ACT.seen] & SEEN.full) !== 0;
  const head = Array.from({ length: ACT_HEAD }, (_, i) => (i < ACT.call || isFull ? words[act + i] : NONE));
  if (!isFull)
    for (const word of [ACT.ok, ACT.items, ACT.family, ACT.targets, ACT.args, ACT.paths]) head[word] = 0;
  const rows = (first: number, count: number, width: number): number[][] =>
    Array.from({ length: count }, (_, i) => [...words.subarray(first + i * width, first + (i + 1) * width)]);
  const [targets, args, paths] = isFull
    ? [tape.targetsAt(act), tape.argsAt(act), tape.pathsAt(act)]
    : [0, 0, 0];
  return {
    words: head,
    host: host ?? null,
    texts: ACT_TEXTS.map((word) => text(head[word])),
    targets: rows(targets, head[ACT.targets], TARGET_WORDS).map(([pid, name]) => [pid, text(name)]),
    args: rows(args, head[ACT.args], ARG_WORDS).map((row) => [
      row[ARG.index],
      row[ARG.piece],
      text(row[ARG.text]),
      text(row[ARG.a0]),
      text(row[ARG.a1]),
      text(row[ARG.a2]),
    ]),
    paths: rows(paths, head[ACT.paths], PATH_WORDS).map(([item, role, mode, device, low, high, name]) => [
      item,
      role,
      mode,
      device,
      low,
      high,
      text(name),
    ]),
    last: base + words[act + ACT.last],
    line: base + words[act + ACT.line],
  };
}

/** Adds the records of `more`, which came later, to an act. */
export function mergeActs(act: HeldAct, more: HeldAct): void {
  const hasCall = (more.words[ACT.seen] & SEEN.call) !== 0;
  if (hasCall) act.line = more.line;
  act.last = more.last;
  for (let word = 0; word < ACT_HEAD; word++) {
    if (LINES.has(word)) continue;
    if (word === ACT.seen) act.words[word] |= more.words[word];
    else if (word === ACT.records) act.words[word] += more.words[word];
    else if (word === ACT.items || word === ACT.ok || word === ACT.family)
      act.words[word] = Math.max(act.words[word], more.words[word]);
    else if (word < ACT.targets && more.words[word] !== NONE) act.words[word] = more.words[word];
  }
  for (const [i, text] of more.texts.entries()) act.texts[i] = text ?? act.texts[i];
  append(act.targets, more.targets);
  append(act.args, more.args);
  append(act.paths, more.paths);
  act.words[ACT.targets] = act.targets.length;
  act.words[ACT.args] = act.args.length;
  act.words[ACT.paths] = act.paths.length;
}

/** Appends a held act to a tape and returns its offset. Its lines may be before those of the tape. */
export function releaseAct(held: HeldAct, tape: ActTape, host: number, base: number): number {
  const words = [...held.words];
  const number = (text: Text): number => tape.numberOf(text ?? undefined);
  for (const [i, word] of ACT_TEXTS.entries()) words[word] = number(held.texts[i]);
  words[ACT.seen] |= SEEN.full;
  words[ACT.host] = host;
  words[ACT.line] = held.line - base;
  words[ACT.last] = held.last - base;
  for (const [pid, name] of held.targets) words.push(pid, number(name));
  for (const [index, piece, ...texts] of held.args) words.push(index, piece, ...texts.map(number));
  for (const row of held.paths) {
    const [item, role, mode, device, low, high, name] = row;
    words.push(
      item,
      role,
      mode,
      device,
      low,
      high,
      number(name),
      number(absolutePath(held, role, item, name)),
    );
  }
  words[ACT.length] = words.length;
  return tape.append(words);
}

function absolutePath({ words, texts }: HeldAct, role: number, item: number, name: Text): Text {
  if (name === null) return null;
  if (name.startsWith('/')) return joinPath('/', name);
  const argument = folderArgument(words[ACT.call], role, item);
  if (argument >= 0 && words[ACT.a0 + argument] !== WORKING_FOLDER) return null;
  const cwd = texts[ACT_TEXTS.indexOf(ACT.cwd)];
  return cwd === null ? null : joinPath(cwd, name);
}
