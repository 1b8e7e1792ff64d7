import { NEW_RELATION } from '../../features/feature-space.js';
import { nameOf } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { EventTable } from '../../store/event-table.js';
import { LEVELS } from '../calibration/calibration-tables.js';
import { EVIDENCE_KINDS } from '../evidence/evidence.js';
import { ROLES } from '../evidence/interaction-evidence.js';
import type { ScoredGraph } from '../fusion/scored-graph.js';
import {
  ALERT_VERSION,
  type Alert,
  type AlertEvidence,
  type AlertInteraction,
  alertId,
  type Deviation,
  type EntityRef,
  type LookAlike,
  MOST_NEIGHBOURHOOD,
  MOST_TEXT,
} from './alert.js';
import { phraseAlert } from './alert-sentence.js';
import { momentOf } from './moment.js';
import { severityOf } from './severity.js';

/** What an alert needs besides the scores. Nodes are those of the loaded events unless called local. */
export interface AlertContext {
  readonly modelId: string;
  /** The model's relations; the number `relations.length` is that of `<new>`. */
  readonly relations: readonly string[];
  readonly table: EventTable;
  hostOf(node: number): string;
  /** The UUID in the logs, or else the entity's key in the store. */
  idOf(node: number): string;
  readonly threshold: number;
  empiricalP(score: number): number;
  /** θ_c (method §7), or null without a gate. */
  readonly distanceThreshold: number | null;
  /** Explains a row of the graph's evidence; empty if there is nothing to explain. */
  because(graph: ScoredGraph, row: number): string;
  /** The benign entities nearest to a local node, nearest first. */
  lookAlikes(graph: ScoredGraph, local: number): readonly LookAlike[];
  /** The rarest features of a local node, rarest first. */
  deviations(graph: ScoredGraph, local: number): readonly Deviation[];
}

/** Describes alerts about local nodes of one graph, in the given order. */
export function describeAlerts(
  graph: ScoredGraph,
  locals: ArrayLike<number>,
  context: AlertContext,
): Alert[] {
  const own = interactionsOf(graph, locals);
  return Array.from(locals, (local) => new Description(graph, local, own.get(local) ?? [], context).alert());
}

/** The interactions of some local nodes, found in one pass. */
function interactionsOf({ view }: ScoredGraph, locals: ArrayLike<number>): Map<number, number[]> {
  const found = new Map<number, number[]>(Array.from(locals, (local) => [local, []]));
  const { length, subject, object } = view.interactions;
  for (let i = 0; i < length; i++) {
    found.get(subject[i])?.push(i);
    if (object[i] !== subject[i]) found.get(object[i])?.push(i);
  }
  return found;
}

class Description {
  readonly #graph: ScoredGraph;
  readonly #local: number;
  readonly #node: number;
  readonly #own: readonly number[];
  readonly #context: AlertContext;

  constructor(graph: ScoredGraph, local: number, own: readonly number[], context: AlertContext) {
    this.#graph = graph;
    this.#local = local;
    this.#node = graph.view.planned.nodes[local];
    this.#own = own;
    this.#context = context;
  }

