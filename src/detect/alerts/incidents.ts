import type { IncidentLinks } from './incident-links.js';
import type { SuspiciousNodes } from './suspicious-nodes.js';
import { TimeIndex } from './time-index.js';

export interface IncidentOptions {
  /** Nanoseconds between the nearest activities of two members of one incident. */
  readonly gap: bigint;
  /** What more nodes than this have to do with joins nothing: a shared library, init, the name server. */
  readonly mostNeighbours: number;
  /**
   * Two groups stay apart where what joins them scores less than this share of the lower one's highest score: a restart
   * by an administrator leads to the service that is broken into an hour later, and is another matter.
   */
  readonly valley: number;
}

export const DEFAULT_INCIDENT_OPTIONS: IncidentOptions = {
  gap: 3_600_000_000_000n,
  mostNeighbours: 60,
  valley: 0.8,
};

/** Suspicious nodes that belong together. Numbers are rows of the members. */
export interface IncidentGroup {
  /** By score, highest first. */
  readonly members: Int32Array;
  /** Where it seems to begin. */
  readonly root: number;
  readonly host: number;
  readonly first: bigint;
  readonly last: bigint;
  readonly score: number;
  /** The highest of its members: what incidents are ordered by. */
  readonly prominence: number;
}

/**
 * The one rule by which an incident's score follows from its members' (highest first): the highest. A sum would rank
 * by size, and a busy evening of an administrator is larger than an intrusion.
 */
export function incidentScore(scores: ArrayLike<number>): number {
  return scores.length === 0 ? 0 : scores[0];
}

/**
 * Forms incidents. Two members of a host are of one incident when no more than `gap` lies between them and
 * - they are the same node, or
 * - one made the other or acted on it, or
 * - they are connections to the same far end that few others lead to, or
 * - the same process made both, or both have to do with one node that few others have to do with, and did not both
 *   merely read it: a library that two programs load joins nothing, unless it is a member itself.
 * A hub (more than `mostNeighbours`; of a process, only processes count, and only they are kept apart) does not join what
 * it touches: as a member, it goes to its highest-scored neighbour alone. Two groups that only a low score joins stay two,
 * as two summits with a deep valley between them are two mountains; what lies in the valley goes to the higher one.
 *
 * Incidents come by prominence, then by score, highest first; the same members give the same incidents in whatever order
 * they come.
 */
