import { ACT, ACT_HEAD, NONE, SEEN } from './act.js';

/** An act in the making. Parsers set words by their name in ACT, and add targets, arguments and paths. */
export class ActBuilder {
  readonly words = new Int32Array(ACT_HEAD);
  readonly targets: number[] = [];
  readonly args: number[] = [];
  readonly paths: number[] = [];

  /** Forgets everything. */
  clear(): void {
    this.words.fill(NONE);
    this.words[ACT.seen] = 0;
    this.words[ACT.records] = 0;
    this.words[ACT.ok] = 0;
    this.words[ACT.items] = 0;
    this.words[ACT.family] = 0;
    this.targets.length = 0;
    this.args.length = 0;
    this.paths.length = 0;
  }

  /** Forgets what the record of the call told. */
  clearCall(): void {
    this.words.fill(NONE, ACT.call, ACT.cwd);
    this.words[ACT.ok] = 0;
    this.words[ACT.items] = 0;
  }

  set(word: number, value: number): void {
    this.words[word] = value;
    if (word >= ACT.call) this.words[ACT.seen] |= SEEN.full;
  }

  addTarget(pid: number, name: number): void {
    this.targets.push(pid, name);
    this.words[ACT.seen] |= SEEN.full;
  }

  addPath(...words: readonly [number, number, number, number, number, number, number, number]): void {
    this.paths.push(...words);
    this.words[ACT.seen] |= SEEN.full;
  }

  addArgs(...words: readonly [number, number, number, number, number, number]): void {
    this.args.push(...words);
    this.words[ACT.seen] |= SEEN.full | SEEN.args;
  }
}
