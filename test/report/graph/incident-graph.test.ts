import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { type GraphNode, incidentGraph } from '../../../src/report/graph/incident-graph.js';
import { type Content, render } from '../../../src/report/page/html.js';
import { sampleGraph } from '../detection/sample-detection.js';
import { HOSTILE } from '../hostile.js';

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

interface Words {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where the words of relations and the names of nodes stand, from the places that the drawing gives them. */
function wordsOf(document: ReturnType<typeof read>): Words[] {
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

/** A process with a dozen files that it reads and closes, in and out, as alerts or not. */
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
    nodes: [{ id: 'p', kind: 'process', label: 'tmux-1002', alert: true, score: 9 }, ...files],
    edges: files.flatMap(({ id }) =>
      relations.map((relation, i) =>
        i % 2 === 0 ? { from: id, to: 'p', relation } : { from: 'p', to: id, relation },
      ),
    ),
  };
}

test.each([[['READ']], [['READ', 'CLOSE']], [['MODIFY_FILE_ATTRIBUTES', 'CREATE_OBJECT', 'RECVFROM']]])(
  'no two words of a fan-in lie on each other: %j',
  (relations) => {
    const graph = fan(relations);
    const document = read(incidentGraph(graph));
    const words = wordsOf(document);
    const clashes = words.flatMap((a, i) =>
      words
        .slice(i + 1)
        .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        .map((b) => `${a.text} | ${b.text}`),
    );
    expect(clashes).toEqual([]);
    // What has no room is counted, and still told by its line.
    const named = document.querySelectorAll('.drawing g[text-anchor]').length;
    expect(named).toBeGreaterThan(2);
    const note =
      /no room to name (one|\d+)/.exec(document.querySelector('figcaption').textContent)?.[1] ?? '0';
    expect(named + Number(note.replace('one', '1'))).toBe(12);
    const titles = [...document.querySelectorAll('.drawing path[marker-end] > title')];
    expect(titles.filter((title) => title.textContent.includes(relations[0]))).toHaveLength(12);
  },
);
