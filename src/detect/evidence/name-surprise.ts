import { enlarge } from '../../base/enlarge.js';
import { RecalError } from '../../base/errors.js';
import type { GraphView } from '../graph-view.js';
import type { CountedEvidence, EvidenceRows, EvidenceSamples } from './evidence.js';
import { largestOfInteractions, rolesOfSlots, sampleInteractions } from './interaction-evidence.js';
import { internLevels, LevelCache, type LevelTable, type NodeLevels } from './level-table.js';
import { type FirstUnseen, phraseNameSurprise } from './name-sentences.js';
import { PairTable } from './pair-table.js';

/** The parent of all types. */
const ROOT = -1;

/** A larger count is damage: a store numbers events with 31 bits, and sums of such counts stay exact. */
const MOST_COUNT = 0x7fff_ffff;

/** The counts as plain arrays, for a model file. */
export interface NameSurpriseArrays {
  /** Contexts from |R| + 1 on are (subject, relation). The first |R| + 1 contexts are relations, over all subjects. */
  readonly subjects: Int32Array;
  readonly relations: Int32Array;
  /** By count: its context, its level (-1 for all objects), and n. */
  readonly contexts: Int32Array;
  readonly levels: Int32Array;
  readonly counts: Uint32Array;
}

/**
 * Name surprise (method §11): u = −ln P(r, o | s), how unlikely it is that a program of this name acts in this way on an
 * object of that name, from training counts over the nested levels of the object's name. The values are comparable across
 * relations, so that one calibration table per role is enough.
 */
