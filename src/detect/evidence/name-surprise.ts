import { enlarge } from '../../base/enlarge.js';
import { RecalError } from '../../base/errors.js';
import type { GraphView } from '../graph-view.js';
import type { CountedEvidence, EvidenceRows, EvidenceSamples } from './evidence.js';
import { largestOfInteractions, rolesOfSlots, sampleInteractions } from './interaction-evidence.js';
import { internLevels, LevelCache, type LevelTable, type NodeLevels } from './level-table.js';
import { type FirstUnseen, phraseNameSurprise } from './name-sentences.js';
import { PairTable } from './pair-table.js';

/** The parent of types: every object lies below it. */
const ROOT = -1;

/** What a model file keeps of the counts. */
export interface NameSurpriseArrays {
  /** Contexts from |R| + 1 on: (subject, relation). Those before are the relations alone, over all subjects. */
  readonly subjects: Int32Array;
  readonly relations: Int32Array;
  /** By count: its context, its level (-1 for all objects together), and n. */
  readonly contexts: Int32Array;
  readonly levels: Int32Array;
  readonly counts: Uint32Array;
}

/**
 * `object`: u = −ln P(o | s, r). What a relation is usually done to differs much between relations, so such values
 * want tables per relation. `act`: u = −ln P(r, o | s), which also counts how unlikely the relation is for the
 * program. These are lengths of one code, comparable across relations: tables per type and role are enough, and those
 * have more to say about the tail.
 */
export type Predicted = 'object' | 'act';

/**
 * Name surprise (method §11): how unlikely it is that a program of this name does this to an object of that name,
 * from the counts of training and the nested levels of the object's name.
 */
export class NameSurprise implements CountedEvidence {
  readonly kind = 'name';
  readonly slotCount: number;
  readonly groupOf: Uint8Array;
  readonly #relations: readonly string[];
  readonly #predicted: Predicted;
  /** |R| + 1: `<new>` has contexts like the others, and no counts. */
  readonly #relationCount: number;
  readonly #table: LevelTable;
  readonly #cache: LevelCache;
  /** (subject's level, relation): context |R| + 1 and up. */
  readonly #pairs = new PairTable();
  /** (context, level) and its n and T. */
  readonly #rows = new PairTable();
  #n = new Uint32Array(256);
  #t = new Uint32Array(256);
  /** V: children of each level, the first of them being the root's. */
  #children = new Uint32Array(256);
  /** Levels that some training object has. */
  #seen = new Uint8Array(256);
  /** By the subject's level: interactions and distinct relations; the first is that of all subjects. */
  #acts = new Uint32Array(256);
  #kinds = new Uint32Array(256);

