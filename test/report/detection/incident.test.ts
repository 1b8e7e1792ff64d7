import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { incidentArticle, oneIn } from '../../../src/report/detection/incident.js';
import { render } from '../../../src/report/page/html.js';

test('rarity in words: a floor says that it is one', () => {
  expect(oneIn(0.0002)).toBe('1 in 5,000');
  expect(oneIn(1 / 41, 40)).toBe('fewer than 1 in 41');
  expect(oneIn(2 / 41, 40)).toBe('1 in 21');
  expect(oneIn(0.9)).toBe('most');
  expect(oneIn(0)).toBe('none');
});

test('evidence by rarity, members by score, and what is left out is counted', () => {
  const article = incidentArticle({
    id: 'incident-1',
    title: 'One',
    score: 9,
    first: 0n,
    last: 90_000_000_000n,
    members: Array.from({ length: 20 }, (_, i) => ({ name: `n${i}`, kind: 'file', score: i, alert: i > 17 })),
    evidence: [0.5, 0.001, 0.01].map((p, i) => ({
      node: `e${i}`,
      relation: 'READ',
      kind: 'reconstruction',
      p,
    })),
  });
  const { document } = parseHTML(`<html><body>${render(article)}</body></html>`);
  const first = (id: string): string[] =>
    [...document.querySelectorAll(`#${id} tbody th`)].map((cell) => cell.textContent);
  expect(first('incident-1-evidence')).toEqual(['e1', 'e2', 'e0']);
  expect(first('incident-1-members').slice(0, 2)).toEqual(['n19', 'n18']);
  expect(document.querySelector('#incident-1-members .note').textContent).toBe('… and 8 more of 20 rows.');
  expect(document.querySelector('.facts').textContent).toContain('2 of 20 nodes');
  expect(document.querySelector('.facts').textContent).toContain('1.5 min');
});
