import { beforeAll, describe, expect, test } from 'vitest';
import type { Alert, Incident } from '../../../src/detect/alerts/alert.js';
import { mainAction, mainActions } from '../../../src/report/detection/actions.js';
import {
  type DetectionReport,
  renderDetectionReport,
} from '../../../src/report/detection/detection-report.js';
import { buildSubgraph } from '../../../src/report/detection/incident-subgraph.js';
import { ScoresBelowThreshold } from '../../../src/report/detection/scores-below-threshold.js';
import { sentenceContent } from '../../../src/report/detection/sentence.js';
import { render } from '../../../src/report/page/html.js';
import { ENTITIES, HOSTILE, makeSmallAlerts, type SmallAlerts } from '../../detect/alerts/small-alerts.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { smallReport } from '../small-report.js';

let small: SmallAlerts;
beforeAll(async () => {
  small = await makeSmallAlerts(sharedFolder());
});

const reportOf = (given: Partial<DetectionReport> = {}) => smallReport(small, given);

const textOf = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ');

/** Incidents of one alert each. */
function manyIncidents(count: number): Pick<DetectionReport, 'alerts' | 'incidents'> {
  const alerts = Array.from(
    { length: count },
    (_, i): Alert => ({
      ...small.alerts[0],
      id: i.toString(16).padStart(16, '0'),
    }),
  );
  const incidents = alerts.map(
    ({ id, entity, score }, i): Incident => ({
      ...small.incidents[0],
      id,
      rank: i + 1,
      alerts: [{ id, entity, score }],
    }),
  );
  return { alerts, incidents };
}

describe('a detection report', () => {
  test('shows what was found, why, and what it was compared with', () => {
    const text = textOf(renderDetectionReport(reportOf()));
    expect(text).toContain('One incident on host h');
    expect(text).toContain('a score of 5.00 or more raises an alert');
    expect(text).toContain('5 false incidents per host and day');
    for (const alert of small.alerts) expect(text).toContain(alert.id.slice(0, 8));
    expect(text).toContain('no process in training ever executed anything under /var/tmp');
    expect(text).toContain('all of 9,999');
    expect(text).toContain('fewer than 1 in 10,000');
    expect(text).toContain('Most similar in training: sshd (process, distance 0.5)');
    expect(text).toContain('EVENT_READ → EVENT_EXECUTE (0 of 321 in training)');
    expect(text).toContain('Selection: split test.');
  });

  test('links to the details of an incident', () => {
    expect(renderDetectionReport(reportOf())).toContain('href="#incident-1"');
  });

  test('shows ten incidents in detail, lists fifty, and counts the rest', () => {
    const html = renderDetectionReport(reportOf(manyIncidents(63)));
    expect(html.match(/<article class="incident"/g)).toHaveLength(10);
    const text = textOf(html);
    expect(text).toContain('63 incidents on host h');
    expect(text).toContain('50 of 63 rows are shown.');
    expect(text).toContain('53 more incidents are in the table above');
    expect(text).toContain('incidents.csv (63 rows)');
  });

  test('says that nothing was found', () => {
    const text = textOf(renderDetectionReport(reportOf({ alerts: [], incidents: [] })));
    expect(text).toContain('No incidents on host h');
    expect(text).toContain('No score was high enough');
  });

  test('has no chart if no score raises an alert', () => {
    const threshold = { value: Number.MAX_VALUE, rule: 'fdr:0.1', note: 'nothing alarms', hostDays: 1 };
    const html = renderDetectionReport(reportOf({ alerts: [], incidents: [], threshold }));
    expect(html).not.toContain('id="score-plot"');
    expect(textOf(html)).toMatch(/no score raises an alert.*Note: nothing alarms\./);
  });

  test('explains where the threshold comes from and the false alerts to expect', () => {
    const found = {
      tau: 5,
      asked: 0.01,
      finest: 1.5,
      realised: 0,
      incidentsPerDay: 1,
      alarmsPerDay: 2,
      graphs: 7,
      status: 'extrapolated' as const,
      range: { tau: [4, 6.5] as const, rate: [0, 1] as const },
    };
    const threshold = { value: 5, rule: 'budget:0.01/day', note: null, found, hostDays: 0.66 };
    const text = textOf(renderDetectionReport(reportOf({ threshold })));
    expect(text).toContain(
      '0.66 host-days of benign events; the lowest rate it can measure is 1.5 false incidents per host and day.',
    );
    expect(text).toContain('expect at most 1 false incidents and 2 false alerts');
    expect(text).toContain('between 4.00 and 6.50');
    const ranked = { ...threshold, rule: 'top:10/day', found: { ...found, status: 'unresolved' as const } };
    expect(textOf(renderDetectionReport(reportOf({ threshold: ranked })))).not.toContain('expect at most');
    const short = { ...threshold, rule: 'top:10/day', found: { ...found, asked: 10, finest: 115 } };
    const shortText = textOf(renderDetectionReport(reportOf({ threshold: short })));
    expect(shortText).toContain('too little to say how many incidents are false');
    expect(shortText).not.toContain('expect at most');
    const oneDay = renderDetectionReport(reportOf({ threshold: { ...threshold, hostDays: 0.9996 } }));
    expect(textOf(oneDay)).toContain('used 1 host-day of benign events');
  });

  test('separates inherited suspicion from the evidence of the entity', () => {
    const from = { id: 'x', type: 'process', name: 'implant' } as const;
    const alerts = small.alerts.map((alert) => ({ ...alert, lineage: { own: 3, inherited: 17, from } }));
    const text = textOf(renderDetectionReport(reportOf({ alerts })));
    expect(text).toContain('Its own evidence gives a score of 3; implant, which acted on it, passes on 17.');
  });

  test('shows every name as text', async () => {
    const { html, formula, bidi, terminal, long } = HOSTILE;
    const names = { nginx: html, page: bidi, shell: terminal, secret: formula, dropper: long };
    const hostile = await makeSmallAlerts(newFolder(), names);
    const page = renderDetectionReport(reportOf({ alerts: hostile.alerts, incidents: hostile.incidents }));
    expect(page).not.toContain('<img');
    expect(page).not.toMatch(/[\u001b\u202e\u200b\u0007]/);
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page.length).toBeLessThan(400_000);
  });
});

