import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { type Content, render } from '../../src/report/html.js';
import { type GraphNode, incidentGraph } from '../../src/report/incident-graph.js';
import { HOSTILE } from './hostile.js';
import { sampleGraph } from './sample-detection.js';

const read = (content: Content) => parseHTML(`<html><body>${render(content)}</body></html>`).document;
const texts = (document: ReturnType<typeof read>): string[] =>
  [...document.querySelectorAll('.drawing svg text')].map((text) => text.textContent);

test('every node and every pair of nodes is drawn once; alerts are numbered by score', () => {
  const { nodes, edges } = sampleGraph();
  const document = read(incidentGraph({ id: 'g', title: 'G', nodes, edges }));
  const shown = [...document.querySelectorAll('.drawing g[transform] > title')].map(
    (title) => title.textContent,
  );
  expect(shown.map((text) => text.replace(/^\w+: /, '').replace(/, score.*/, ''))).toEqual(
    nodes.map((node) => node.label),
  );
  const pairs = new Set(edges.map((edge) => [edge.from, edge.to].sort().join(' ')));
  expect(document.querySelectorAll('.drawing path[marker-end]').length).toBe(pairs.size);
  expect(document.querySelectorAll('.drawing path[marker-start]').length).toBe(1);
  expect(texts(document)).toContain('SENDTO ×230 →');
  expect(texts(document)).toContain('RECVFROM ×212 ←');
  const first = [...document.querySelectorAll('.drawing g[transform]')].find((node) =>
    node.textContent.includes('score 31.7'),
  );
  expect([...first.querySelectorAll('text')][0].textContent).toBe('1');
  expect(texts(document)).toContain('FORK');
});

test('beyond the most, alerts and the processes above them stay and the rest is counted by kind', () => {
  const nodes: GraphNode[] = [
    ...Array.from({ length: 100 }, (_, i) => ({
      id: `f${i}`,
      kind: 'file' as const,
      label: `file ${i}`,
      score: i / 10,
    })),
    { id: 'root', kind: 'process', label: 'root', score: 0 },
    { id: 'bad', kind: 'process', label: 'bad', score: 1, alert: true, parent: 'root' },
  ];
  const edges = Array.from({ length: 100 }, (_, i) => ({ from: `f${i}`, to: 'bad', relation: 'READ' }));
  const document = read(incidentGraph({ id: 'g', title: 'G', nodes, edges }));
  const shown = texts(document);
  expect(shown).toContain('root');
  expect(shown).toContain('bad');
  expect(shown).toContain('… and 62 more: 62 files');
  expect(shown).toContain('file 99');
  expect(shown).not.toContain('file 61');
  // The table still has all of them.
  expect(document.querySelectorAll('details tbody tr').length).toBe(100);
});

test('the same graph gives the same bytes; hostile labels, loops and forged parents do no harm', () => {
  const nodes = Object.values(HOSTILE).map(
    (label, i, all): GraphNode => ({
      id: label,
      label,
      kind: (['process', 'file', 'flow', 'other'] as const)[i % 4],
      alert: i % 3 === 0,
      score: i,
      parent: all[(i + 4) % all.length],
    }),
  );
  const edges = nodes.flatMap((node, i) => [
    { from: node.id, to: node.id, relation: HOSTILE.script },
    { from: node.id, to: nodes[(i * 7) % nodes.length].id, relation: HOSTILE.direction, count: i },
    { from: node.id, to: 'nobody', relation: 'LOST' },
  ]);
  const draw = (): string => render(incidentGraph({ id: 'g', title: HOSTILE.svg, nodes, edges }));
  expect(draw()).toBe(draw());
  expect(draw()).not.toMatch(/NaN|undefined|[\p{Cf}\p{Cs}]/u);
  expect(
    read(incidentGraph({ id: 'g', title: 'G', nodes, edges })).querySelector('script, [onload]'),
  ).toBeNull();
  expect(draw()).toContain('20 edges lead to nodes outside the graph');
});

test('an empty graph is drawn as one', () => {
  expect(render(incidentGraph({ id: 'g', title: 'G', nodes: [], edges: [] }))).not.toMatch(/NaN|Infinity/);
});
