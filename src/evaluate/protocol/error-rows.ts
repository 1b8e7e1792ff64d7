import {
  type CalibratedValue,
  type CalibrationTables,
  emptyCalibratedValue,
} from '../../detect/calibration/calibration-tables.js';
import type { EvidenceRows } from '../../detect/evidence/evidence.js';
import type { GraphView } from '../../detect/graph-view.js';

/** The reconstruction errors of the test, before and after calibration: a row per (node, relation, graph). */
export interface ErrorRows {
  /** Names of the relations, by number. */
  readonly relations: readonly string[];
  /** Nodes of the test. */
  readonly nodes: Int32Array;
  readonly relation: Uint16Array;
  /** e_v^r as the model gives it (method §6). */
  readonly errors: Float32Array;
  /** ln p of the error among the benign errors. */
  readonly logP: Float32Array;
}

interface Piece extends Omit<ErrorRows, 'relations'> {}

/** Collects the errors of one graph after another. The gate does not matter: every error has a p-value. */
export class ErrorCollector {
  readonly #tables: CalibrationTables;
  readonly #relations: readonly string[];
  readonly #pieces: Piece[] = [];

  constructor(tables: CalibrationTables, relations: readonly string[]) {
    this.#tables = tables;
    this.#relations = relations;
  }

  add({ planned, names }: GraphView, { nodes, slots, values }: EvidenceRows): void {
    const answer: CalibratedValue = emptyCalibratedValue();
    const own = Int32Array.from(nodes, (node) => planned.nodes[node]);
    const logP = Float32Array.from(values, (value, row) => {
      this.#tables.lookup(names.types[own[row]], slots[row], value, answer);
      return answer.logP;
    });
    this.#pieces.push({ nodes: own, relation: slots, errors: Float32Array.from(values), logP });
  }

  finish(): ErrorRows {
    const length = this.#pieces.reduce((sum, { nodes }) => sum + nodes.length, 0);
    const all = {
      relations: this.#relations,
      nodes: new Int32Array(length),
      relation: new Uint16Array(length),
      errors: new Float32Array(length),
      logP: new Float32Array(length),
    };
    let at = 0;
    for (const { nodes, relation, errors, logP } of this.#pieces) {
      all.nodes.set(nodes, at);
      all.relation.set(relation, at);
      all.errors.set(errors, at);
      all.logP.set(logP, at);
      at += nodes.length;
    }
    return all;
  }
}
