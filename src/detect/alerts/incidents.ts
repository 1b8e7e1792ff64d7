import type { IncidentLinks } from './incident-links.js';
import type { SuspiciousNodes } from './suspicious-nodes.js';
import { TimeIndex } from './time-index.js';

export interface IncidentOptions {
  /** The most nanoseconds between the activities of two joined members. */
  readonly gap: bigint;
  /** A node with more neighbours is a hub, such as a shared library or init, and does not join its neighbours. */
  readonly mostNeighbours: number;
  /**
   * Two groups stay apart if the member between them scores less than this share of the lower group's highest score. For
   * example, an administrator's restart of a service is unrelated to an attack on it an hour later.
   */
  readonly valley: number;
}

const DEFAULT_OPTIONS: IncidentOptions = {
  gap: 3_600_000_000_000n,
  mostNeighbours: 60,
  valley: 0.8,
};

/** An incident before it is described. Members are rows of the suspicious nodes. */
export interface IncidentGroup {
  /** Highest score first. */
  readonly members: Int32Array;
  /** The member where the incident probably began. */
  readonly root: number;
  readonly host: number;
  readonly first: bigint;
  readonly last: bigint;
  /** The highest score of its members. A sum would rank incidents by size. */
  readonly score: number;
  /** The highest prominence of its members, which orders incidents. */
  readonly prominence: number;
}

/**
 * Forms incidents. Two members of a host are joined if at most `gap` lies between them and
 * - they are the same node, or
 * - one started the other or acted on it, or
 * - they are network flows to the same remote end, which has few flows, or
 * - they have the same parent process, or share a neighbour that has few neighbours, unless both only read it: a library
 *   that two programs load joins nothing, unless it is a member itself.
 * A hub (more than `mostNeighbours`; a process counts only processes and separates only processes) does not join its
 * neighbours: as a member, it joins its highest-scored neighbour only. Two groups that are joined only by a low-scored
 * member stay separate, and that member goes to the higher group.
 *
 * Incidents are ordered by prominence, then by score, highest first. The order of members does not matter.
 */
export function formIncidents(
  members: SuspiciousNodes,
  links: IncidentLinks,
  options: IncidentOptions = DEFAULT_OPTIONS,
): IncidentGroup[] {
  const growing = new GrowingIncidents(members, links, options);
  while (growing.addNext());
  const groups = new Map<number, number[]>();
  // Members come by score, so that each group has its highest member first.
  for (const member of growing.order) {
    const set = growing.setOf(member);
    const group = groups.get(set);
    if (group === undefined) groups.set(set, [member]);
    else group.push(member);
  }
  return [...groups.values()]
    .map((group) => describeGroup(group, members, links))
    .sort(
      (a, b) =>
        b.prominence - a.prominence ||
        b.score - a.score ||
        growing.rankOf(a.members[0]) - growing.rankOf(b.members[0]),
    );
}

/**
 * Counts the incidents that the members with at least each threshold form, in one pass. Thresholds must descend
 * (method §9).
 */
