import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layeredLayout } from '../../../src/report/graph/layered-layout.js';

const process = (id: string, parent?: string) => ({
  id,
  process: true,
  ...(parent === undefined ? {} : { parent }),
});
const object = (id: string) => ({ id, process: false });

test('processes follow their tree, with inputs before and outputs after them', () => {
  const { places } = layeredLayout(
    [process('child', 'root'), process('root'), object('in'), object('between'), object('out')],
    [
      { from: 'in', to: 'root' },
      { from: 'root', to: 'between' },
      { from: 'between', to: 'child' },
      { from: 'child', to: 'out' },
    ],
  );
  const layers = ['in', 'root', 'between', 'child', 'out'].map((id) => places.get(id)?.layer);
  expect(layers).toEqual([0, 1, 2, 3, 4]);
});

test('a long link crosses each layer between its ends', () => {
  const { routes } = layeredLayout(
    [process('a'), process('b', 'a'), object('x')],
    [
      { from: 'a', to: 'x' },
      { from: 'x', to: 'b' },
      { from: 'b', to: 'a' },
      { from: 'a', to: 'a' },
    ],
  );
  expect(routes.map((route) => route.map((place) => place.layer))).toEqual([[], [], [1], []]);
});

test('rows of a layer never overlap, even with cyclic parents, and the layout is deterministic', () => {
  const graph = fc.integer({ min: 1, max: 14 }).chain((n) => {
    const id = fc.integer({ min: 0, max: n - 1 }).map(String);
    return fc.record({
      nodes: fc.tuple(
        ...Array.from({ length: n }, (_, i) =>
          fc
            .record({ process: fc.boolean(), parent: fc.option(id, { nil: undefined }) })
            .map(({ process: isProcess, parent }) => ({
              id: String(i),
              process: isProcess,
              ...(parent === undefined ? {} : { parent }),
            })),
        ),
      ),
      links: fc.array(fc.record({ from: id, to: id }), { maxLength: 25 }),
    });
  });
  fc.assert(
    fc.property(graph, ({ nodes, links }) => {
      const layout = layeredLayout(nodes, links);
      expect(layeredLayout(nodes, links)).toEqual(layout);
      const places = [...layout.places.values()];
      for (const [i, a] of places.entries()) {
        expect(a.row).toBeGreaterThanOrEqual(-1e-9);
        for (const b of places.slice(i + 1)) {
          if (a.layer === b.layer) expect(Math.abs(a.row - b.row)).toBeGreaterThan(1 - 1e-9);
        }
        for (const pass of layout.routes.flat()) {
          if (a.layer === pass.layer) expect(Math.abs(a.row - pass.row)).toBeGreaterThan(0.8 - 1e-9);
        }
      }
      expect(new Set(places.map((place) => place.layer)).size).toBe(
        Math.max(...places.map((place) => place.layer)) + 1,
      );
    }),
  );
});
