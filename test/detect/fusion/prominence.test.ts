import { expect, test } from 'vitest';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../../src/detect/evidence/evidence.js';
import { measureProminence } from '../../../src/detect/fusion/prominence.js';

/** The evidence of each node: the kind and ln p of each row. */
function evidenceOf(...nodes: [EvidenceKind, number][][]) {
  const rows = nodes.flat();
  let length = 0;
  return {
    offsets: Uint32Array.from([0, ...nodes.map((own) => (length += own.length))]),
    kinds: Uint8Array.from(rows, ([kind]) => EVIDENCE_KINDS.indexOf(kind)),
    logP: Float64Array.from(rows, ([, logP]) => logP),
  };
}

test('the score counts in full if the most surprising act supports it', () => {
  const evidence = evidenceOf([
    ['reconstruction', -3],
    ['name', -12],
  ]);
  expect([...measureProminence(evidence, Float64Array.of(14))]).toEqual([14]);
});

test('the score is capped at two acts like the most surprising one, corrected for their number', () => {
  const [p, acts] = [1e-3, 4];
  const rows = Array.from({ length: acts }, (_, i): [EvidenceKind, number] => ['name', Math.log(p) + i / 10]);
  const [found] = measureProminence(evidenceOf([['reconstruction', -40], ...rows]), Float64Array.of(30));
  // The smallest of four p-values is at most p with probability 1 − (1 − p)^4.
  expect(found).toBeCloseTo(-2 * Math.log(1 - (1 - p) ** acts), 9);
});

test('a node without acts gets 0', () => {
  const evidence = evidenceOf([['reconstruction', -9]], []);
  expect([...measureProminence(evidence, Float64Array.of(9, 2))]).toEqual([0, 0]);
});
