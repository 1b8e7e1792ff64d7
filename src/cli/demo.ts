import { EXIT } from '../base/errors.js';
import { defineSettings } from '../base/settings.js';
import { type Tour, takeTour } from '../demo/tour.js';
import { defineCommand } from './command.js';
import { formatCount } from './quantities.js';
import { renderSummary } from './summary.js';
import { type Look, renderTable } from './tables.js';

export const command = defineCommand({
  name: 'demo',
  summary: 'read a small bundled log and show the graph made of it',
  examples: ['recal demo'],
  arguments: {},
  settings: defineSettings({}),
  async run(_args, _settings, { out, signal }) {
    out.info('reading the bundled sample: a simulated FreeBSD server, in the shape of DARPA TC Engagement 3');
    const tour = await takeTour(signal);
    out.result(tour, () => render(tour, out));
    return EXIT.done;
  },
});

function* render({ ingest, graph }: Tour, look: Look): Generator<string> {
  const bold = look.bold ?? ((text: string) => text);
  yield* renderSummary(ingest, ingest.files, look);
  yield '';
  yield bold('the provenance graph');
  const ratio = (graph.edges / graph.reducedEdges).toFixed(1);
  yield `nodes         ${formatCount(graph.nodes)}`;
  yield `edges         ${formatCount(graph.edges)}, ${formatCount(graph.reducedEdges)} after causality-preserving reduction (${ratio}×)`;
  yield `neighbours    ${formatCount(graph.adjacency)} distinct (source, destination, relation)`;
  yield `imbalance     the most frequent relation has ${formatCount(Math.round(graph.imbalance))}× the events of the rarest`;
  yield '';
  yield* renderTable(
    ['largest hubs', 'type', 'neighbours'],
    graph.hubs.map(({ name, type, neighbours }) => [name, type, neighbours]),
    look,
  );
  yield '';
  yield 'next, on your own logs:';
  yield '  recal inspect FILE…              what is in them';
  yield '  recal ingest FILE… --store DIR   keep them as a graph store';
}
