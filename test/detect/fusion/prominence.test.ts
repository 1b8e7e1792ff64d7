import { expect, test } from 'vitest';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../../src/detect/evidence/evidence.js';
import { measureProminence } from '../../../src/detect/fusion/prominence.js';

/** Evidence of one node after another: the kind and ln p of each row. */
function evidenceOf(...nodes: [EvidenceKind, number][][]) {
  const rows = nodes.flat();
  let length = 0;
  return {
    offsets: Uint32Array.from([0, ...nodes.map((own) => (length += own.length))]),
    kinds: Uint8Array.from(rows, ([kind]) => EVIDENCE_KINDS.indexOf(kind)),
    logP: Float64Array.from(rows, ([, logP]) => logP),
  };
}

test('the score, where the strangest act bears it out', () => {
  const evidence = evidenceOf([
    ['reconstruction', -3],
    ['name', -12],
  ]);
  expect([...measureProminence(evidence, Float64Array.of(14))]).toEqual([14]);
});

test('no more than two acts as strange as the strangest, corrected for their number', () => {
  const [p, acts] = [1e-3, 4];
  const rows = Array.from({ length: acts }, (_, i): [EvidenceKind, number] => ['name', Math.log(p) + i / 10]);
  const [found] = measureProminence(evidenceOf([['reconstruction', -40], ...rows]), Float64Array.of(30));
  // One of four as small as p has the probability 1 - (1 - p)^4.
  expect(found).toBeCloseTo(-2 * Math.log(1 - (1 - p) ** acts), 9);
});

test('nothing without an act', () => {
  const evidence = evidenceOf([['reconstruction', -9]], []);
  expect([...measureProminence(evidence, Float64Array.of(9, 2))]).toEqual([0, 0]);
});
