import { describeNeeded, NodeDays } from '../../detect/threshold/node-days.js';
import {
  chooseThreshold,
  empiricalP,
  formatThreshold,
  type ThresholdSpec,
} from '../../detect/threshold/threshold.js';
import type { KeyTable } from '../../store/key-table.js';
import type { CalibrationOutcome } from '../protocol/variant-group.js';
import type { SeedResult } from '../result-schema.js';
import { flagNodes } from './confusion.js';
import type { NodeScores, TestGraph } from './node-scores.js';
import type { Oracle } from './ranking-metrics.js';

const DAY = 86_400_000_000_000n;

/** The flagged nodes, and the threshold that flags them. */
export interface Flagged {
  readonly nodes: Uint8Array;
  readonly threshold: SeedResult['threshold'];
  /** A caveat about the threshold. */
  readonly note: string | null;
}

export interface FlagContext {
  readonly graphs: readonly TestGraph[];
  readonly keys: KeyTable;
  readonly oracle: Oracle | null;
}

/** Sets the threshold (method §9) and flags the nodes. Only the oracle uses labels; other rules use benign scores. */
export function flag(
  spec: ThresholdSpec,
  nodeScores: NodeScores,
  outcome: CalibrationOutcome,
  context: FlagContext,
): Flagged {
  const asked = formatThreshold(spec);
  const none = () => new Uint8Array(nodeScores.scores.length);
  if (spec.kind === 'oracle') {
    const value = context.oracle?.threshold ?? null;
    return {
      nodes: value === null ? none() : flagNodes(nodeScores.scores, value),
      threshold: { kind: 'oracle', asked, value, oracle: true },
      note: null,
    };
  }
  // Benign scores are float32. Round these too, so that equal scores stay equal.
  const rounded = nodeScores.scores.map(Math.fround);
  if (outcome.ownThreshold !== undefined) {
    const value = nextFloat32(outcome.ownThreshold);
    return {
      nodes: flagNodes(rounded, value),
      threshold: { kind: 'score', asked: 'above every benign score', value, oracle: false },
      note: `uses its own threshold, the largest loss on the calibrate split, instead of ${asked}`,
    };
  }
  if (spec.kind === 'fdr') return flagByDay(spec.level, asked, nodeScores, outcome, context);
  const { tau, status } = chooseThreshold(spec, outcome.benign);
  const mark = status === 'resolved' ? null : status;
  return {
    nodes: flagNodes(rounded, tau),
    threshold: { kind: spec.kind, asked, value: tau, oracle: false, mark },
    note:
      mark === null
        ? null
        : `the threshold ${asked} is ${mark}: the calibrate split is too short to resolve it`,
  };
}

/** Applies the false discovery rate to the nodes of each host and day. */
function flagByDay(
  level: number,
  asked: string,
  { byGraph, scores }: NodeScores,
  { benign, over }: CalibrationOutcome,
  { graphs, keys }: FlagContext,
): Flagged {
  const nodeDays = new NodeDays();
  graphs.forEach(({ nodes, first }, g) => {
    nodes.forEach((node, v) => {
      nodeDays.add(node, Number(first[v] / DAY), empiricalP(benign, byGraph[g][v]));
    });
  });
  // `byGraph` is already corrected for the number of graphs if `over` is 'corrected'.
  const found = nodeDays.discover(level, benign, (node) => keys.hostAt(node), over === 'corrected');
  const nodes = new Uint8Array(scores.length);
  let value: number | null = null;
  found.alarms.forEach((alarm, row) => {
    if (alarm === 0) return;
    const node = nodeDays.nodes[row];
    nodes[node] = 1;
    value = Math.min(value ?? Number.POSITIVE_INFINITY, scores[node]);
  });
  return {
    nodes,
    threshold: { kind: 'fdr', asked, value, oracle: false, mark: 'nominal' },
    note:
      value === null
        ? `no node is flagged at ${asked}: ${describeNeeded(found, benign)}`
        : `${asked} is nominal: nodes share neighbours and load`,
  };
}

/** The smallest float32 above a non-negative number. */
function nextFloat32(value: number): number {
  const float = Float32Array.of(value);
  new Uint32Array(float.buffer)[0]++;
  return float[0];
}
