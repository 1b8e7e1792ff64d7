import { enlarge } from '../../base/enlarge.js';
import { BEHAVIOUR_KINDS, behavioursOf } from '../../detect/episodes/novelty/behaviours.js';
import { PairTable } from '../../detect/evidence/pair-table.js';
import { nameTemplate } from '../../features/name-template.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { KeyTable } from '../../store/key-table.js';

/** A Map holds at most 2^24 entries. All texts beyond this number count as one. */
const MAX_TEXTS = 1 << 23;

/** Numbers texts in the order of their first use. */
class TextTable {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  intern(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#numbers.size >= MAX_TEXTS && text !== '') return this.intern('');
    this.#numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

/** Numbers the entities, programs and behaviours of a log, so that its parts can be compared. */
export class Catalogue {
  readonly #hosts = new TextTable();
  readonly #entities = new KeyTable();
  readonly #programs = new TextTable();
  readonly #relations = new TextTable();
  readonly #names = new TextTable();
  /** (relation and type, name) of an event, which decide its behaviours. */
  readonly #acts = new PairTable();
  readonly #behavioursOfAct: Int32Array[] = [];
  readonly #behaviours = new TextTable();
  #kinds = new Uint8Array(256);
  #begun = new BigInt64Array(256);

  host(name: string): number {
    return this.#hosts.intern(name);
  }

  /** The number of an entity. A new one begins at `ts`. */
  entity(host: number, key: Uint32Array, ts: bigint): number {
    const number = this.#entities.intern(host, key[0], key[1], key[2], key[3]);
    if (number === this.#begun.length) this.#begun = enlarge(this.#begun);
    if (number === this.#known) {
      this.#begun[number] = ts;
      this.#known++;
    }
    return number;
  }
  #known = 0;

  /** The time of the first event of an entity. */
  begun(entity: number): bigint {
    return this.#begun[entity];
  }

  /** The number of the program with this executable. */
  program(name: string): number {
    return this.#programs.intern(nameTemplate(name));
  }

  programName(program: number): string {
    return this.#programs.texts[program];
  }

  relation(name: string): number {
    return this.#relations.intern(name);
  }

  name(text: string): number {
    return this.#names.intern(text);
  }

  /** The number of the act: a relation towards an object of this type and name. */
  act(relation: number, type: number, name: number): number {
    const before = this.#acts.size;
    const act = this.#acts.intern(relation * ENTITY_TYPES.length + type, name);
    if (act === before) {
      const relationName = this.#relations.texts[relation];
      const found = behavioursOf(relationName, ENTITY_TYPES[type], this.#names.texts[name]);
      this.#behavioursOfAct.push(
        Int32Array.from(found, ({ kind, what }) =>
          this.#behaviour(BEHAVIOUR_KINDS.indexOf(kind), JSON.stringify([kind, ...what])),
        ),
      );
    }
    return act;
  }

  behavioursOf(act: number): Int32Array {
    return this.#behavioursOfAct[act];
  }

  /** Index into `BEHAVIOUR_KINDS`. */
  kindOf(behaviour: number): number {
    return this.#kinds[behaviour];
  }

  get behaviourCount(): number {
    return this.#behaviours.texts.length;
  }

  #behaviour(kind: number, text: string): number {
    const number = this.#behaviours.intern(text);
    if (number >= this.#kinds.length) this.#kinds = enlarge(this.#kinds);
    this.#kinds[number] = kind;
    return number;
  }
}
