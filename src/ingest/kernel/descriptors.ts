import type { EntityRecord } from './entity-record.js';

/** The most descriptors kept for a process. The oldest ones are forgotten. */
const MAX_DESCRIPTORS = 1024;

/** What a descriptor stands for. */
export interface Descriptor {
  readonly entity: EntityRecord;
  /** True if a successful exec closes it. */
  readonly closeOnExec: boolean;
}

/**
 * The descriptors of a process. A child shares the table of its parent until one of them changes it, because most children
 * exec soon.
 */
export class Descriptors {
  #entries: Map<number, Descriptor>;
  /** The tables that share the entries. */
  #sharers: { count: number };

  constructor(entries = new Map<number, Descriptor>(), sharers = { count: 1 }) {
    this.#entries = entries;
    this.#sharers = sharers;
  }

  get(number: number): EntityRecord | undefined {
    return this.#entries.get(number)?.entity;
  }

  set(number: number, entity: EntityRecord, closeOnExec: boolean): void {
    const entries = this.#own();
    entries.set(number, { entity, closeOnExec });
    if (entries.size > MAX_DESCRIPTORS) entries.delete(entries.keys().next().value as number);
  }

  delete(number: number): void {
    if (this.#entries.has(number)) this.#own().delete(number);
  }

  deleteRange(first: number, last: number): void {
    for (const number of [...this.#entries.keys()])
      if (number >= first && number <= last) this.delete(number);
  }

  /** The table of a child. */
  fork(): Descriptors {
    this.#sharers.count++;
    return new Descriptors(this.#entries, this.#sharers);
  }

  /** Forgets the descriptors that an exec closes. */
  exec(): void {
    for (const [number, { closeOnExec }] of this.#entries) if (closeOnExec) this.delete(number);
  }

  entries(): Iterable<[number, Descriptor]> {
    return this.#entries;
  }

  #own(): Map<number, Descriptor> {
    if (this.#sharers.count > 1) {
      this.#sharers.count--;
      this.#sharers = { count: 1 };
      this.#entries = new Map(this.#entries);
    }
    return this.#entries;
  }
}
