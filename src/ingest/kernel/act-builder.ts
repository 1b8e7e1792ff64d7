import { ACT, ACT_HEAD, ARG_WORDS, NONE, PATH, PATH_WORDS, SEEN, TARGET_WORDS } from './act.js';
import { WordList } from './word-list.js';

/** An act in the making. Parsers set words by their name in ACT, and add targets, arguments and paths. */
export class ActBuilder {
  readonly words = new Int32Array(ACT_HEAD);
  readonly targets = new WordList();
  readonly args = new WordList();
  readonly paths = new WordList();

  /** Forgets everything. */
  clear(): void {
    const { words } = this;
    for (let i = 0; i < ACT_HEAD; i++) words[i] = NONE; // `fill` takes several times as long for so few
    words[ACT.seen] = 0;
    words[ACT.records] = 0;
    words[ACT.ok] = 0;
    words[ACT.items] = 0;
    words[ACT.family] = 0;
    this.targets.clear();
    this.args.clear();
    this.paths.clear();
  }

  /** Forgets what the record of the call told. */
  clearCall(): void {
    for (let i = ACT.call; i < ACT.cwd; i++) this.words[i] = NONE;
    this.words[ACT.ok] = 0;
    this.words[ACT.items] = 0;
  }

  set(word: number, value: number): void {
    this.words[word] = value;
    if (word >= ACT.call) this.words[ACT.seen] |= SEEN.full;
  }

  addTarget(pid: number, name: number): void {
    const at = this.targets.extend(TARGET_WORDS);
    this.targets.words[at] = pid;
    this.targets.words[at + 1] = name;
    this.words[ACT.seen] |= SEEN.full;
  }

  /** Adds a path, of which only the name as written is known. */
  addPath(
    item: number,
    role: number,
    mode: number,
    device: number,
    inodeLow: number,
    inodeHigh: number,
    name: number,
  ): void {
    const at = this.paths.extend(PATH_WORDS);
    const { words } = this.paths;
    words[at + PATH.item] = item;
    words[at + PATH.role] = role;
    words[at + PATH.mode] = mode;
    words[at + PATH.device] = device;
    words[at + PATH.inodeLow] = inodeLow;
    words[at + PATH.inodeHigh] = inodeHigh;
    words[at + PATH.name] = name;
    words[at + PATH.path] = NONE;
    this.words[ACT.seen] |= SEEN.full;
  }

  addArgs(...words: readonly [number, number, number, number, number, number]): void {
    const at = this.args.extend(ARG_WORDS);
    this.args.words.set(words, at);
    this.words[ACT.seen] |= SEEN.full | SEEN.args;
  }
}
