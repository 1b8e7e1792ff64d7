import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import type { AttackNodes } from '../metrics/attack-metrics.js';
import { type LabelledNodes, visitLabelled } from './labelled-nodes.js';
import type { Labels } from './labels.js';

export interface LabelMatch {
  /** One byte per node. */
  readonly positives: Uint8Array;
  readonly ignored: Uint8Array;
  /** Null if the labels name no attacks. */
  readonly attacks: AttackNodes | null;
  readonly counts: {
    /** All nodes except the ignored ones. */
    readonly nodes: number;
    readonly positives: number;
    readonly ignored: number;
    readonly labels: number;
    readonly labelsUnmatched: number;
    readonly labelsInTraining: number;
    /** Labelled nodes without an attack. */
    readonly withoutAttack: number;
    /** Nodes on both lists. They count as labelled, so that no miss is hidden. */
    readonly labelledAndIgnored: number;
  };
  /** Attacks without a node in the test. No metric includes them. */
  readonly attacksUnmatched: readonly string[];
  /** A few unmatched labels, for messages. */
  readonly unmatched: readonly string[];
  /** A few labels of training entities, for messages. */
  readonly inTraining: readonly string[];
}

export interface LabelMatchOptions {
  readonly ignore?: Labels | undefined;
  /** True for a node that counts only if it is labelled. */
  readonly isOutside?: ((node: number) => boolean) | undefined;
  /** The nodes of training. */
  readonly training?: LabelledNodes | undefined;
}

const EXAMPLES = 5;

/**
 * Finds the labelled nodes and their attacks. If several hosts use one id, or several nodes have one name, the label
 * applies to each of them.
 */
export function matchLabels(
  labels: Labels,
  nodes: LabelledNodes,
  { ignore, training, isOutside }: LabelMatchOptions = {},
): LabelMatch {
  const positives = new Uint8Array(nodes.count);
  const ignored = new Uint8Array(nodes.count);
  const found = new Uint8Array(labels.labels.length);
  const ofAttack = (labels.attacks ?? []).map(() => new Set<number>());
  const attacked = new Set<number>();
  visitLabelled(labels, nodes, (node, label) => {
    found[label] = 1;
    positives[node] = 1;
    for (const attack of labels.labels[label].attacks) {
      ofAttack[attack].add(node);
      attacked.add(node);
    }
  });
  const unmatched = labels.labels.filter((_, label) => found[label] === 0);
  if (unmatched.length === labels.labels.length) throw noMatch(labels, nodes);
  if (ignore !== undefined) visitLabelled(ignore, nodes, (node) => ignored.fill(1, node, node + 1));
  let labelledAndIgnored = 0;
  for (let v = 0; v < nodes.count; v++) {
    if (positives[v] === 1) {
      labelledAndIgnored += ignored[v];
      ignored[v] = 0;
    } else if (isOutside?.(v) === true) ignored[v] = 1;
  }
  const known = training === undefined ? [] : labelsIn(labels, training);
  const ignoredNodes = total(ignored);
  return {
    positives,
    ignored,
    attacks: labels.attacks === null ? null : gatherAttacks(labels.attacks, ofAttack),
    counts: {
      nodes: nodes.count - ignoredNodes,
      positives: total(positives),
      ignored: ignoredNodes,
      labels: labels.labels.length,
      labelsUnmatched: unmatched.length,
      labelsInTraining: known.length,
      withoutAttack: total(positives) - attacked.size,
      labelledAndIgnored,
    },
    attacksUnmatched: (labels.attacks ?? []).filter((_, attack) => ofAttack[attack].size === 0),
    unmatched: unmatched.slice(0, EXAMPLES).map(({ id }) => id),
    inTraining: known.slice(0, EXAMPLES).map((label) => labels.labels[label].id),
  };
}

/** The labels of nodes, in the order of the file. */
function labelsIn(labels: Labels, nodes: LabelledNodes): number[] {
  const found = new Set<number>();
  visitLabelled(labels, nodes, (_, label) => found.add(label));
  return [...found].sort((a, b) => a - b);
}

function gatherAttacks(names: readonly string[], ofAttack: readonly ReadonlySet<number>[]): AttackNodes {
  const kept = names.map((_, attack) => attack).filter((attack) => ofAttack[attack].size > 0);
  const offsets = new Uint32Array(kept.length + 1);
  kept.forEach((attack, row) => {
    offsets[row + 1] = offsets[row] + ofAttack[attack].size;
  });
  return {
    names: kept.map((attack) => names[attack]),
    offsets,
    nodes: Int32Array.from(kept.flatMap((attack) => [...ofAttack[attack]].sort((a, b) => a - b))),
  };
}

function noMatch(labels: Labels, nodes: LabelledNodes): RecalError {
  const label = printable(labels.labels[0].id, 64);
  const node = nodes.count === 0 ? 'the test has no nodes' : `a node id is '${printable(nodes.key(0), 64)}'`;
  const count = labels.labels.length;
  return new RecalError('labels-no-match', `none of the ${count} labels matches a node of the test`, {
    hint: `use labels of this host and time; a label id is '${label}', ${node}`,
    where: { file: labels.file },
  });
}

function total(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return sum;
}
