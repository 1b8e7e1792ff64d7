import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { type GraphEdge, type GraphNode, incidentGraph } from '../../../src/report/graph/incident-graph.js';
import { type Content, render } from '../../../src/report/page/html.js';
import { HOSTILE } from '../hostile.js';

const read = (content: Content) => parseHTML(`<html><body>${render(content)}</body></html>`).document;
const texts = (document: ReturnType<typeof read>): string[] =>
  [...document.querySelectorAll('.drawing svg text')].map((text) => text.textContent);

/** An attack with every kind of node. */
const NODES: GraphNode[] = [
  { id: 'sshd', kind: 'process', label: '/usr/sbin/sshd', score: 1.2 },
  { id: 'nginx', kind: 'process', label: '/usr/local/sbin/nginx', score: 19.6, alert: true },
  { id: 'in', kind: 'flow', label: '81.49.200.166:55210 → 10.0.6.20:80', score: 14.1, alert: true },
  { id: 'drop', kind: 'file', label: '/tmp/vUgefal', score: 24.8, alert: true },
  { id: 'implant', kind: 'process', label: '/tmp/vUgefal', score: 31.7, alert: true, parent: 'nginx' },
  { id: 'passwd', kind: 'file', label: '/etc/passwd', score: 2.2 },
  { id: 'hosts', kind: 'file', label: '/etc/hosts', score: 0.6 },
  { id: 'log', kind: 'file', label: '/var/log/devc', score: 11.4, alert: true },
  { id: 'sh', kind: 'process', label: '/bin/sh -c "uname -a; whoami"', score: 9.3, parent: 'implant' },
  { id: 'out', kind: 'flow', label: '10.0.6.20:41720 → 61.167.39.128:80', score: 22.9, alert: true },
  { id: 'pipe', kind: 'other', label: 'pipe 4412', score: 0.3 },
];
const EDGES: GraphEdge[] = [
  { from: 'in', to: 'nginx', relation: 'ACCEPT' },
  { from: 'in', to: 'nginx', relation: 'RECVFROM', count: 41 },
  { from: 'nginx', to: 'drop', relation: 'WRITE', count: 12 },
  { from: 'nginx', to: 'drop', relation: 'MODIFY_FILE_ATTRIBUTES' },
  { from: 'nginx', to: 'implant', relation: 'FORK' },
  { from: 'drop', to: 'implant', relation: 'EXECUTE' },
  { from: 'passwd', to: 'implant', relation: 'READ', count: 3 },
  { from: 'hosts', to: 'implant', relation: 'READ' },
  { from: 'implant', to: 'out', relation: 'SENDTO', count: 230 },
  { from: 'out', to: 'implant', relation: 'RECVFROM', count: 212 },
  { from: 'implant', to: 'log', relation: 'WRITE', count: 7 },
  { from: 'sh', to: 'pipe', relation: 'WRITE', count: 2 },
];

test('draws every node and every pair of nodes once, and numbers alerts by score', () => {
  const document = read(incidentGraph({ id: 'g', title: 'G', most: 40, nodes: NODES, edges: EDGES }));
  const shown = [...document.querySelectorAll('.drawing g[transform] > title')].map(
    (title) => title.textContent,
  );
  expect(shown.map((text) => text.replace(/^\w+: /, '').replace(/, score.*/, ''))).toEqual(
    NODES.map((node) => node.label),
  );
  const pairs = new Set(EDGES.map((edge) => [edge.from, edge.to].sort().join(' ')));
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

test('keeps alerts and their ancestors, and counts the nodes left out by kind', () => {
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
  const document = read(incidentGraph({ id: 'g', title: 'G', most: 40, nodes, edges }));
  const shown = texts(document);
  expect(shown).toContain('root');
  expect(shown).toContain('bad');
  expect(shown).toContain('Not drawn: 62 files');
  expect(shown).toContain('file 99');
  expect(shown).not.toContain('file 61');
  // The table has all edges.
  expect(document.querySelectorAll('details tbody tr').length).toBe(100);
});

test('the same graph gives the same bytes, and hostile labels, loops and forged parents are harmless', () => {
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
  const draw = (): string => render(incidentGraph({ id: 'g', title: HOSTILE.svg, most: 40, nodes, edges }));
  expect(draw()).toBe(draw());
  expect(draw()).not.toMatch(/NaN|undefined|[\p{Cf}\p{Cs}]/u);
  expect(
    read(incidentGraph({ id: 'g', title: 'G', most: 40, nodes, edges })).querySelector('script, [onload]'),
  ).toBeNull();
  expect(draw()).toContain('20 edges lead to nodes outside the graph');
});

test('draws an empty graph', () => {
  expect(render(incidentGraph({ id: 'g', title: 'G', most: 40, nodes: [], edges: [] }))).not.toMatch(
    /NaN|Infinity/,
  );
});

interface Label {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The labels of arrows and nodes, with their boxes estimated from the drawing. */
function labelsOf(document: ReturnType<typeof read>): Label[] {
  return [...document.querySelectorAll('.drawing svg text[y]')].map((element) => {
    const node = element.closest('g[transform]');
    const [x, y] = (node?.getAttribute('transform').match(/[-\d.]+/g) ?? [0, 0]).map(Number);
    const text = element.textContent;
    const size = node === null ? 10.5 : 11.5;
    const middle = {
      x: x + Number(element.getAttribute('x')),
      y: y + Number(element.getAttribute('y')) - 3.5,
    };
    const [half, high] = [(text.length * size * 0.58) / 2, size * 0.45];
    const box = { left: middle.x - half, right: middle.x + half };
    return { text, ...box, top: middle.y - high, bottom: middle.y + high };
  });
}

/** A process with a dozen files. */
function fan(relations: readonly string[]): Parameters<typeof incidentGraph>[0] {
  const files = Array.from({ length: 12 }, (_, i) => ({
    id: `f${i}`,
    kind: 'file' as const,
    label: `/var/db/a-file-of-some-length-${i}`,
    alert: i % 3 === 0,
  }));
  return {
    id: 'g',
    title: 'G',
    most: 40,
    nodes: [{ id: 'p', kind: 'process', label: 'tmux-1002', alert: true, score: 9 }, ...files],
    edges: files.flatMap(({ id }) =>
      relations.map((relation, i) =>
        i % 2 === 0 ? { from: id, to: 'p', relation } : { from: 'p', to: id, relation },
      ),
    ),
  };
}

test.each([[['READ']], [['READ', 'CLOSE']], [['MODIFY_FILE_ATTRIBUTES', 'CREATE_OBJECT', 'RECVFROM']]])(
  'no two labels of a fan-in overlap: %j',
  (relations) => {
    const graph = fan(relations);
    const document = read(incidentGraph(graph));
    const labels = labelsOf(document);
    const clashes = labels.flatMap((a, i) =>
      labels
        .slice(i + 1)
        .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        .map((b) => `${a.text} | ${b.text}`),
    );
    expect(clashes).toEqual([]);
    // Arrows without a label are counted, and their lines have titles.
    const named = document.querySelectorAll('.drawing g[text-anchor]').length;
    expect(named).toBeGreaterThan(2);
    const note = /(\d+) arrows? ha/.exec(document.querySelector('figcaption').textContent)?.[1] ?? '0';
    expect(named + Number(note)).toBe(12);
    const titles = [...document.querySelectorAll('.drawing path[marker-end] > title')];
    expect(titles.filter((title) => title.textContent.includes(relations[0]))).toHaveLength(12);
  },
);
