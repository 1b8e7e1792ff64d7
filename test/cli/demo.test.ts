import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../graph/small-logs.js';
import { answer, recal } from './recal-process.js';

interface Demo {
  ingest: { status: string; events: number; malformed: number; skipped: Record<string, number> };
  graph: {
    nodes: number;
    edges: number;
    reducedEdges: number;
    adjacency: number;
    imbalance: number;
    hubs: { name: string; type: string; neighbours: number }[];
  };
}

describe('recal demo', () => {
  test('reads the bundled sample and shows its graph', async () => {
    const { code, stdout, stderr } = await recal(['demo']);
    expect(code).toBe(0);
    expect(stderr).toContain('bundled sample');
    expect(stdout).toMatch(/^nodes +\d/m);
    expect(stdout).toMatch(
      /^edges +[\d,.  ]+, [\d,.  ]+ after causality-preserving reduction \(\d+\.\d×\)$/m,
    );
    expect(stdout).toMatch(/^malformed +0 of /m);
    expect(stdout).toContain('recal ingest FILE');
    expect(stdout + stderr).not.toContain('\u001b');
  });

  test('--json prints one object whose figures fit together', async () => {
    const ended = await recal(['demo', '--json', '--quiet']);
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    const { ingest, graph } = answer(ended) as unknown as Demo;
    expect(ingest).toMatchObject({ status: 'added', malformed: 0, skipped: {} });
    expect(ingest.events).toBeGreaterThan(1000);
    expect(graph.nodes).toBeGreaterThan(100);
    expect(graph.reducedEdges).toBeLessThan(graph.edges);
    expect(graph.adjacency).toBeLessThanOrEqual(graph.reducedEdges);
    expect(graph.imbalance).toBeGreaterThan(1);
    const degrees = graph.hubs.map(({ neighbours }) => neighbours);
    expect(degrees).toHaveLength(8);
    expect(degrees).toEqual(degrees.toSorted((a, b) => b - a));
    // The largest hubs of a host are well-known programs and files: they all have names and types.
    for (const { name, type } of graph.hubs) expect([name, type]).not.toContain('other');
  });

  test('keeps nothing, in the temporary folder or where it runs', async () => {
    const folder = newFolder();
    const [work, temporary] = [join(folder, 'work'), join(folder, 'tmp')];
    for (const path of [work, temporary]) mkdirSync(path);
    expect((await recal(['demo', '--quiet'], { cwd: work, env: { TMPDIR: temporary } })).code).toBe(0);
    expect([...readdirSync(work), ...readdirSync(temporary)]).toEqual([]);
  });
});
