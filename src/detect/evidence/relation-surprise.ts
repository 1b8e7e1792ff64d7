import { enlarge } from '../../base/enlarge.js';
import { RecalError } from '../../base/errors.js';
import type { GraphView } from '../graph-view.js';
import type { CountedEvidence, EvidenceRows, EvidenceSamples } from './evidence.js';
import { largestOfInteractions, rolesOfSlots, sampleInteractions } from './interaction-evidence.js';
import { internLevels, LevelCache, type LevelTable, type NodeLevels } from './level-table.js';
import { MAX_LEVELS } from './name-levels.js';
import { phraseRelationSurprise } from './name-sentences.js';
import { PairTable } from './pair-table.js';

/** The coarsest context: every interaction of training. */
const EVERYTHING = -1;

/** What a model file keeps of the counts. */
export interface RelationSurpriseArrays {
  /** By context: level of the subject's name and of the object's; -1 and -1 for everything. */
  readonly subjects: Int32Array;
  readonly objects: Int32Array;
  /** By count: its context, its relation, and n. */
  readonly contexts: Int32Array;
  readonly relations: Int32Array;
  readonly counts: Uint32Array;
}

/**
 * Relation surprise (method §11): u = −ln P(r | name(s), name(o)), how unlikely it is that these two deal with each
 * other in this way. Counts back off from (program, full name) over the object's coarser levels to (program, type),
 * (type, type), everything, and one of |R| + 1; each interpolated by Witten–Bell.
 */
export class RelationSurprise implements CountedEvidence {
  readonly kind = 'relation';
  readonly slotCount: number;
  readonly groupOf: Uint8Array;
  readonly #relations: readonly string[];
  readonly #relationCount: number;
  readonly #table: LevelTable;
  readonly #cache: LevelCache;
  readonly #contexts = new PairTable();
  /** By context: n, and T, its distinct relations. */
  #n = new Uint32Array(256);
  #t = new Uint32Array(256);
  /** (context, relation) and its n. */
  readonly #rows = new PairTable();
  #counts = new Uint32Array(256);
  /** The contexts of the interaction at hand, the coarsest first; -1 for one that training never met. */
  readonly #ladder = new Int32Array(MAX_LEVELS + 2);
  #rungs = 0;

  /** `relations`: R, in the model's order. The table may be shared, and grows with `fit`. */
  constructor(relations: readonly string[], table: LevelTable) {
    this.#relations = relations;
    this.#relationCount = relations.length + 1;
    this.slotCount = 2 * this.#relationCount;
    this.groupOf = rolesOfSlots(this.#relationCount);
    this.#table = table;
    this.#cache = new LevelCache(table);
  }

  /** Counts the interactions of training graphs; each (subject, relation, object) once a graph. May be called again. */
  fit(views: Iterable<GraphView>): void {
    for (const [view, levels] of internLevels(this.#table, views)) {
      const { length, relation } = view.interactions;
      for (let i = 0; i < length; i++) {
        if (relation[i] >= this.#relations.length) continue; // `<new>` is what training did not meet
        this.#climb(view, levels, i, (a, b) => this.#contexts.intern(a, b));
        for (let rung = 0; rung < this.#rungs; rung++) this.#add(this.#ladder[rung], relation[i], 1);
      }
    }
  }

  /** u of each interaction. */
  surprises(view: GraphView): Float64Array {
    const levels = this.#cache.of(view.names);
    return Float64Array.from({ length: view.interactions.length }, (_, i) => {
      this.#climb(view, levels, i, (a, b) => this.#contexts.find(a, b));
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
    this.#climb(view, this.#cache.of(names), interaction, (a, b) => this.#contexts.find(a, b));
    // The finest context that training met says what is usual between such two.
    let rung = this.#rungs - 1;
    while (rung > 0 && this.#ladder[rung] < 0) rung--;
    const context = this.#ladder[rung];
    const row = this.#rows.find(context, relation);
    return phraseRelationSurprise({
      names,
      relation: this.#relations[relation],
      level: rung - 2,
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

  /** From a file that may say anything. Sums and T follow from the counts. */
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

  /** Everything, (type, type), (program, type), (program, g_1), … (program, full name), as far as levels are known. */
  #climb(
    { planned, interactions }: GraphView,
    levels: NodeLevels,
    i: number,
    contextOf: (subject: number, object: number) => number,
  ): void {
    const who = levels.entryOf(planned.nodes[interactions.subject[i]]);
    const what = levels.entryOf(planned.nodes[interactions.object[i]]);
    const ladder = this.#ladder;
    const known = levels.knownOf(what);
    ladder[0] = contextOf(EVERYTHING, EVERYTHING);
    this.#rungs = 1;
    if (levels.knownOf(who) === 0 || known === 0) return;
    ladder[this.#rungs++] = contextOf(levels.levelAt(who, 0), levels.levelAt(what, 0));
    const program = levels.finest(who);
    // A subject without a name is its type, and has been counted as that.
    if (program < 0 || levels.depthOf(who) === 1) return;
    for (let k = 0; k < known; k++) ladder[this.#rungs++] = contextOf(program, levels.levelAt(what, k));
  }

  /** P(r | the contexts of the ladder): a context that training never met leaves it to the coarser one. */
  #probability(relation: number): number {
    let p = 1 / this.#relationCount;
    for (let rung = 0; rung < this.#rungs; rung++) {
      const context = this.#ladder[rung];
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