export function formIncidents(
  members: SuspiciousNodes,
  links: IncidentLinks,
  options: IncidentOptions = DEFAULT_INCIDENT_OPTIONS,
): IncidentGroup[] {
  const growing = new GrowingIncidents(members, links, options);
  while (growing.addNext());
  const groups = new Map<number, number[]>();
  // In the order of scores, so every list has its highest first, and so have the lists.
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
 * How many incidents the members with at least each score form, for thresholds in descending order: one pass for all
 * of them (method §9).
 */
export function countIncidentsAt(
  thresholds: ArrayLike<number>,
  members: SuspiciousNodes,
  links: IncidentLinks,
  options: IncidentOptions = DEFAULT_INCIDENT_OPTIONS,
): Uint32Array {
  const growing = new GrowingIncidents(members, links, options);
  return Uint32Array.from({ length: thresholds.length }, (_, i) => {
    if (i > 0 && !(thresholds[i] <= thresholds[i - 1]))
      throw new RangeError('countIncidentsAt takes thresholds in descending order');
    while (growing.nextScore >= thresholds[i]) growing.addNext();
    return growing.count;
  });
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Union-find to which members come by score, highest first. */
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
  /** -1 before a member has come. */
  readonly #up: Int32Array;
  /** Hubs that have found their highest neighbour. */
  readonly #attached: Uint8Array;
  /** Reused: millions of short lists would be the whole cost. */
  readonly #found: number[] = [];
  /** Members that the new one may join. */
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

  /** Of the member that would come next; -Infinity after the last, and for one that is not a number. */
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

  /** False when there is none left. */
  addNext(): boolean {
    if (this.#next === this.order.length) return false;
    const member = this.order[this.#next++];
    this.#up[member] = member;
    this.count++;
    const node = this.#members.node[member];
    this.#gatherNode(member, node);
    this.#gatherSameEnd(member, node);
    this.#gatherNeighbours(member, node);
    this.#settle(member);
    return true;
  }

  /** A far end that many connections lead to is a hub. */
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
      const [keepsBack, isKeptBack] = [this.#keepsBack(node, neighbour), this.#keepsBack(neighbour, node)];
      const count = this.#findNear(member, neighbour);
      for (let i = 0; i < count; i++) {
        const other = this.#found[i];
        if (!keepsBack && !isKeptBack) this.#near.push(other);
        // Members come by score, so the first to come is a hub's highest neighbour.
        if (isKeptBack && this.#attached[other] === 0) {
          this.#attached[other] = 1;
          this.#near.push(other);
        }
        if (keepsBack && (highest < 0 || this.#rank[other] < this.#rank[highest])) highest = other;
      }
      // Few have to do with the neighbour: whoever does belongs together. A parent joins its children even where it has
      // many files, unless it has many processes.
      const shared = offsets[neighbour + 1] - offsets[neighbour] <= most;
      if (shared || (kin[at] === 1 && spread[neighbour] <= most)) this.#gatherThrough(member, at, shared);
    }
    if (highest >= 0) {
      this.#attached[member] = 1;
      this.#near.push(highest);
    }
  }

  /** True where a hub must not join a neighbour to its others: a process that makes many still owns its files. */
  #keepsBack(node: number, neighbour: number): boolean {
    const { spread, tree } = this.#links;
    return spread[node] > this.#mostNeighbours && (!tree.isProcess(node) || tree.isProcess(neighbour));
  }

  /**
   * Those that have to do with the same node as the member, the one at `link`: `all`, or only those that it made or was
   * made by.
   */
  #gatherThrough(member: number, link: number, all: boolean): void {
    const { tree, offsets, neighbours, kin, readOnly, spread } = this.#links;
    const via = neighbours[link];
    const isHub = spread[this.#members.node[member]] > this.#mostNeighbours;
    const onlyReads = readOnly[link] === 1 && !tree.isProcess(via);
    for (let at = offsets[via]; at < offsets[via + 1]; at++) {
      if (!all && kin[at] === 0) continue;
      if (onlyReads && readOnly[at] === 1) continue;
      const neighbour = neighbours[at];
      // A hub has to do with everything; that it shares something with a member says nothing.
      if (isHub || spread[neighbour] > this.#mostNeighbours) continue;
      this.#gatherNode(member, neighbour);
    }
  }

  #gatherNode(member: number, node: number): void {
    const count = this.#findNear(member, node);
    for (let i = 0; i < count; i++) this.#near.push(this.#found[i]);
  }

  /** Puts the members of a node that have come already and are near in time, on the same host, into `#found`. */
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

  /** Joins the new member with the groups it is near to, the highest first, and these through it unless it is a valley. */
  #settle(member: number): void {
    const { score } = this.#members;
    const near = this.#near;
    // A group's own number is its highest member's, so these come by their highest scores.
    for (let i = 0; i < near.length; i++) near[i] = this.setOf(near[i]);
    near.sort((a, b) => this.#rank[a] - this.#rank[b]);
    for (let i = 0; i < near.length; i++) {
      const group = near[i];
      if (i > 0 && group === near[i - 1]) continue;
      const isFirst = i === 0;
      // Below zero are ranks of what scores nothing: no summit there.
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
    score: incidentScore(group.map((member) => members.score[member])),
    prominence,
  };
}

/** The earliest process from which another one of the incident descends and that descends from none; or the highest. */
function findRoot(
  group: readonly number[],
  { node, first }: SuspiciousNodes,
  { tree }: IncidentLinks,
): number {
  const memberOf = new Map<number, number>(); // the earliest of each node
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
