import { ACTIONS, actionOfRelation } from '../ingest/actions.js';
import type { Batch } from '../ingest/batch.js';
import { FLOW_IN, FLOW_OUT } from '../ingest/flow.js';
import type { Reading } from './manifest.js';

/** Actions (0 to 31) and directions (0 to 3) of one relation. */
const CODES = 128;
/** A batch with more symbols than this is rare and counted in a slower way. */
const MOST_DENSE = 4096;

/** Counts how the events of each relation were read: their action and direction. */
export class Readings {
  /** By relation, then by the number of the action and the direction. */
  readonly #counts = new Map<string, Map<number, number>>();

  add({ events, relation, action, flow, symbols }: Batch): void {
    const counts = symbols.length <= MOST_DENSE ? new Float64Array(symbols.length * CODES) : undefined;
    const rare = new Map<number, number>();
    for (let i = 0; i < events; i++) {
      const code = relation[i] * CODES + action[i] * 4 + flow[i];
      if (counts === undefined) rare.set(code, (rare.get(code) ?? 0) + 1);
      else counts[code]++;
    }
    counts?.forEach((count, code) => {
      if (count > 0) rare.set(code, count);
    });
    for (const [code, count] of rare) {
      const name = symbols[Math.floor(code / CODES)];
      const known = this.#counts.get(name) ?? new Map<number, number>();
      known.set(code % CODES, (known.get(code % CODES) ?? 0) + count);
      this.#counts.set(name, known);
    }
  }

  /** The readings, the most frequent first. */
  get stored(): Reading[] {
    const readings = [...this.#counts].flatMap(([relation, codes]) => readingsOf(relation, codes));
    return sortReadings(readings);
  }
}

function readingsOf(relation: string, codes: ReadonlyMap<number, number>): Reading[] {
  const byAction = new Map<string, Reading>();
  for (const [code, count] of codes) {
    const number = code >> 2;
    const action = number === 0 ? actionOfRelation(relation) : ACTIONS[number - 1];
    const reading = byAction.get(action) ?? { relation, action, in: 0, out: 0, unset: 0 };
    const flow = code & 3;
    reading[flow === FLOW_IN ? 'in' : flow === FLOW_OUT ? 'out' : 'unset'] += count;
    byAction.set(action, reading);
  }
  return [...byAction.values()];
}

/** Adds up the readings of several ingests. */
export function addReadings(all: readonly (readonly Reading[])[]): Reading[] {
  const sums = new Map<string, Reading>();
  for (const reading of all.flat()) {
    const key = `${reading.action} ${reading.relation}`;
    const sum = sums.get(key) ?? { ...reading, in: 0, out: 0, unset: 0 };
    for (const direction of ['in', 'out', 'unset'] as const) sum[direction] += reading[direction];
    sums.set(key, sum);
  }
  return sortReadings([...sums.values()]);
}

function sortReadings(readings: Reading[]): Reading[] {
  const total = (reading: Reading) => reading.in + reading.out + reading.unset;
  const name = ({ relation, action }: Reading) => `${relation} ${action}`;
  return readings.sort((a, b) => total(b) - total(a) || (name(a) < name(b) ? -1 : 1));
}