  /** `relations`: R, in the model's order. The table may be shared, and grows with `fit`. */
  constructor(relations: readonly string[], table: LevelTable, predicted: Predicted = 'object') {
    this.#relations = relations;
    this.#predicted = predicted;
    this.#relationCount = relations.length + 1;
    this.slotCount = 2 * this.#relationCount;
    this.groupOf = rolesOfSlots(this.#relationCount);
    this.#table = table;
    this.#cache = new LevelCache(table);
  }

  /** Counts the interactions of training graphs; each (subject, relation, object) once a graph. May be called again. */
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

  /** From a file that may say anything. T and V follow from the counts. */
  static fromArrays(
    relations: readonly string[],
    table: LevelTable,
    arrays: NameSurpriseArrays,
    predicted: Predicted = 'object',
  ): NameSurprise {
    const surprise = new NameSurprise(relations, table, predicted);
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
      check(level >= ROOT && level < table.size && n > 0);
      const parent = level === ROOT ? ROOT : parents[level];
      check(level === ROOT || surprise.#rows.find(context, parent) >= 0); // parents come first
      check(surprise.#rows.find(context, level) < 0);
      surprise.#add(context, level, parent, n);
    }
    surprise.#checkSums(check);
    return surprise;
  }

  /** Children are no more than their parent: else a probability could exceed one. */
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
      if (r >= this.#relations.length) continue; // `<new>` is what training did not meet
      const who = levels.finest(levels.entryOf(planned.nodes[subject[i]]));
      const what = levels.entryOf(planned.nodes[object[i]]);
      this.#countObject(r, levels, what);
      if (who >= 0) this.#countObject(this.#relationCount + this.#pairs.intern(who, r), levels, what);
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

  /** n more of a level in a context; T of its parent and V follow. */
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

  /** P(r | name(s)), interpolated with P(r) and that with one of |R| + 1. */
  #relationProbability(who: number, own: number, relation: number): number {
    let p = 1 / this.#relationCount;
    for (const [at, context] of [
      [0, relation],
      [who + 1, own],
    ]) {
      const n = this.#acts[at] ?? 0;
      if (n === 0) continue; // a program that training never met
      const row = context < 0 ? -1 : this.#rows.find(context, ROOT);
      p = ((row < 0 ? 0 : this.#n[row]) + this.#kinds[at] * p) / (n + this.#kinds[at]);
      if (who < 0) break;
    }
    return p;
  }

  #surprise(view: GraphView, levels: NodeLevels, i: number): number {
    const { planned, interactions } = view;
    const who = levels.finest(levels.entryOf(planned.nodes[interactions.subject[i]]));
    const what = levels.entryOf(planned.nodes[interactions.object[i]]);
    const relation = interactions.relation[i];
    const pair = who < 0 ? -1 : this.#pairs.find(who, relation);
    const own = pair < 0 ? -1 : this.#relationCount + pair;
    let u = this.#predicted === 'act' ? -Math.log(this.#relationProbability(who, own, relation)) : 0;
    let parent = ROOT;
    for (let level = 0; level < levels.depthOf(what); level++) {
      const next = level < levels.knownOf(what) ? levels.levelAt(what, level) : -2;
      u -= Math.log(this.#factor(own, relation, parent, next));
      if (next < 0 || this.#seen[next] !== 1) break; // the rest of an unseen name says nothing more
      parent = next;
    }
    return u;
  }

  /** P(g_i | g_{i−1}, name(s), r), interpolated; a context that never met g_{i−1} leaves it to the next lower one. */
  #factor(own: number, relation: number, parent: number, level: number): number {
    const lowest = 1 / ((this.#children[parent + 1] ?? 0) + 1);
    return this.#interpolate(own, parent, level, this.#interpolate(relation, parent, level, lowest));
  }

  #interpolate(context: number, parent: number, level: number, lower: number): number {
    const above = context < 0 ? -1 : this.#rows.find(context, parent);
    if (above < 0) return lower;
    const row = level < 0 ? -1 : this.#rows.find(context, level);
    const [n, t] = [this.#n[above], this.#t[above]];
    // Where nothing ever went further than the parent, T is 0: the context cannot say what would follow.
    if (t === 0) return lower;
    return ((row < 0 ? 0 : this.#n[row]) + t * lower) / (n + t);
  }

  /** The coarsest level that this subject never met in this relation, and whether any subject did. */
  #firstUnseen(view: GraphView, i: number): FirstUnseen {
    const { planned, interactions } = view;
    const levels = this.#cache.of(view.names);
    const who = levels.finest(levels.entryOf(planned.nodes[interactions.subject[i]]));
    const what = levels.entryOf(planned.nodes[interactions.object[i]]);
    const relation = interactions.relation[i];
    const pair = who < 0 ? -1 : this.#pairs.find(who, relation);
    const firstWithout = (context: number): number => {
      for (let level = 0; level < levels.knownOf(what); level++) {
        if (context < 0 || this.#rows.find(context, levels.levelAt(what, level)) < 0) return level;
      }
      return levels.knownOf(what);
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
      depth: levels.depthOf(what),
      knownSubject: who >= 0 && this.#knowsSubject(who),
      times: levels.finest(what) < 0 ? 0 : count(context, levels.finest(what)),
      total: count(context, ROOT),
    };
  }

  #knowsSubject(who: number): boolean {
    for (let r = 0; r < this.#relations.length; r++) if (this.#pairs.find(who, r) >= 0) return true;
    return false;
  }
}
