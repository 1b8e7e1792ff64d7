import { enlarge } from '../../../base/enlarge.js';
import { nameTemplate } from '../../../features/name-template.js';
import { formatKey } from '../../../ingest/entity-key.js';
import { ENTITY_TYPES } from '../../../ingest/event.js';
import { KeyTable } from '../../../store/key-table.js';
import { PairTable } from '../../evidence/pair-table.js';
import { type BehaviourKey, keyOfText } from './behaviour-key.js';
import { BEHAVIOUR_KINDS, type BehaviourKind, behavioursOf } from './behaviours.js';

/** The kinds of behaviour that novelty is counted by, from coarse to fine; `parent` is who starts a program. */
export const NOVELTY_KINDS = [...BEHAVIOUR_KINDS, 'parent'] as const;
export type NoveltyKind = BehaviourKind | 'parent';

const PARENT = NOVELTY_KINDS.indexOf('parent');
/** A Map holds at most 2^24 entries. All texts beyond this number count as one. */
const MOST_TEXTS = 1 << 23;

/** Numbers texts, with the key of each. */
class KeyedTexts {
  readonly texts: string[] = [];
  readonly #tag: string;
  readonly #numbers = new Map<string, number>();
  #high = new Int32Array(256);
  #low = new Int32Array(256);

  constructor(tag: string) {
    this.#tag = tag;
  }

  intern(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.texts.length >= MOST_TEXTS && text !== '') return this.intern('');
    const number = this.texts.push(text) - 1;
    this.#numbers.set(text, number);
    if (number === this.#high.length) [this.#high, this.#low] = [enlarge(this.#high), enlarge(this.#low)];
    const { high, low } = keyOfText(this.#tag, text);
    this.#high[number] = high;
    this.#low[number] = low;
    return number;
  }

  keyAt(number: number): BehaviourKey {
    return { high: this.#high[number], low: this.#low[number] };
  }
}

/** Numbers the processes, programs and behaviours of one part of a log. */
export class Catalogue {
  readonly #hosts = new Map<string, number>();
  readonly #roles = new Map<string, string>();
  readonly #entities = new KeyTable();
  #begun = new BigInt64Array(256);
  readonly #programs = new KeyedTexts('program');
  readonly #executables: string[] = [];
  readonly #names: string[] = [];
  readonly #nameNumbers = new Map<string, number>();
  readonly #relations: string[] = [];
  readonly #relationNumbers = new Map<string, number>();
  readonly #acts = new PairTable();
  /** The behaviours of all acts after each other, and where those of each act begin. */
  #shown = new Int32Array(1024);
  #shownFrom = new Int32Array(256);
  readonly #behaviours = new KeyedTexts('does');
  #kinds = new Uint8Array(256);

  /** The number of an entity. A new one begins at `ts`. */
  entity(host: string, key: Uint32Array, ts: bigint): number {
    const before = this.#entities.size;
    const number = this.#entities.intern(numberOf(this.#hosts, host), key[0], key[1], key[2], key[3]);
    if (number === before) {
      if (number === this.#begun.length) this.#begun = enlarge(this.#begun);
      this.#begun[number] = ts;
    }
    return number;
  }

  /** The identifiers of all hosts. */
  get hosts(): string[] {
    return [...this.#hosts.keys()];
  }

  /** Index into `hosts` of the host of an entity. */
  hostOf(entity: number): number {
    return this.#entities.hostAt(entity);
  }

  /** What the host is for, by which it is compared with others. */
  roleOf(host: string): string {
    return this.#roles.get(host) ?? '';
  }

  setRole(host: string, role: string): void {
    this.#roles.set(host, role);
  }

  /** The key of an entity as a UUID. */
  uuid(entity: number): string {
    const words = new Uint32Array(4);
    this.#entities.keyAt(entity, words);
    return formatKey(words[0], words[1], words[2], words[3]);
  }

  /** The time of the first event of an entity. */
  begun(entity: number): bigint {
    return this.#begun[entity];
  }

  /** The number of the program with this executable. */
  program(name: string): number {
    const number = this.#programs.intern(nameTemplate(name));
    // A behaviour may mention a program by its template before the log names it.
    const known = this.#executables[number];
    if (known === undefined || known === this.#programs.texts[number]) this.#executables[number] = name;
    return number;
  }

  /** The first executable of a program, as the log names it. */
  executable(program: number): string {
    return this.#executables[program];
  }

  programName(program: number): string {
    return this.#programs.texts[program];
  }

  programKey(program: number): BehaviourKey {
    return this.#programs.keyAt(program);
  }

  name(text: string): number {
    const number = numberOf(this.#nameNumbers, text);
    this.#names[number] = text;
    return number;
  }

  nameAt(number: number): string {
    return this.#names[number];
  }

  relation(name: string): number {
    const number = numberOf(this.#relationNumbers, name);
    this.#relations[number] = name;
    return number;
  }

  /** The number of an act: a relation towards an object of this type and name. */
  act(relation: number, type: number, name: number): number {
    const before = this.#acts.size;
    const act = this.#acts.intern(relation * ENTITY_TYPES.length + type, name);
    if (act === before) {
      if (act + 1 === this.#shownFrom.length) this.#shownFrom = enlarge(this.#shownFrom);
      let end = this.#shownFrom[act];
      for (const { kind, what } of behavioursOf(
        this.#relations[relation],
        ENTITY_TYPES[type],
        this.#names[name],
      )) {
        if (end === this.#shown.length) this.#shown = enlarge(this.#shown);
        this.#shown[end++] = this.#behaviour(BEHAVIOUR_KINDS.indexOf(kind), JSON.stringify([kind, ...what]));
      }
      this.#shownFrom[act + 1] = end;
    }
    return act;
  }

  /** The behaviours that an act shows. */
  behavioursOf(act: number): Int32Array {
    return this.#shown.subarray(this.#shownFrom[act], this.#shownFrom[act + 1]);
  }

  /** The behaviour of being started by a program. */
  startedBy(program: number): number {
    return this.#behaviour(PARENT, JSON.stringify(['parent', this.programName(program)]));
  }

  behaviourKey(behaviour: number): BehaviourKey {
    return this.#behaviours.keyAt(behaviour);
  }

  /** The kind, and what tells it apart from others of the kind. */
  describe(behaviour: number): readonly [kind: NoveltyKind, ...what: (string | number)[]] {
    return JSON.parse(this.#behaviours.texts[behaviour]);
  }

  /** Index into `NOVELTY_KINDS`. */
  kindOf(behaviour: number): number {
    return this.#kinds[behaviour];
  }

  #behaviour(kind: number, text: string): number {
    const number = this.#behaviours.intern(text);
    if (number >= this.#kinds.length) this.#kinds = enlarge(this.#kinds);
    this.#kinds[number] = kind;
    return number;
  }
}

function numberOf(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, numbers.size);
  return numbers.size - 1;
}
