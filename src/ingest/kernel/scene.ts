import { ACT, NONE, PATH, PATH_WORDS, ROLE, ROLES } from './act.js';
import { folderArgument, WORKING_FOLDER } from './act-folders.js';
import type { ActTape } from './act-tape.js';
import type { Call } from './calls.js';
import { Descriptors } from './descriptors.js';
import type { EntityRecord } from './entity-record.js';
import type { EventKind, EventOutput } from './event-output.js';
import type { HostState } from './host-state.js';
import { joinPath } from './path-join.js';
import type { ProcessRecord } from './process-record.js';

/** What became of an act: events, a change of the state that later events show, or the reason why it was left out. */
export type Outcome = 'kept' | 'merged' | SkipReason;

export type SkipReason =
  | 'thread'
  | 'failedCall'
  | 'otherCall'
  | 'unknownCall'
  | 'noPath'
  | 'unknownFolder'
  | 'unknownDescriptor'
  | 'noAddress'
  | 'otherAddress'
  | 'unchangedUser'
  | 'unknownProcess'
  | 'noProcess';

const FORMAT_MASK = 0o170000;
const DIRECTORY = 0o040000;
const KINDS: ReadonlyMap<number, string> = new Map([
  [0o010000, 'fifo'],
  [0o020000, 'character-device'],
  [DIRECTORY, 'directory'],
  [0o060000, 'block-device'],
  [0o100000, 'file'],
  [0o120000, 'link'],
  [0o140000, 'socket'],
]);

const PERMISSION_DENIED = -13;
const NOT_PERMITTED = -1;

/** The act that the state works on, with its process and its host. */
export class Scene {
  readonly tape: ActTape;
  readonly out: EventOutput;
  act = 0;
  time = 0;
  host!: HostState;
  process!: ProcessRecord;
  call!: Call;
  /** The index of the call in CALLS. */
  callNumber = 0;
  /** True if the act changed the user of the process. */
  userChanged = false;
  /** True if the call starts a program. */
  isExec = false;

  constructor(tape: ActTape, out: EventOutput) {
    this.tape = tape;
    this.out = out;
  }

  word(word: number): number {
    return this.tape.words[this.act + word];
  }

  text(word: number): string | undefined {
    return this.tape.text(this.tape.words[this.act + word]);
  }

  argument(index: number): number {
    return this.tape.words[this.act + ACT.a0 + index];
  }

  get failed(): boolean {
    return this.word(ACT.ok) === 1;
  }

  /** True if the call failed because it was not allowed, which is worth an event. */
  get denied(): boolean {
    const exit = this.word(ACT.exit);
    return this.failed && (exit === PERMISSION_DENIED || exit === NOT_PERMITTED);
  }

  /** The kind of the event of the call itself. */
  kind(): EventKind {
    return this.out.kindOf(this.callNumber, this.call);
  }

  /** Adds an event of the process, with the result of the call. */
  event(kind: EventKind, object?: EntityRecord, object2?: EntityRecord): Outcome {
    this.out.event(kind, this.word(ACT.ok), this.process, object, object2);
    return 'kept';
  }

  get descriptors(): Descriptors {
    this.process.descriptors ??= new Descriptors();
    return this.process.descriptors;
  }

  /** The offset of the last path with one of these roles, given as bits of ROLES, or -1. */
  lastPath(roles: number): number {
    const first = this.tape.pathsAt(this.act);
    for (let at = first + (this.word(ACT.paths) - 1) * PATH_WORDS; at >= first; at -= PATH_WORDS)
      if (((roles >> this.tape.words[at + PATH.role]) & 1) !== 0) return at;
    return -1;
  }

  /** The offset of the first path with one of these roles, given as bits of ROLES, or -1. */
  firstPath(roles: number): number {
    const first = this.tape.pathsAt(this.act);
    const end = first + this.word(ACT.paths) * PATH_WORDS;
    for (let at = first; at < end; at += PATH_WORDS)
      if (((roles >> this.tape.words[at + PATH.role]) & 1) !== 0) return at;
    return -1;
  }

  /** The file of a path of the act, or the reason why it is not known. Learns folders by the way. */
  file(path: number): EntityRecord | SkipReason {
    if (path < 0) return 'noPath';
    const { words } = this.tape;
    if (words[path + PATH.name] === NONE) return 'noPath';
    const text = this.#absolute(path);
    if (text === NONE) return 'unknownFolder';
    const mode = words[path + PATH.mode];
    if ((mode & FORMAT_MASK) === DIRECTORY) this.#learnFolder(path, text);
    return this.out.file(text, KINDS.get(mode & FORMAT_MASK));
  }

  /** Learns where the folders of the act are, for names that start from their descriptors. */
  learnParents(): void {
    const first = this.tape.pathsAt(this.act);
    const end = first + this.word(ACT.paths) * PATH_WORDS;
    const { words } = this.tape;
    for (let at = first; at < end; at += PATH_WORDS) {
      if (words[at + PATH.role] !== ROLE.parent || words[at + PATH.path] === NONE) continue;
      if (!this.#isStandIn(at)) this.#learnFolder(at, words[at + PATH.path]);
    }
  }

  /** For a name without a folder, the kernel gives the working folder, even if the name starts from a descriptor. */
  #isStandIn(parent: number): boolean {
    const { words } = this.tape;
    const argument = folderArgument(this.word(ACT.call), ROLE.parent, words[parent + PATH.item]);
    if (argument < 0 || this.argument(argument) === WORKING_FOLDER) return false;
    return this.tape.text(words[parent + PATH.name]) === this.text(ACT.cwd);
  }

  /** The text of the absolute path, or NONE. */
  #absolute(path: number): number {
    const { words } = this.tape;
    if (words[path + PATH.path] !== NONE) return words[path + PATH.path];
    const name = this.tape.text(words[path + PATH.name]) as string;
    const role = words[path + PATH.role];
    const argument = folderArgument(this.word(ACT.call), role, words[path + PATH.item]);
    if (argument < 0 || this.argument(argument) === WORKING_FOLDER) return NONE;
    const opened = this.process.descriptors?.get(this.argument(argument));
    // Without the records of every copy and close, a number may still stand for a file that is closed.
    if (opened?.type === 'file' && (opened.kind ?? 'directory') === 'directory')
      return this.tape.numberOf(joinPath(opened.id, name));
    const parent = this.firstPath(ROLES.parent);
    const known = parent >= 0 && !name.includes('/') ? this.host.folder(this.#inodeOf(parent)) : undefined;
    if (known !== undefined) return this.tape.numberOf(joinPath(known, name));
    const itself = role === ROLE.create ? undefined : this.host.folder(this.#inodeOf(path));
    return itself === undefined ? NONE : this.tape.numberOf(itself);
  }

  #learnFolder(path: number, text: number): void {
    const { words, generation } = this.tape;
    const { recent } = this.host;
    const [device, high, low] = [path + PATH.device, path + PATH.inodeHigh, path + PATH.inodeLow];
    if (recent.has(words[device], words[high], words[low], generation, text)) return;
    const name = this.tape.text(text) as string;
    if (!name.startsWith('/proc/')) this.host.setFolder(this.#inodeOf(path), name);
    recent.add(words[device], words[high], words[low], generation, text);
  }

  #inodeOf(path: number): string {
    const { words } = this.tape;
    return `${words[path + PATH.device]}:${words[path + PATH.inodeHigh]}:${words[path + PATH.inodeLow]}`;
  }
}
