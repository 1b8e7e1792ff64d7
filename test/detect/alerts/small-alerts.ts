import { join } from 'node:path';
import type { Alert, Incident } from '../../../src/detect/alerts/alert.js';
import { type AlertContext, describeAlerts } from '../../../src/detect/alerts/alert-record.js';
import { LinkCollector } from '../../../src/detect/alerts/incident-links.js';
import { describeIncidents } from '../../../src/detect/alerts/incident-record.js';
import { formIncidents } from '../../../src/detect/alerts/incidents.js';
import { toColumns } from '../../../src/detect/alerts/suspicious-nodes.js';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../../src/detect/evidence/evidence.js';
import type { NodeEvidence, ScoredGraph } from '../../../src/detect/fusion/scored-graph.js';
import { viewGraph } from '../../../src/detect/graph-view.js';
import { type NodeNames, readNodeNames } from '../../../src/graph/node-names.js';
import type { ModelGraph } from '../../../src/model/model-input.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { type LoadedEvents, loadEvents } from '../../../src/store/load.js';
import { Store } from '../../../src/store/store.js';
import { eventLine, file, MIDNIGHT, process, uuid, writeLog } from '../../store/small-logs.js';

/** Hostile names. */
export const HOSTILE = {
  terminal: '\u001b[2J\u001b]0;owned\u0007sh\r\nforged line',
  bidi: '/tmp/\u202egnp.exe\u200b',
  html: '<img src=x onerror=alert(1)>`"\'&',
  formula: '=HYPERLINK("http://x","y")',
  surrogate: 'half\ud800character',
  long: `/tmp/${'a'.repeat(65_536)}/end`,
} as const;

export const MODEL = 'b'.repeat(64);
/** The model knows two relations; EVENT_PTRACE is one that training never saw. */
const KNOWN = ['EVENT_EXECUTE', 'EVENT_READ'] as const;
const SECOND = 1_000_000_000n;

/** One row of artificial evidence about an entity of the log. */
export interface EvidenceRow {
  entity: string;
  kind: EvidenceKind;
  slot?: number;
  value?: number;
  p: number;
  n?: number;
  level?: number;
  beyond?: boolean;
  draws?: number;
  /** The object of the interaction that gave the value. */
  of?: string;
  share: number;
}

export interface SmallAlerts {
  readonly store: Store;
  readonly events: LoadedEvents;
  readonly names: NodeNames;
  readonly graph: ScoredGraph;
  readonly context: AlertContext;
  readonly alerts: Alert[];
  readonly incidents: Incident[];
}

export const ENTITIES = {
  nginx: uuid(1),
  dropper: uuid(2),
  shell: uuid(3),
  secret: uuid(4),
  page: uuid(5),
} as const;

/** A log of a web server that runs a dropped file. The names can be replaced. */
export function logLines(names: Partial<Record<keyof typeof ENTITIES, string>> = {}): string[] {
  const { nginx, dropper, shell, secret, page } = ENTITIES;
  const server = process(nginx, { name: names.nginx ?? 'nginx', pid: 98_651, cmd: 'nginx -g "daemon off;"' });
  const sh = process(shell, {
    name: names.shell ?? 'sh',
    pid: 99_001,
    parent: nginx,
    cmd: names.shell ?? 'sh -i',
  });
  const dropped = file(dropper, { name: names.dropper ?? '/var/tmp/dropper' });
  const at = (seconds: bigint, rel: string, more: object) =>
    eventLine({ ts: MIDNIGHT + seconds * SECOND + 7n, rel, ...more });
  return [
    at(1n, 'EVENT_READ', { subj: server, obj: file(page, { name: names.page ?? '/srv/index.html' }) }),
    ...Array.from({ length: 30 }, (_, i) =>
      at(2n + BigInt(i), 'EVENT_READ', { subj: server, obj: file(page), seq: i }),
    ),
    at(60n, 'EVENT_EXECUTE', { subj: server, obj: dropped }),
    at(61n, 'EVENT_FORK', { subj: server, obj: sh }),
    at(62n, 'EVENT_READ', { subj: sh, obj: file(secret, { name: names.secret ?? '/etc/master.passwd' }) }),
    at(63n, 'EVENT_PTRACE', { subj: sh, obj: server }),
    at(64n, 'EVENT_EXIT', { subj: sh }),
  ];
}

const EVIDENCE: readonly EvidenceRow[] = [
  {
    entity: ENTITIES.nginx,
    kind: 'name',
    p: 1e-4,
    n: 9999,
    beyond: true,
    draws: 1,
    of: ENTITIES.dropper,
    share: 0.7,
  },
  {
    entity: ENTITIES.nginx,
    kind: 'reconstruction',
    slot: 1,
    p: 249 / 12_431,
    n: 12_430,
    value: 0.37,
    share: 0.25,
  },
  { entity: ENTITIES.nginx, kind: 'distance', p: 15 / 51, n: 50, level: 3, share: 0.05 },
  {
    entity: ENTITIES.shell,
    kind: 'name',
    slot: 1,
    p: 1e-9,
    n: 999,
    beyond: true,
    of: ENTITIES.secret,
    share: 1,
  },
  {
    entity: ENTITIES.secret,
    kind: 'name',
    slot: 4,
    p: 0.1,
    n: 999,
    draws: 3,
    of: ENTITIES.secret,
    share: 1,
  },
];

