import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import type { AttackNodes } from '../metrics/attack-metrics.js';
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
  /** True if the entity with this key is in training. */
  readonly inTraining?: ((key: string) => boolean) | undefined;
}

const EXAMPLES = 3;

/**
 * Finds the labelled nodes and their attacks. `keyOfNode` returns a node's key, like `LoadedEvents.uuid`. If several hosts
 * use one id, the label applies to a node of each.
 */
export function matchLabels(
  labels: Labels,
  nodeCount: number,
  keyOfNode: (node: number) => string,
  options: LabelMatchOptions = {},
): LabelMatch {
  const { ignore, inTraining, isOutside } = options;
  const positives = new Uint8Array(nodeCount);
  const ignored = new Uint8Array(nodeCount);
  const found = new Uint8Array(labels.labels.length);
  const ofAttack: number[][] = (labels.attacks ?? []).map(() => []);
  let [labelledAndIgnored, withoutAttack] = [0, 0];
  for (let v = 0; v < nodeCount; v++) {
    const key = keyOfNode(v).toUpperCase();
    const at = labels.byKey.get(key);
    const isIgnored = ignore?.byKey.has(key) ?? false;
    if (at !== undefined) {
      found[at] = 1;
      positives[v] = 1;
      for (const attack of labels.labels[at].attacks) ofAttack[attack].push(v);
      if (labels.labels[at].attacks.length === 0) withoutAttack++;
      if (isIgnored) labelledAndIgnored++;
    } else if (isIgnored || isOutside?.(v) === true) ignored[v] = 1;
  }
  const unmatched = labels.labels.filter((_, at) => found[at] === 0);
  if (unmatched.length === labels.labels.length) throw noMatch(labels, nodeCount, keyOfNode);
  const known = inTraining === undefined ? [] : [...labels.byKey].filter(([key]) => inTraining(key));
  const ignoredNodes = total(ignored);
  return {
    positives,
    ignored,
    attacks: labels.attacks === null ? null : gatherAttacks(labels.attacks, ofAttack),
    counts: {
      nodes: nodeCount - ignoredNodes,
      positives: total(positives),
      ignored: ignoredNodes,
      labels: labels.labels.length,
      labelsUnmatched: unmatched.length,
      labelsInTraining: known.length,
      withoutAttack,
      labelledAndIgnored,
    },
    attacksUnmatched: (labels.attacks ?? []).filter((_, attack) => ofAttack[attack].length === 0),
    unmatched: unmatched.slice(0, EXAMPLES).map(({ id }) => id),
    inTraining: known.slice(0, EXAMPLES).map(([, at]) => labels.labels[at].id),
  };
}

function gatherAttacks(names: readonly string[], ofAttack: readonly number[][]): AttackNodes {
  const kept = names.map((_, attack) => attack).filter((attack) => ofAttack[attack].length > 0);
  const offsets = new Uint32Array(kept.length + 1);
  kept.forEach((attack, row) => {
    offsets[row + 1] = offsets[row] + ofAttack[attack].length;
  });
  return {
    names: kept.map((attack) => names[attack]),
    offsets,
    nodes: Int32Array.from(kept.flatMap((attack) => ofAttack[attack])),
  };
}

function noMatch(labels: Labels, nodeCount: number, keyOfNode: (node: number) => string): RecalError {
  const label = printable(labels.labels[0].id, 64);
  const node = nodeCount === 0 ? 'the test has no nodes' : `a node id is '${printable(keyOfNode(0), 64)}'`;
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
