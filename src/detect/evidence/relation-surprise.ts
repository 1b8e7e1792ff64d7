import { enlarge } from '../../base/enlarge.js';
import { RecalError } from '../../base/errors.js';
import type { GraphView } from '../graph-view.js';
import type { CountedEvidence, EvidenceRows, EvidenceSamples } from './evidence.js';
import { largestOfInteractions, rolesOfSlots, sampleInteractions } from './interaction-evidence.js';
import { internLevels, LevelCache, type LevelTable, type NodeLevels } from './level-table.js';
import { MAX_LEVELS } from './name-levels.js';
import { phraseRelationSurprise } from './name-sentences.js';
import { PairTable } from './pair-table.js';

/** The coarsest context: all interactions of training. */
const EVERYTHING = -1;

/** The counts as plain arrays, for a model file. */
export interface RelationSurpriseArrays {
  /** By context: the levels of the subject's and the object's name; -1 and -1 for all interactions. */
  readonly subjects: Int32Array;
  readonly objects: Int32Array;
  /** By count: its context, its relation, and n. */
  readonly contexts: Int32Array;
  readonly relations: Int32Array;
  readonly counts: Uint32Array;
}

/**
 * Relation surprise (method §11): u = −ln P(r | name(s), name(o)), how unlikely this relation is between these two
 * entities. Counts back off from (program, full name) through the coarser levels of the object to (program, type),
 * (type, type), all interactions, and 1 / (|R| + 1), each interpolated by Witten–Bell.
 */
export class RelationSurprise implements CountedEvidence {
  readonly slotCount: number;
  readonly groupOf: Uint8Array;
  readonly #relations: readonly string[];
  readonly #relationCount: number;
  readonly #table: LevelTable;
  readonly #cache: LevelCache;
  readonly #contexts = new PairTable();
  /** By context: n, and T, the number of distinct relations. */
  #n = new Uint32Array(256);
  #t = new Uint32Array(256);
  /** (context, relation), with its n. */
  readonly #rows = new PairTable();
  #counts = new Uint32Array(256);
  /** The contexts of the current interaction, coarsest first; -1 for one that training never saw. */
  readonly #chain = new Int32Array(MAX_LEVELS + 2);
  #chainLength = 0;

