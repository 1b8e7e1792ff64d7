import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LinkCollector } from '../../../src/detect/alerts/incident-links.js';
import { formIncidents } from '../../../src/detect/alerts/incidents.js';
import { toColumns } from '../../../src/detect/alerts/suspicious-nodes.js';
import { collectInteractions } from '../../../src/graph/interactions.js';
import { nameOf, readNodeNames } from '../../../src/graph/node-names.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { loadEvents } from '../../../src/store/load.js';
import { Store } from '../../../src/store/store.js';
import { ROOT } from '../../built.js';
import { newFolder } from '../../folders.js';

const SOURCE = join(ROOT, '../shared/data/cadets-e1');
const LOG = join(SOURCE, 'ta1-cadets-e1-stretch.test.json.gz');
const WINDOW = 1_800_000_000_000n;

if (!existsSync(LOG)) console.log(`skipped: CADETS E1 is not in ${SOURCE}`);

test.skipIf(!existsSync(LOG))(
  'the labelled entities of CADETS E1 form one incident per attack, each with nginx as root',
  async () => {
    const folder = join(newFolder(), 'store');
    await ingestFiles([LOG], { store: folder, threads: 0 });
    const store = await Store.open(folder);
    const events = await loadEvents(store);
    const names = await readNodeNames(store, events);
    const { table } = events;
    const labels = new Set(readFileSync(join(SOURCE, 'labels.core.txt'), 'utf8').toUpperCase().split(/\s+/));
    // One member per labelled node and 30-minute window.
    const spans = new Map<string, { node: number; first: bigint; last: bigint }>();
    for (let row = 0; row < table.length; row++) {
      for (const node of new Set([table.subject[row], table.object[row], table.object2[row]])) {
        if (node < 0 || !labels.has(events.uuid(node))) continue;
        const key = `${node} ${table.ts[row] / WINDOW}`;
        const known = spans.get(key) ?? { node, first: table.ts[row], last: table.ts[row] };
        spans.set(key, { ...known, last: table.ts[row] });
      }
    }
    const members = toColumns([...spans.values()].map((span) => ({ ...span, host: 0, score: 1 })));
    const links = new LinkCollector(names, table, () => 0);
    const nodes = Int32Array.from({ length: table.nodeCount }, (_, node) => node);
    links.add(nodes, collectInteractions(table));
    const groups = formIncidents(members, links.finish());
    const sizes = groups.map((group) => new Set(Array.from(group.members, (i) => members.node[i])).size);
    expect(sizes.sort((a, b) => b - a)).toEqual([31, 10]);
    expect(groups.map(({ root }) => nameOf(names, members.node[root]))).toEqual(['nginx', 'nginx']);
  },
);