  alert(): Alert {
    const [graph, local, node, context] = [this.#graph, this.#local, this.#node, this.#context];
    const { planned, names, interactions } = graph.view;
    const { ts } = context.table;
    const host = cutText(context.hostOf(node));
    const [id, window] = [context.idOf(node), { from: planned.firstTs, to: planned.lastTs }];
    const score = finite(graph.scores[local]);
    const empiricalP = context.empiricalP(score);
    let [first, last] = [window.from, window.to];
    if (this.#own.length > 0) {
      // Rows ascend with time, and interactions are ordered by their first row.
      first = ts[interactions.first[this.#own[0]]];
      last = ts[this.#own.reduce((latest, i) => Math.max(latest, interactions.last[i]), 0)];
    }
    const distance = graph.distances[local];
    const rows = this.#rows();
    const alert = {
      version: ALERT_VERSION,
      id: alertId(context.modelId, context.hostOf(node), id, window.from),
      model: context.modelId,
      host,
      entity: {
        ...this.#entity(node),
        cmd: names.cmd[node] < 0 ? null : cutText(names.texts[names.cmd[node]]),
        pid: names.pid[node] < 0 ? null : names.pid[node],
        parent: names.parent[node] < 0 ? null : this.#entity(names.parent[node]),
      },
      window: { from: momentOf(window.from), to: momentOf(window.to) },
      first: momentOf(first),
      last: momentOf(last),
      score,
      threshold: finite(context.threshold),
      empiricalP,
      severity: severityOf(empiricalP),
      reasons: this.#reasons(score),
      evidence: rows.map((row) => this.#evidence(row)),
      lineage: this.#lineage(),
      knn: {
        distance: Number.isFinite(distance) ? distance : null,
        threshold: context.distanceThreshold,
      },
      lookAlikes: context
        .lookAlikes(graph, local)
        .map((like) => ({ ...like, name: like.name && cutText(like.name) })),
      deviations: context.deviations(graph, local).map((each) => ({ ...each, what: cutText(each.what) })),
      neighbourhood: this.#neighbourhood(rows),
    } satisfies Omit<Alert, 'sentence'>;
    return { ...alert, sentence: phraseAlert(alert) };
  }

  #lineage(): Alert['lineage'] {
    const { lineage, view } = this.#graph;
    const from = lineage?.from[this.#local] ?? -1;
    if (lineage === undefined || from < 0) return null;
    return {
      own: finite(lineage.own[this.#local]),
      inherited: finite(lineage.inherited[this.#local]),
      from: this.#entity(view.planned.nodes[from]),
    };
  }

  #reasons(score: number): Alert['reasons'] {
    const reasons: Alert['reasons'] = [];
    if (score >= this.#context.threshold) reasons.push('score');
    if (this.#graph.newRelation[this.#local] === 1) reasons.push('new-relation');
    return reasons;
  }

  /** The rows of evidence, largest share first. */
  #rows(): number[] {
    const { offsets, shares, logP } = this.#graph.evidence;
    const [from, to] = [offsets[this.#local], offsets[this.#local + 1]];
    return Array.from({ length: to - from }, (_, i) => from + i).sort(
      (a, b) => shares[b] - shares[a] || logP[a] - logP[b] || a - b,
    );
  }

  #evidence(row: number): AlertEvidence {
    const { evidence } = this.#graph;
    const kind = EVIDENCE_KINDS[evidence.kinds[row]];
    const { role, relation, name } = this.#slot(row);
    const [n, draws] = [evidence.samples[row], Math.max(1, evidence.draws[row])];
    const logP = Math.min(0, finite(evidence.logP[row]));
    const beyond = evidence.beyond[row] === 1;
    const p = Math.exp(logP);
    const single = draws === 1 ? p : -Math.expm1(Math.log1p(-p) / draws);
    return {
      kind,
      role,
      relation: name,
      events: relation < 0 ? this.#countEvents(null, null) : this.#countEvents(role, relation),
      value: finite(evidence.values[row]),
      benignQuantile: evidence.quantiles[row],
      modelled: evidence.modelled[row] === 1,
      p,
      logP,
      n,
      draws,
      beyond,
      level: LEVELS[Math.min(evidence.levels[row], LEVELS.length - 1)],
      floor: beyond && Math.abs(single * (n + 1) - 1) < 1e-6,
      share: Math.min(1, Math.max(0, evidence.shares[row])) || 0,
      because: cutText(this.#context.because(this.#graph, row)),
      source: evidence.sources[row] < 0 ? null : this.#interaction(evidence.sources[row]),
    };
  }

  /** The role and relation of a row; -1 and null for evidence without a relation. */
  #slot(row: number): { role: AlertEvidence['role']; relation: number; name: string | null } {
    const { kinds, slots, sources } = this.#graph.evidence;
    const kind = EVIDENCE_KINDS[kinds[row]];
    if (kind === 'distance') return { role: null, relation: -1, name: null };
    const { relations } = this.#context;
    const side = relations.length + 1;
    const relation = slots[row] % side;
    const role = kind === 'reconstruction' ? null : ROLES[Math.floor(slots[row] / side)];
    // NEW_RELATION is not a name; the log has the name of the relation.
    const name = sources[row] >= 0 ? this.#relationOf(sources[row]) : (relations[relation] ?? NEW_RELATION);
    return { role, relation, name: cutText(name) };
  }

  #countEvents(role: AlertEvidence['role'], relation: number | null): number {
    const { interactions } = this.#graph.view;
    let events = 0;
    for (const i of this.#own) {
      if (relation !== null && interactions.relation[i] !== relation) continue;
      if (role !== null && interactions[role][i] !== this.#local) continue;
      events += interactions.count[i];
    }
    return events;
  }

  /** Sources of evidence first, then new relations, then interactions with the highest-scored neighbours. */
  #neighbourhood(rows: readonly number[]): Alert['neighbourhood'] {
    const { evidence, scores, view } = this.#graph;
    const { subject, object, relation } = view.interactions;
    const rank = new Map<number, number>();
    for (const row of rows) {
      const source = evidence.sources[row];
      if (source >= 0 && !rank.has(source)) rank.set(source, rank.size);
    }
    const place = (i: number) => rank.get(i) ?? rank.size;
    const isNew = (i: number) => (relation[i] >= this.#context.relations.length ? 0 : 1);
    const other = (i: number) => scores[subject[i] === this.#local ? object[i] : subject[i]];
    const chosen = [...this.#own]
      .sort((a, b) => place(a) - place(b) || isNew(a) - isNew(b) || other(b) - other(a) || a - b)
      .slice(0, MOST_NEIGHBOURHOOD);
    return { total: this.#own.length, interactions: chosen.map((i) => this.#interaction(i)) };
  }

  #interaction(i: number): AlertInteraction {
    const { planned, interactions } = this.#graph.view;
    const { ts } = this.#context.table;
    return {
      subject: this.#entity(planned.nodes[interactions.subject[i]]),
      relation: cutText(this.#relationOf(i)),
      object: this.#entity(planned.nodes[interactions.object[i]]),
      count: interactions.count[i],
      first: momentOf(ts[interactions.first[i]]),
      last: momentOf(ts[interactions.last[i]]),
    };
  }

  #relationOf(i: number): string {
    const { table } = this.#context;
    return table.relations[table.relation[this.#graph.view.interactions.first[i]]];
  }

  #entity(node: number): EntityRef {
    const { names } = this.#graph.view;
    const name = nameOf(names, node);
    return {
      id: cutText(this.#context.idOf(node)),
      type: ENTITY_TYPES[names.types[node]],
      name: name === undefined ? null : cutText(name),
    };
  }
}

/** JSON has neither infinity nor NaN. */
function finite(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value));
}

/** Cuts a long text and replaces lone surrogates. */
function cutText(text: string): string {
  return (text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT)}…`).toWellFormed();
}