  /** `relations` is R in the model's order. `fit` adds levels to the table, which may be shared. */
  constructor(relations: readonly string[], table: LevelTable) {
    this.#relations = relations;
    this.#relationCount = relations.length + 1;
    this.slotCount = 2 * this.#relationCount;
    this.groupOf = rolesOfSlots(this.#relationCount);
    this.#table = table;
    this.#cache = new LevelCache(table);
  }

  /** Counts the interactions of training graphs, each (subject, relation, object) once per graph. */
  fit(views: Iterable<GraphView>): void {
    for (const [view, levels] of internLevels(this.#table, views)) {
      const { length, relation } = view.interactions;
      for (let i = 0; i < length; i++) {
        if (relation[i] >= this.#relations.length) continue; // `<new>` has no counts
        this.#buildChain(view, levels, i, (a, b) => this.#contexts.intern(a, b));
        for (let at = 0; at < this.#chainLength; at++) this.#add(this.#chain[at], relation[i], 1);
      }
    }
  }

  /** u of each interaction. */
  surprises(view: GraphView): Float64Array {
    const levels = this.#cache.of(view.names);
    return Float64Array.from({ length: view.interactions.length }, (_, i) => {
      this.#buildChain(view, levels, i, (a, b) => this.#contexts.find(a, b));
      return -Math.log(this.#probability(view.interactions.relation[i]));
    });
  }

  samples(view: GraphView): EvidenceSamples {
    return sampleInteractions(view, this.surprises(view), this.#relationCount);
  }

  rows(view: GraphView): EvidenceRows {
    return largestOfInteractions(view, this.surprises(view), this.#relationCount);
  }

  explain(view: GraphView, interaction: number): string {
    const { planned, interactions, names } = view;
    const relation = interactions.relation[interaction];
    this.#buildChain(view, this.#cache.of(names), interaction, (a, b) => this.#contexts.find(a, b));
    // The finest context that training saw shows what is usual.
    let at = this.#chainLength - 1;
    while (at > 0 && this.#chain[at] < 0) at--;
    const context = this.#chain[at];
    const row = this.#rows.find(context, relation);
    return phraseRelationSurprise({
      names,
      relation: this.#relations[relation],
      level: at - 2,
      subject: planned.nodes[interactions.subject[interaction]],
      object: planned.nodes[interactions.object[interaction]],
      times: row < 0 ? 0 : this.#counts[row],
      total: context < 0 ? 0 : this.#n[context],
    });
  }

  toArrays(): RelationSurpriseArrays {
    return {
      subjects: this.#contexts.firsts.slice(),
      objects: this.#contexts.seconds.slice(),
      contexts: this.#rows.firsts.slice(),
      relations: this.#rows.seconds.slice(),
      counts: this.#counts.slice(0, this.#rows.size),
    };
  }

  /** Throws if the arrays are damaged, because they may come from any file. Sums and T follow from the counts. */
  static fromArrays(
    relations: readonly string[],
    table: LevelTable,
    arrays: RelationSurpriseArrays,
  ): RelationSurprise {
    const surprise = new RelationSurprise(relations, table);
    const check = (holds: boolean) => {
      if (!holds) throw new RecalError('model-damaged', 'the counts of relations in the model are damaged');
    };
    const { subjects, objects, contexts, relations: numbers, counts } = arrays;
    check(subjects.length === objects.length);
    check(contexts.length === numbers.length && numbers.length === counts.length);
    const isLevel = (level: number) => level >= EVERYTHING && level < table.size;
    for (let i = 0; i < subjects.length; i++) {
      check(isLevel(subjects[i]) && isLevel(objects[i]));
      check(surprise.#contexts.intern(subjects[i], objects[i]) === i);
    }
    for (let i = 0; i < counts.length; i++) {
      check(contexts[i] >= 0 && contexts[i] < subjects.length);
      check(numbers[i] >= 0 && numbers[i] < relations.length && counts[i] > 0);
      check(surprise.#rows.find(contexts[i], numbers[i]) < 0);
      surprise.#add(contexts[i], numbers[i], counts[i]);
    }
    return surprise;
  }

  /** Lists the known contexts: all, (type, type), (program, type), (program, g_1), … (program, full name). */
  #buildChain(
    { planned, interactions }: GraphView,
    levels: NodeLevels,
    i: number,
    contextOf: (subject: number, object: number) => number,
  ): void {
    const subjectEntry = levels.entryOf(planned.nodes[interactions.subject[i]]);
    const objectEntry = levels.entryOf(planned.nodes[interactions.object[i]]);
    const chain = this.#chain;
    const known = levels.knownOf(objectEntry);
    chain[0] = contextOf(EVERYTHING, EVERYTHING);
    this.#chainLength = 1;
    if (levels.knownOf(subjectEntry) === 0 || known === 0) return;
    chain[this.#chainLength++] = contextOf(levels.levelAt(subjectEntry, 0), levels.levelAt(objectEntry, 0));
    const program = levels.finest(subjectEntry);
    // A subject without a name has no program; its type is counted already.
    if (program < 0 || levels.depthOf(subjectEntry) === 1) return;
    for (let k = 0; k < known; k++)
      chain[this.#chainLength++] = contextOf(program, levels.levelAt(objectEntry, k));
  }

  /** P(r | contexts). A context that training never saw falls back to the coarser one. */
  #probability(relation: number): number {
    let p = 1 / this.#relationCount;
    for (let at = 0; at < this.#chainLength; at++) {
      const context = this.#chain[at];
      if (context < 0) continue;
      const row = this.#rows.find(context, relation);
      const [n, t] = [this.#n[context], this.#t[context]];
      if (n > 0) p = ((row < 0 ? 0 : this.#counts[row]) + t * p) / (n + t);
    }
    return p;
  }

  #add(context: number, relation: number, n: number): void {
    while (context >= this.#n.length) {
      this.#n = enlarge(this.#n);
      this.#t = enlarge(this.#t);
    }
    const before = this.#rows.size;
    const row = this.#rows.intern(context, relation);
    if (row >= this.#counts.length) this.#counts = enlarge(this.#counts);
    this.#counts[row] += n;
    this.#n[context] += n;
    if (row === before) this.#t[context]++;
  }
}
