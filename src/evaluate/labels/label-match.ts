import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import type { AttackNodes } from '../metrics/attack-metrics.js';
import type { Labels } from './labels.js';

export interface LabelMatch {
  /** One byte per node. */
  readonly positives: Uint8Array;
  readonly ignored: Uint8Array;
  /** Null where the labels name no attacks. */
  readonly attacks: AttackNodes | null;
  readonly counts: {
    /** Nodes that are judged: all but the ignored. */
    readonly nodes: number;
    readonly positives: number;
    readonly ignored: number;
    readonly labels: number;
    readonly labelsUnmatched: number;
    readonly labelsInTraining: number;
    /** Labelled nodes that belong to no attack. */
    readonly withoutAttack: number;
    readonly ignoreListed: number;
    readonly ignoreUnmatched: number;
    /** On both lists. A label wins: leaving an attack out would hide a miss. */
    readonly labelledAndIgnored: number;
  };
  /** Attacks that no node of the test belongs to. They are no part of any metric. */
  readonly attacksUnmatched: readonly string[];
  /** The first few, for messages. */
  readonly unmatched: readonly string[];
  readonly inTraining: readonly string[];
}

export interface LabelMatchOptions {
  readonly ignore?: Labels | undefined;
  /** Whether training knows the entity of this key. */
  readonly inTraining?: ((key: string) => boolean) | undefined;
}

const EXAMPLES = 3;

/**
 * Which nodes are positive, and of which attack. `keyOfNode` gives a node's key as `LoadedEvents.uuid` does. An id that
 * several hosts use labels the node of each.
 */
export function matchLabels(
  labels: Labels,
  nodeCount: number,
  keyOfNode: (node: number) => string,
  options: LabelMatchOptions = {},
): LabelMatch {
  const { ignore, inTraining } = options;
  const positives = new Uint8Array(nodeCount);
  const ignored = new Uint8Array(nodeCount);
  const found = new Uint8Array(labels.labels.length);
  const ignoreFound = new Uint8Array(ignore?.labels.length ?? 0);
  const ofAttack: number[][] = (labels.attacks ?? []).map(() => []);
  let [labelledAndIgnored, withoutAttack] = [0, 0];
  for (let v = 0; v < nodeCount; v++) {
    const key = keyOfNode(v).toUpperCase();
    const at = labels.byKey.get(key);
    const off = ignore?.byKey.get(key);
    if (off !== undefined) ignoreFound[off] = 1;
    if (at !== undefined) {
      found[at] = 1;
      positives[v] = 1;
      for (const attack of labels.labels[at].attacks) ofAttack[attack].push(v);
      if (labels.labels[at].attacks.length === 0) withoutAttack++;
      if (off !== undefined) labelledAndIgnored++;
    } else if (off !== undefined) ignored[v] = 1;
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
      ignoreListed: ignoreFound.length,
      ignoreUnmatched: ignoreFound.length - total(ignoreFound),
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
  const node = nodeCount === 0 ? 'there is no node at all' : `a node is '${printable(keyOfNode(0), 64)}'`;
  const count = labels.labels.length;
  return new RecalError('labels-no-match', `none of the ${count} labels is a node of the test`, {
    hint: `are they for this host and these days? A label is '${label}', ${node}`,
    where: { file: labels.file },
  });
}

function total(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return sum;
}
