import { expect, test } from 'vitest';
import { sampleDetectionReport } from './detection/sample-detection.js';
import { sampleEvaluationReport } from './sample-evaluation.js';

test.each([
  ['detection', sampleDetectionReport],
  ['evaluation', sampleEvaluationReport],
])('the sample %s report is whole, repeatable and of a modest size', (_, write) => {
  const text = write();
  expect(write()).toBe(text);
  expect(text).not.toMatch(/NaN|undefined|\[object/);
  expect(text.length).toBeLessThan(600_000);
  const opened = (tag: string): number => text.match(new RegExp(`<${tag}[ >]`, 'g'))?.length ?? 0;
  expect(opened('figure')).toBeGreaterThan(2);
  expect(opened('figcaption')).toBe(opened('figure'));
  expect(opened('caption')).toBe(opened('table'));
});