export class NameSurprise implements CountedEvidence {
  readonly slotCount: number;
  readonly groupOf: Uint8Array;
  readonly #relations: readonly string[];
  /** |R| + 1: `<new>` has a context like the others, but no counts. */
  readonly #relationCount: number;
  readonly #table: LevelTable;
  readonly #cache: LevelCache;
  /** (level of the subject, relation): contexts from |R| + 1 on. */
  readonly #pairs = new PairTable();
  /** (context, level), with n and T. */
  readonly #rows = new PairTable();
  #n = new Uint32Array(256);
  #t = new Uint32Array(256);
  /** V, the number of children: first of the root, then of each level. */
  #children = new Uint32Array(256);
  /** 1 for levels of training objects. */
  #seen = new Uint8Array(256);
  /** Interactions and distinct relations: first of all subjects, then by level of the subject. */
  #acts = new Uint32Array(256);
  #kinds = new Uint32Array(256);

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
    for (const [view, levels] of internLevels(this.#table, views)) this.#count(view, levels);
  }

  /** u of each interaction. */
  surprises(view: GraphView): Float64Array {
    const { length } = view.interactions;
    const levels = this.#cache.of(view.names);
    const values = new Float64Array(length);
    for (let i = 0; i < length; i++) values[i] = this.#surprise(view, levels, i);
    return values;
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
    return phraseNameSurprise({
      names,
      subject: planned.nodes[interactions.subject[interaction]],
      object: planned.nodes[interactions.object[interaction]],
      relation: this.#relations[relation],
      ...this.#firstUnseen(view, interaction),
    });
  }

  toArrays(): NameSurpriseArrays {
    return {
      subjects: this.#pairs.firsts.slice(),
      relations: this.#pairs.seconds.slice(),
      contexts: this.#rows.firsts.slice(),
      levels: this.#rows.seconds.slice(),
      counts: this.#n.slice(0, this.#rows.size),
    };
  }

  /** Throws if the arrays are damaged, because they may come from any file. T and V follow from the counts. */
  static fromArrays(
    relations: readonly string[],
    table: LevelTable,
    arrays: NameSurpriseArrays,
  ): NameSurprise {
    const surprise = new NameSurprise(relations, table);
    const check = (holds: boolean) => {
      if (!holds) throw new RecalError('model-damaged', 'the counts of names in the model are damaged');
    };
    const { subjects, relations: numbers, contexts, levels, counts } = arrays;
    check(subjects.length === numbers.length);
    check(contexts.length === levels.length && levels.length === counts.length);
    for (let i = 0; i < subjects.length; i++) {
      check(subjects[i] >= 0 && subjects[i] < table.size);
      check(numbers[i] >= 0 && numbers[i] < relations.length);
      check(surprise.#pairs.intern(subjects[i], numbers[i]) === i);
    }
    const contextCount = surprise.#relationCount + subjects.length;
    const { parents } = table;
    for (let i = 0; i < counts.length; i++) {
      const [context, level, n] = [contexts[i], levels[i], counts[i]];
      check(context >= 0 && context < contextCount && context !== relations.length);
      check(level >= ROOT && level < table.size && n > 0 && n <= MOST_COUNT);
      const parent = level === ROOT ? ROOT : parents[level];
      check(level === ROOT || surprise.#rows.find(context, parent) >= 0); // parents precede children
      check(surprise.#rows.find(context, level) < 0);
      surprise.#add(context, level, parent, n);
    }
    surprise.#checkSums(check);
    return surprise;
  }

  /** The counts of children must not exceed that of their parent: otherwise a probability could exceed 1. */
  #checkSums(check: (holds: boolean) => void): void {
    const [contexts, levels] = [this.#rows.firsts, this.#rows.seconds];
    const { parents } = this.#table;
    const sums = new Float64Array(contexts.length);
    for (let row = 0; row < contexts.length; row++) {
      if (levels[row] !== ROOT) sums[this.#rows.find(contexts[row], parents[levels[row]])] += this.#n[row];
    }
    check(sums.every((sum, row) => sum <= this.#n[row]));
  }

  #count({ planned, interactions }: GraphView, levels: NodeLevels): void {
    const { length, subject, object, relation } = interactions;
    for (let i = 0; i < length; i++) {
      const r = relation[i];
      if (r >= this.#relations.length) continue; // `<new>` has no counts
      const program = levels.finest(levels.entryOf(planned.nodes[subject[i]]));
      const entry = levels.entryOf(planned.nodes[object[i]]);
      this.#countObject(r, levels, entry);
      if (program >= 0)
        this.#countObject(this.#relationCount + this.#pairs.intern(program, r), levels, entry);
    }
  }

  #countObject(context: number, levels: NodeLevels, entry: number): void {
    this.#add(context, ROOT, ROOT, 1);
    let parent = ROOT;
    for (let i = 0; i < levels.knownOf(entry); i++) {
      const level = levels.levelAt(entry, i);
      this.#add(context, level, parent, 1);
      parent = level;
    }
  }

  /** Adds n to a level in a context, and updates T of its parent and V. */
  #add(context: number, level: number, parent: number, n: number): void {
    const before = this.#rows.size;
    const row = this.#rows.intern(context, level);
    if (row >= this.#n.length) {
      this.#n = enlarge(this.#n);
      this.#t = enlarge(this.#t);
    }
    this.#n[row] += n;
    if (level === ROOT) this.#addAct(context, n, row === before);
    if (row < before || level === ROOT) return;
    this.#t[this.#rows.find(context, parent)]++;
    if (context >= this.#relationCount) return;
    while (level >= this.#seen.length || parent + 1 >= this.#children.length) {
      this.#seen = enlarge(this.#seen);
      this.#children = enlarge(this.#children);
    }
    if (this.#seen[level] === 1) return;
    this.#seen[level] = 1;
    this.#children[parent + 1]++;
  }

  #addAct(context: number, n: number, isNew: boolean): void {
    const pair = context - this.#relationCount;
    const at = pair < 0 ? 0 : this.#pairs.firsts[pair] + 1;
    while (at >= this.#acts.length) {
      this.#acts = enlarge(this.#acts);
      this.#kinds = enlarge(this.#kinds);
    }
    this.#acts[at] += n;
    if (isNew) this.#kinds[at]++;
  }

  /** P(r | name(s)), interpolated with P(r), which is interpolated with 1 / (|R| + 1). */
  #relationProbability(program: number, own: number, relation: number): number {
    let p = 1 / this.#relationCount;
    for (const [at, context] of [
      [0, relation],
      [program + 1, own],
    ]) {
      const n = this.#acts[at] ?? 0;
      if (n === 0) continue; // an unknown program
      const row = context < 0 ? -1 : this.#rows.find(context, ROOT);
      p = ((row < 0 ? 0 : this.#n[row]) + this.#kinds[at] * p) / (n + this.#kinds[at]);
      if (program < 0) break;
    }
    return p;
  }

  #surprise(view: GraphView, levels: NodeLevels, i: number): number {
    const { planned, interactions } = view;
    const program = levels.finest(levels.entryOf(planned.nodes[interactions.subject[i]]));
    const entry = levels.entryOf(planned.nodes[interactions.object[i]]);
    const relation = interactions.relation[i];
    const pair = program < 0 ? -1 : this.#pairs.find(program, relation);
    const own = pair < 0 ? -1 : this.#relationCount + pair;
    let u = -Math.log(this.#relationProbability(program, own, relation));
    let parent = ROOT;
    for (let level = 0; level < levels.depthOf(entry); level++) {
      const next = level < levels.knownOf(entry) ? levels.levelAt(entry, level) : -2;
      u -= Math.log(this.#factor(own, relation, parent, next));
      if (next < 0 || this.#seen[next] !== 1) break; // finer levels of an unseen name say nothing more
      parent = next;
    }
    return u;
  }

  /** P(g_i | g_{i−1}, name(s), r), interpolated. A context without g_{i−1} falls back to the coarser one. */
  #factor(own: number, relation: number, parent: number, level: number): number {
    const lowest = 1 / ((this.#children[parent + 1] ?? 0) + 1);
    return this.#interpolate(own, parent, level, this.#interpolate(relation, parent, level, lowest));
  }

  #interpolate(context: number, parent: number, level: number, lower: number): number {
    const above = context < 0 ? -1 : this.#rows.find(context, parent);
    if (above < 0) return lower;
    const row = level < 0 ? -1 : this.#rows.find(context, level);
    const [n, t] = [this.#n[above], this.#t[above]];
    // T is 0 if the parent has no children in this context, which then says nothing about them.
    if (t === 0) return lower;
    return ((row < 0 ? 0 : this.#n[row]) + t * lower) / (n + t);
  }

  /** The coarsest levels that training never saw with this relation: for this subject, and for any. */
  #firstUnseen(view: GraphView, i: number): FirstUnseen {
    const { planned, interactions } = view;
    const levels = this.#cache.of(view.names);
    const program = levels.finest(levels.entryOf(planned.nodes[interactions.subject[i]]));
    const entry = levels.entryOf(planned.nodes[interactions.object[i]]);
    const relation = interactions.relation[i];
    const pair = program < 0 ? -1 : this.#pairs.find(program, relation);
    const firstWithout = (context: number): number => {
      for (let level = 0; level < levels.knownOf(entry); level++) {
        if (context < 0 || this.#rows.find(context, levels.levelAt(entry, level)) < 0) return level;
      }
      return levels.knownOf(entry);
    };
    const own = firstWithout(pair < 0 ? -1 : this.#relationCount + pair);
    const any = firstWithout(relation);
    const count = (context: number, level: number) => {
      const row = context < 0 ? -1 : this.#rows.find(context, level);
      return row < 0 ? 0 : this.#n[row];
    };
    const context = pair < 0 ? -1 : this.#relationCount + pair;
    return {
      own,
      any,
      depth: levels.depthOf(entry),
      knownSubject: program >= 0 && this.#knowsSubject(program),
      times: levels.finest(entry) < 0 ? 0 : count(context, levels.finest(entry)),
      total: count(context, ROOT),
    };
  }

  #knowsSubject(program: number): boolean {
    for (let r = 0; r < this.#relations.length; r++) if (this.#pairs.find(program, r) >= 0) return true;
    return false;
  }
}