test('a sentence shows its names in fixed width; an unpaired backtick is plain text', () => {
  expect(render(sentenceContent('`a<b` read `/x`.'))).toBe('<code>a&lt;b</code> read <code>/x</code>.');
  expect(render(sentenceContent('odd ` one'))).toBe('odd ` one');
});

test('main actions come from evidence with a source, each kind once', () => {
  const [shell] = small.alerts;
  expect(mainAction(shell)).toBe('`sh` (pid 99001) read `/etc/master.passwd`');
  expect(mainAction({ ...shell, evidence: [] })).toBe('`sh` (pid 99001) stands out');
  expect(mainActions([shell, shell, ...small.alerts], 5)).toEqual([...new Set(mainActions(small.alerts, 5))]);
  expect(mainActions(small.alerts, 1)).toEqual([mainAction(shell)]);
});

test('the subgraph has the alerts and their neighbours, with edges along the information flow', () => {
  const { nodes, edges, othersLeftOut, withoutEdges } = buildSubgraph(small.alerts);
  expect(nodes.filter(({ alert }) => alert === true).map(({ id }) => id)).toEqual([
    ENTITIES.shell,
    ENTITIES.nginx,
    ENTITIES.secret,
  ]);
  expect(nodes.map(({ id }) => id).sort()).toEqual(Object.values(ENTITIES).sort());
  expect([othersLeftOut, withoutEdges]).toEqual([0, 0]);
  const reading = edges.filter(({ relation }) => relation === 'READ');
  expect(reading).toContainEqual({ from: ENTITIES.secret, to: ENTITIES.shell, relation: 'READ', count: 1 });
  expect(reading).toContainEqual({ from: ENTITIES.page, to: ENTITIES.nginx, relation: 'READ', count: 31 });
  expect(edges).toContainEqual({ from: ENTITIES.nginx, to: ENTITIES.shell, relation: 'FORK', count: 1 });
  expect(edges.filter(({ from, to }) => from === to)).toEqual([]);
});

test('keeps scores below the threshold, and counts the zeros left out', () => {
  const { names, events, graph } = small;
  const all = new ScoresBelowThreshold(names, events.table);
  const alarms = (v: number) => graph.scores[v] >= 10;
  all.add(graph, alarms);
  // Two of five instances score 10 or more.
  expect([...all.points()].map(({ score }) => score).sort()).toEqual([0, 0, 7]);
  expect([...all.points()].every(({ time }) => time !== undefined)).toBe(true);
  const few = new ScoresBelowThreshold(names, events.table, 1);
  for (let i = 0; i < 2000; i++) few.add(graph, alarms);
  expect([[...few.points()].length, few.leftOut]).toEqual([2001, 3999]);
});