/** Ingests the log into `folder` and builds alerts about the server, its shell and the file that the shell read. */
export async function makeSmallAlerts(
  folder: string,
  names: Partial<Record<keyof typeof ENTITIES, string>> = {},
): Promise<SmallAlerts> {
  const log = writeLog(folder, 'log.json', logLines(names));
  await ingestFiles([log], { store: join(folder, 'store'), threads: 0 });
  const store = await Store.open(join(folder, 'store'));
  const events = await loadEvents(store);
  const nodeNames = await readNodeNames(store, events);
  const { table } = events;
  const numbers = Uint16Array.from(table.relations, (name) => {
    const known = KNOWN.indexOf(name as (typeof KNOWN)[number]);
    return known < 0 ? KNOWN.length : known;
  });
  const nodes = Int32Array.from({ length: table.nodeCount }, (_, node) => node);
  const planned = {
    title: 'all',
    events: table.length,
    nodes,
    rows: Int32Array.from(table.ts, (_, row) => row),
    firstTs: table.ts[0],
    lastTs: table.ts[table.length - 1],
    graph: {} as ModelGraph,
  };
  const view = viewGraph(planned, table, nodeNames, numbers);
  const nodeOf = (id: string) => nodes.findIndex((_, node) => events.uuid(node) === id);
  const scores = new Float64Array(nodes.length);
  scores[nodeOf(ENTITIES.nginx)] = 12.5;
  scores[nodeOf(ENTITIES.shell)] = 20.25;
  scores[nodeOf(ENTITIES.secret)] = 7;
  const sourceOf = (row: EvidenceRow) =>
    Array.from(view.interactions.object).findIndex((object) => events.uuid(object) === row.of);
  const newRelation = new Uint8Array(nodes.length);
  newRelation[nodeOf(ENTITIES.shell)] = 1;
  const graph: ScoredGraph = {
    lineage: undefined,
    view,
    scores,
    prominence: scores,
    newRelation,
    distances: new Float64Array(nodes.length).fill(0.5),
    candidates: new Uint8Array(nodes.length).fill(1),
    evidence: columnsOf(EVIDENCE, nodes.length, nodeOf, sourceOf),
  };
  const context: AlertContext = {
    modelId: MODEL,
    relations: KNOWN,
    table,
    hostOf: (node) => events.hosts[events.keys.hostAt(node)],
    idOf: (node) => events.uuid(node),
    threshold: 5,
    empiricalP: (score) => (score > 15 ? 1e-5 : 1e-3),
    distanceThreshold: 0.25,
    because: (_graph, row) =>
      row === 0 ? 'no process in training ever executed anything under `/var/tmp`' : '',
    lookAlikes: () => [{ name: names.page ?? 'sshd', type: 'process', distance: 0.5 }],
    deviations: () => [{ kind: 'transition', what: 'EVENT_READ → EVENT_EXECUTE', seen: 0, of: 321 }],
  };
  const locals = [ENTITIES.shell, ENTITIES.nginx, ENTITIES.secret].map(nodeOf);
  const alerts = describeAlerts(graph, locals, context);
  const members = toColumns(
    alerts.map(({ first, last, score }, i) => ({
      node: locals[i],
      score,
      host: 0,
      first: BigInt(first.ns),
      last: BigInt(last.ns),
    })),
  );
  const links = new LinkCollector(nodeNames, table, () => 0);
  links.add(nodes, view.interactions);
  const incidents = describeIncidents(formIncidents(members, links.finish()), alerts);
  return { store, events, names: nodeNames, graph, context, alerts, incidents };
}

function columnsOf(
  rows: readonly EvidenceRow[],
  nodeCount: number,
  nodeOf: (id: string) => number,
  sourceOf: (row: EvidenceRow) => number,
): NodeEvidence {
  const sorted = [...rows].sort((a, b) => nodeOf(a.entity) - nodeOf(b.entity));
  const offsets = new Uint32Array(nodeCount + 1);
  for (const { entity } of sorted) offsets[nodeOf(entity) + 1]++;
  for (let node = 0; node < nodeCount; node++) offsets[node + 1] += offsets[node];
  return {
    offsets,
    kinds: Uint8Array.from(sorted, ({ kind }) => EVIDENCE_KINDS.indexOf(kind)),
    slots: Uint16Array.from(sorted, ({ slot }) => slot ?? 0),
    values: Float64Array.from(sorted, ({ value }) => value ?? 1),
    logP: Float64Array.from(sorted, ({ p }) => Math.log(p)),
    samples: Uint32Array.from(sorted, ({ n }) => n ?? 0),
    levels: Uint8Array.from(sorted, ({ level }) => level ?? 0),
    quantiles: Float64Array.from(sorted, quantileOf),
    modelled: Uint8Array.from(sorted, ({ beyond, p, n = 0 }) =>
      beyond === true && p * (n + 1) < 0.999 ? 1 : 0,
    ),
    beyond: Uint8Array.from(sorted, ({ beyond }) => (beyond === true ? 1 : 0)),
    draws: Uint32Array.from(sorted, ({ draws }) => draws ?? 1),
    sources: Int32Array.from(sorted, (row) => (row.of === undefined ? -1 : sourceOf(row))),
    shares: Float64Array.from(sorted, ({ share }) => share),
  };
}

/** The share of benign values below, from p = (1 + benign values not below) / (n + 1). */
function quantileOf({ p, n = 0, draws = 1, beyond }: EvidenceRow): number {
  if (beyond === true) return 1;
  if (n === 0) return 0;
  const single = -Math.expm1(Math.log1p(-p) / draws);
  return Math.min(1, Math.max(0, 1 - Math.round(single * (n + 1) - 1) / n));
}
