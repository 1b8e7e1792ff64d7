import { Random } from '../../../src/base/random.js';
import { barChart } from '../../../src/report/charts/bar-chart.js';
import { scorePlot } from '../../../src/report/charts/score-plot.js';
import type { ScorePoint } from '../../../src/report/charts/score-points.js';
import { incidentArticle } from '../../../src/report/detection/incident.js';
import type { GraphEdge, GraphNode } from '../../../src/report/graph/incident-graph.js';
import { formatFixed } from '../../../src/report/page/format.js';
import { code } from '../../../src/report/page/html.js';
import { renderPage } from '../../../src/report/page/page.js';

// How the pieces are used in a report of a detection, with made-up numbers.

const START = 1_523_627_788_000_000_000n;
const MINUTE = 60_000_000_000n;
const random = new Random('sample detection');

/** One of each kind of node in an attack that ends on an address outside. */
export function sampleGraph(): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const nodes: GraphNode[] = [
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
  const edges: GraphEdge[] = [
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
  return { nodes, edges };
}

export function* sampleScores(): Generator<ScorePoint> {
  const scores = random.stream('scores');
  for (let i = 0; i < 6000; i++) {
    const time = START + BigInt(scores.below(40 * 60)) * (MINUTE / 10n);
    yield {
      name: `/usr/lib/part-${i}`,
      score: scores.chance(0.8) ? 0 : Math.min(9.7, scores.exponential(1.6)),
      alert: false,
      time,
    };
  }
  for (const [i, node] of sampleGraph().nodes.entries()) {
    const time = START + 131n * MINUTE + BigInt(i) * 3n * MINUTE;
    if (node.alert)
      yield { name: node.label, score: node.score ?? 0, alert: true, time, group: 'incident 1' };
  }
  yield {
    name: '/usr/local/bin/pkg update',
    score: 13.4,
    alert: true,
    time: START + 40n * MINUTE,
    group: 'incident 2',
  };
}

export function sampleDetectionReport(): string {
  const graph = sampleGraph();
  return renderPage({
    kind: 'Detection report',
    title: 'Two incidents on host ta1-cadets',
    lead: 'A web server wrote a program into /tmp, ran it, and it has been talking to an address outside since. Look at incident 1 first.',
    facts: [
      ['events read', '585,331'],
      ['nodes scored', '6,007'],
      ['alerts', '7'],
      ['incidents', '2'],
      ['budget', '5 false incidents a day'],
      ['span', '4 h of one host'],
    ],
    generator: 'recal 0.1.0',
    provenance: [
      'Made with ',
      code('recal detect --threshold budget:5/day'),
      ', seed 0, model ',
      code('web.recal'),
      '.',
    ],
    sections: [
      {
        id: 'scores',
        title: 'Scores over time',
        lead: 'Every node of the graph by the time it was last seen. What lies above the line is an alert.',
        content: scorePlot({
          id: 'score-plot',
          title: 'Scores of all nodes',
          caption:
            'The attack stands apart from two hours of ordinary work; the package update does so only just.',
          points: sampleScores(),
          threshold: 10.2,
          over: 'time',
          measure: 'score (−ln tail probability)',
        }),
      },
      {
        id: 'incidents',
        title: 'Incidents',
        lead: 'Alerts that share edges or a parent, most unusual first.',
        content: incidentArticle({
          id: 'incident-1',
          title: '1. /tmp/vUgefal, started by nginx',
          summary:
            'A program that the web server wrote was executed by it, read the accounts and sent data to an address never seen in training.',
          score: 31.7,
          host: 'ta1-cadets',
          first: START + 131n * MINUTE,
          last: START + 164n * MINUTE,
          graph,
          members: graph.nodes.map((node) => ({
            name: node.label,
            kind: node.kind,
            score: node.score ?? 0,
            alert: node.alert === true,
          })),
          evidence: [
            {
              node: '/tmp/vUgefal',
              relation: 'EXECUTE',
              kind: 'name surprise',
              p: 1 / 48_211,
              samples: 48_210,
              reason: 'no program was ever executed from /tmp',
            },
            {
              node: '/tmp/vUgefal',
              relation: 'FORK',
              kind: 'reconstruction',
              p: 0.00031,
              samples: 9_120,
              reason: 'nginx starts only nginx',
            },
            {
              node: '/usr/local/sbin/nginx',
              relation: 'WRITE',
              kind: 'name surprise',
              p: 0.00072,
              samples: 31_004,
              reason: 'nginx writes below /var/log and /var/cache',
            },
            { node: '61.167.39.128:80', relation: 'SENDTO', kind: 'reconstruction', p: 0.0021, samples: 612 },
            {
              node: '/var/log/devc',
              relation: 'WRITE',
              kind: 'name surprise',
              p: 0.024,
              samples: 40,
              reason: 'only 40 benign samples',
            },
          ],
        }),
      },
      {
        id: 'relations',
        title: 'What was learned from',
        content: barChart({
          id: 'relation-frequencies',
          title: 'Events of each relation in training',
          caption:
            'Five powers of ten lie between the most and the least frequent; the mask rate p_r evens them out (method §3).',
          measure: 'events',
          bars: [
            ['READ', 311_402, 0.05],
            ['WRITE', 142_887, 0.06],
            ['OPEN', 96_210, 0.08],
            ['CLOSE', 91_144, 0.08],
            ['MMAP', 31_228, 0.13],
            ['RECVFROM', 9_410, 0.25],
            ['SENDTO', 8_902, 0.25],
            ['FORK', 1_804, 0.56],
            ['EXECUTE', 1_790, 0.57],
            ['MODIFY_FILE_ATTRIBUTES', 212, 0.75],
            ['UNLINK', 96, 0.75],
            ['RENAME', 3, 0.75],
            ['MOUNT', 0, 0],
          ].map(([label, value, rate]) => ({
            label: String(label),
            value: Number(value),
            note: `p ${formatFixed(Number(rate), 2)}`,
          })),
        }),
      },
    ],
  });
}