export function countIncidentsAt(
  thresholds: ArrayLike<number>,
  members: SuspiciousNodes,
  links: IncidentLinks,
  options: IncidentOptions = DEFAULT_OPTIONS,
): Uint32Array {
  const growing = new GrowingIncidents(members, links, options);
  return Uint32Array.from({ length: thresholds.length }, (_, i) => {
    if (i > 0 && !(thresholds[i] <= thresholds[i - 1]))
      throw new RangeError('countIncidentsAt: the thresholds do not descend');
    while (growing.nextScore >= thresholds[i]) growing.addNext();
    return growing.count;
  });
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** A union-find structure. Members are added by score, highest first. */
class GrowingIncidents {
  /** Members by score; ties by node and time. */
  readonly order: Int32Array;
  /** Incidents so far. */
  count = 0;
  readonly #members: SuspiciousNodes;
  readonly #links: IncidentLinks;
  readonly #mostNeighbours: number;
  readonly #valley: number;
  readonly #times: TimeIndex;
  readonly #rank: Int32Array;
  /** The parent of each member in the union-find forest; -1 before it is added. */
  readonly #up: Int32Array;
  /** 1 for hubs that have joined their highest neighbour. */
  readonly #attached: Uint8Array;
  /** Reused, because millions of short lists would be slow. */
  readonly #found: number[] = [];
  /** Members that the new member may join. */
  readonly #near: number[] = [];
  #next = 0;

  constructor(
    members: SuspiciousNodes,
    links: IncidentLinks,
    { gap, mostNeighbours, valley }: IncidentOptions,
  ) {
    const { length, score, node, first, last } = members;
    this.#members = members;
    this.#links = links;
    this.#mostNeighbours = mostNeighbours;
    this.#valley = valley;
    this.#times = new TimeIndex(members, links.offsets.length - 1, gap);
    this.order = Int32Array.from({ length }, (_, i) => i).sort(
      (a, b) =>
        score[b] - score[a] ||
        node[a] - node[b] ||
        compare(first[a], first[b]) ||
        compare(last[a], last[b]) ||
        a - b,
    );
    this.#rank = new Int32Array(length);
    this.order.forEach((member, rank) => {
      this.#rank[member] = rank;
    });
    this.#up = new Int32Array(length).fill(-1);
    this.#attached = new Uint8Array(length);
  }

  /** The score of the next member; -Infinity after the last one. */
  get nextScore(): number {
    return this.#next < this.order.length
      ? this.#members.score[this.order[this.#next]]
      : Number.NEGATIVE_INFINITY;
  }

  rankOf(member: number): number {
    return this.#rank[member];
  }

  setOf(member: number): number {
    const up = this.#up;
    let root = member;
    while (up[root] !== root) root = up[root];
    for (let at = member; up[at] !== root; ) {
      const next = up[at];
      up[at] = root;
      at = next;
    }
    return root;
  }

  /** Adds the next member. Returns false if none is left. */
  addNext(): boolean {
    if (this.#next === this.order.length) return false;
    const member = this.order[this.#next++];
    this.#up[member] = member;
    this.count++;
    const node = this.#members.node[member];
    this.#gatherNode(member, node);
    this.#gatherSameEnd(member, node);
    this.#gatherNeighbours(member, node);
    this.#join(member);
    return true;
  }

  /** Gathers flows to the same remote end, unless it is a hub. */
  #gatherSameEnd(member: number, node: number): void {
    const { end, endOffsets, endNodes, spread } = this.#links;
    if (end[node] < 0 || spread[node] > this.#mostNeighbours) return;
    const [from, to] = [endOffsets[end[node]], endOffsets[end[node] + 1]];
    if (to - from > this.#mostNeighbours) return;
    for (let at = from; at < to; at++) {
      const other = endNodes[at];
      if (other !== node && spread[other] <= this.#mostNeighbours) this.#gatherNode(member, other);
    }
  }

  #gatherNeighbours(member: number, node: number): void {
    const { offsets, neighbours, kin, spread } = this.#links;
    const most = this.#mostNeighbours;
    let highest = -1;
    for (let at = offsets[node]; at < offsets[node + 1]; at++) {
      const neighbour = neighbours[at];
      const [separates, isSeparated] = [this.#separates(node, neighbour), this.#separates(neighbour, node)];
      const count = this.#findNear(member, neighbour);
      for (let i = 0; i < count; i++) {
        const other = this.#found[i];
        if (!separates && !isSeparated) this.#near.push(other);
        // Members come by score, so that the first one is a hub's highest neighbour.
        if (isSeparated && this.#attached[other] === 0) {
          this.#attached[other] = 1;
          this.#near.push(other);
        }
        if (separates && (highest < 0 || this.#rank[other] < this.#rank[highest])) highest = other;
      }
      // A neighbour with few neighbours joins them. A parent with many files still joins its children, unless it has many
      // processes.
      const shared = offsets[neighbour + 1] - offsets[neighbour] <= most;
      if (shared || (kin[at] === 1 && spread[neighbour] <= most)) this.#gatherThrough(member, at, shared);
    }
    if (highest >= 0) {
      this.#attached[member] = 1;
      this.#near.push(highest);
    }
  }

  /** True if `node` is a hub that must not join `neighbour` to its others. A process with many children keeps its files. */
  #separates(node: number, neighbour: number): boolean {
    const { spread, tree } = this.#links;
    return spread[node] > this.#mostNeighbours && (!tree.isProcess(node) || tree.isProcess(neighbour));
  }

  /** Gathers the neighbours of the node at `link`: `all`, or only its parent and children. */
  #gatherThrough(member: number, link: number, all: boolean): void {
    const { tree, offsets, neighbours, kin, readOnly, spread } = this.#links;
    const via = neighbours[link];
    const isHub = spread[this.#members.node[member]] > this.#mostNeighbours;
    const onlyReads = readOnly[link] === 1 && !tree.isProcess(via);
    for (let at = offsets[via]; at < offsets[via + 1]; at++) {
      if (!all && kin[at] === 0) continue;
      if (onlyReads && readOnly[at] === 1) continue;
      const neighbour = neighbours[at];
      // A hub shares neighbours with everything.
      if (isHub || spread[neighbour] > this.#mostNeighbours) continue;
      this.#gatherNode(member, neighbour);
    }
  }

  #gatherNode(member: number, node: number): void {
    const count = this.#findNear(member, node);
    for (let i = 0; i < count; i++) this.#near.push(this.#found[i]);
  }

  /** Writes the added members of a node that are near in time and on the same host to `#found`. Returns their number. */
  #findNear(member: number, node: number): number {
    const { host } = this.#members;
    const found = this.#found;
    const count = this.#times.near(member, node, found);
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const other = found[i];
      if (other !== member && this.#up[other] >= 0 && host[other] === host[member]) found[kept++] = other;
    }
    return kept;
  }

  /** Joins the new member to the highest near group, and other near groups to that unless the member scores too low. */
  #join(member: number): void {
    const { score } = this.#members;
    const near = this.#near;
    // A group is numbered by its highest member, so that the order is that of highest scores.
    for (let i = 0; i < near.length; i++) near[i] = this.setOf(near[i]);
    near.sort((a, b) => this.#rank[a] - this.#rank[b]);
    for (let i = 0; i < near.length; i++) {
      const group = near[i];
      if (i > 0 && group === near[i - 1]) continue;
      const isFirst = i === 0;
      // Scores below zero are only ranks of nodes that score 0.
      if (!isFirst && score[group] > 0 && score[member] < this.#valley * score[group]) continue;
      this.count--;
      if (isFirst) this.#up[member] = group;
      else this.#up[group] = near[0];
    }
    near.length = 0;
  }
}

function describeGroup(
  group: readonly number[],
  members: SuspiciousNodes,
  links: IncidentLinks,
): IncidentGroup {
  let [first, last] = [members.first[group[0]], members.last[group[0]]];
  let prominence = Number.NEGATIVE_INFINITY;
  for (const member of group) {
    prominence = Math.max(prominence, members.prominence[member]);
    if (members.first[member] < first) first = members.first[member];
    if (members.last[member] > last) last = members.last[member];
  }
  return {
    members: Int32Array.from(group),
    root: findRoot(group, members, links),
    host: members.host[group[0]],
    first,
    last,
    score: members.score[group[0]],
    prominence,
  };
}

/** The earliest process that is an ancestor of another member and a descendant of none; or the highest member. */
function findRoot(
  group: readonly number[],
  { node, first }: SuspiciousNodes,
  { tree }: IncidentLinks,
): number {
  const memberOf = new Map<number, number>(); // the earliest member of each node
  for (const member of group) {
    const known = memberOf.get(node[member]);
    if (known === undefined || first[member] < first[known]) memberOf.set(node[member], member);
  }
  let root = -1;
  for (const each of memberOf.keys()) {
    let top = -1;
    for (const ancestor of tree.ancestors(each)) top = memberOf.get(ancestor) ?? top;
    if (
      top >= 0 &&
      (root < 0 || first[top] < first[root] || (first[top] === first[root] && node[top] < node[root]))
    )
      root = top;
  }
  return root < 0 ? group[0] : root;
}
