import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEntities } from '../graph/entities.js';
import { type IngestResult, ingestFiles } from '../graph/ingest.js';
import { loadEvents } from '../graph/load.js';
import { buildGraph, type ProvenanceGraph } from '../graph/provenance-graph.js';
import { Store } from '../graph/store.js';

/** A small simulated host, part of the package. */
const SAMPLE = fileURLToPath(new URL('../../examples/small-host.json.gz', import.meta.url));

const HUBS = 8;

/** What the tour found: the ingest's own report and the graph made of it. */
export interface Tour {
  ingest: IngestResult;
  graph: GraphSummary;
}

export interface GraphSummary {
  nodes: number;
  edges: number;
  /** Edges left after causality-preserving reduction. */
  reducedEdges: number;
  /** Distinct (source, destination, relation). */
  adjacency: number;
  /** Most events of a relation over fewest. */
  imbalance: number;
  /** Nodes with most distinct neighbours. */
  hubs: { name: string; type: string; neighbours: number }[];
}

/** Reads the bundled sample into a store that is gone afterwards, and makes its graph. */
export async function takeTour(signal?: AbortSignal): Promise<Tour> {
  const folder = await mkdtemp(join(tmpdir(), 'recal-demo-'));
  try {
    const ingest = await ingestFiles([SAMPLE], { store: folder, signal, threads: 0 });
    return { ingest, graph: await summariseGraph(await Store.open(folder)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function summariseGraph(store: Store): Promise<GraphSummary> {
  const events = await loadEvents(store);
  const graph = buildGraph(events.table);
  const names = new Map<string, { name: string; type: string }>();
  const hubs = largestNodes(graph, HUBS).map((node) => ({
    ...node,
    id: events.uuid(graph.nodes[node.node]),
  }));
  const wanted = new Set(hubs.map(({ id }) => id));
  for await (const { id, name, type } of readEntities(store)) {
    if (wanted.has(id)) names.set(id, { name: name ?? '(no name)', type });
  }
  const present = graph.frequencies.filter((count) => count > 0);
  return {
    nodes: graph.nodeCount,
    edges: graph.counts.edges,
    reducedEdges: graph.edges.length,
    adjacency: graph.adjacency.length,
    imbalance: Math.max(...present) / Math.min(...present),
    hubs: hubs.map(({ id, neighbours }) => ({
      ...(names.get(id) ?? { name: id, type: 'other' }),
      neighbours,
    })),
  };
}

function largestNodes(graph: ProvenanceGraph, count: number): { node: number; neighbours: number }[] {
  const { byDestination, bySource } = graph.adjacency;
  const degrees = Array.from({ length: graph.nodeCount }, (_, node) => ({
    node,
    neighbours:
      byDestination.offsets[node + 1] -
      byDestination.offsets[node] +
      bySource.offsets[node + 1] -
      bySource.offsets[node],
  }));
  return degrees.sort((a, b) => b.neighbours - a.neighbours || a.node - b.node).slice(0, count);
}
