import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SuspiciousNodeCollector } from '../dist/detect/alerts/activity.js';
import { type IncidentLinks, LinkCollector } from '../dist/detect/alerts/incident-links.js';
import { formIncidents } from '../dist/detect/alerts/incidents.js';
import type { SuspiciousNodes } from '../dist/detect/alerts/suspicious-nodes.js';
import { quarantine } from '../dist/detect/calibration/quarantine.js';
import { resolveDetectionConfig } from '../dist/detect/detection-config.js';
import { Detector } from '../dist/detect/detector.js';
import { measureDrift } from '../dist/detect/drift/drift.js';
import { NodeLevels } from '../dist/detect/evidence/level-table.js';
import { SplitGraphs } from '../dist/detect/split-graphs.js';
import { discoverByDay } from '../dist/detect/threshold/fdr.js';
import {
  chooseThreshold,
  empiricalP,
  parseThreshold,
  type ThresholdSpec,
} from '../dist/detect/threshold/threshold.js';
import { parseSeeds } from '../dist/evaluate/protocol/variants.js';
import { nameOf } from '../dist/graph/node-names.js';
import { ENTITY_TYPES } from '../dist/ingest/event.js';
import { trainModel } from '../dist/model/training/train.js';
import { resolveTrainingConfig } from '../dist/model/training/training-config.js';
import type { Scenario } from '../dist/simulate/options.js';
import { simulate } from '../dist/simulate/simulate.js';
import { ingestFiles } from '../dist/store/ingest.js';
import { Store } from '../dist/store/store.js';
import { withFolder } from './measurement.js';

const RULES = ['budget:1/day', 'budget:5/day', 'fpr:0.01', 'fpr:0.001', 'fdr:0.1'] as const;
const HOSTS: readonly Scenario[] = ['freebsd-server', 'linux-desktop', 'linux-workstation'];
const PARTS = ['train', 'calibrate', 'test'] as const;
const WEEK = 7;
const DAY = 86_400_000_000_000n;
/** Days of train, calibrate and test. */
const DAYS = [WEEK, WEEK, 2 * WEEK] as const;
/** The rule whose false incidents are counted by kind. */
const TALLIED_RULE = 'budget:5/day';

/** The scores of a week. */
interface Week {
  readonly members: SuspiciousNodes;
  readonly links: IncidentLinks;
  readonly graphs: SplitGraphs;
  readonly scores: Float64Array;
  readonly days: Int32Array;
}

/** The expected and realised false alarms of a threshold rule. */
interface Outcome {
  readonly rule: string;
  readonly expected: number | undefined;
  readonly range: readonly [number, number] | undefined;
  readonly status: string;
  /** One figure per week, by kind of week. */
  readonly realised: Record<string, number[]>;
}

/** Counts of false incidents by kind of week, question and answer. */
type Tallies = Map<string, Map<string, Map<string, number>>>;

interface Options {
  readonly events: number;
  readonly epochs: number;
  readonly drift: number;
}

/**
 * `npm run bench -- false-alarms [SCENARIO…] [--seeds 1-3] [--events 300000] [--epochs 5] [--drift 1]` compares the false
 * alarms of each threshold rule with the expected ones, on weeks without attacks. One week trains, one calibrates, and two
 * are scored: of the same host, and of the host after drift.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seeds: { type: 'string', default: '1-3' },
      events: { type: 'string', default: '300000' },
      epochs: { type: 'string', default: '5' },
      drift: { type: 'string', default: '1' },
    },
  });
  const options = {
    events: Number(values.events),
    epochs: Number(values.epochs),
    drift: Number(values.drift),
  };
  const seeds = parseSeeds(values.seeds);
  for (const scenario of positionals.length > 0 ? (positionals as Scenario[]) : HOSTS) {
    const outcomes: Outcome[][] = [];
    const tallies: Tallies = new Map();
    for (const seed of seeds) {
      const started = performance.now();
      await withFolder('false-alarms', async (folder) => {
        outcomes.push(await observe(scenario, seed, options, folder, tallies));
      });
      console.log(`${scenario}, seed ${seed}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
    }
    printTable(scenario, outcomes, options);
    printTallies(tallies);
  }
}

/** Trains and calibrates on one host, then scores two weeks without drift and two with drift. */
async function observe(
  scenario: Scenario,
  seed: number,
  { events, epochs, drift }: Options,
  folder: string,
  tallies: Tallies,
): Promise<Outcome[]> {
  const steady = await openHost(scenario, seed, events, 0, join(folder, 'steady'));
  const changed = await openHost(scenario, seed, events, drift, join(folder, 'changed'));
  const config = resolveTrainingConfig({ epochs, seed });
  const { model } = await trainModel({
    store: steady.store,
    config,
    selection: { split: 'train' },
    threads: 2,
  });
  const training = await SplitGraphs.open(steady.store, { split: 'train' }, model);
  const choices = resolveDetectionConfig('recal');
  const { reference, evidence, unit } = choices;
  const detector = await Detector.fit(model, training, { reference, evidence, unit, threads: 2 });
  try {
    const week = (host: SimulatedHost, number: number) => {
      const from = host.testFrom + BigInt(number * WEEK) * DAY;
      return detector.graphsOf(host.store, { split: 'test', from, to: from + BigInt(WEEK) * DAY });
    };
    const { benign } = await detector.calibrate(
      await detector.graphsOf(steady.store, { split: 'calibrate' }),
      choices,
    );
    console.log(
      `${scenario}, seed ${seed}: calibrated on ${benign.graphs} graphs, ${benign.instances} instances, ${benign.hostDays.toFixed(2)} host-days`,
    );
    const outcomes = RULES.map((rule): Outcome => {
      const spec = parseThreshold(rule);
      if (spec.kind === 'fdr') {
        return { rule, expected: undefined, range: undefined, status: 'nominal', realised: {} };
      }
      const found = chooseThreshold(spec as Score, benign);
      return { rule, expected: found.realised, range: found.range?.rate, status: found.status, realised: {} };
    });
    const judge = async (title: string, host: SimulatedHost, number: number) => {
      const scored = scoreWeek(detector, await week(host, number));
      for (const { rule, realised } of outcomes) {
        realised[title] = [...(realised[title] ?? []), realise(parseThreshold(rule), detector, scored)];
      }
      tallyIncidents(title, detector, scored, host.activities, tallies);
    };
    for (const number of [0, 1]) await judge('steady', steady, number);
    await judge('drift, first week', changed, 0);
    await judge('drift, second week', changed, 1);
    const before = await measureDrift(detector, await week(steady, 0));
    console.log(`  recal drift on a steady week: ${before.verdict}: ${before.reasons.join('; ')}`);
    const after = await measureDrift(detector, await week(changed, 0));
    console.log(`  recal drift on a week with drift: ${after.verdict}: ${after.reasons.join('; ')}`);
    const first = await week(changed, 0);
    const { tau } = chooseThreshold(parseThreshold(TALLIED_RULE) as Score, benign);
    const keepOut = quarantine(detector.score(first), tau);
    await detector.calibrate(first, choices, { keepOut });
    await judge('recalibrated, second week', changed, 1);
    await detector.calibrate(await week(changed, 0), choices);
    await judge('recalibrated without keep-out, second week', changed, 1);
    return outcomes;
  } finally {
    await detector.close();
  }
}

type Score = Extract<ThresholdSpec, { kind: 'budget' | 'fpr' }>;

interface SimulatedHost {
  readonly store: Store;
  readonly testFrom: bigint;
  /** The new activity that created an entity, by id. */
  readonly activities: ReadonlyMap<string, string>;
}

/** Simulates a host and ingests all its logs into one store. */
async function openHost(
  scenario: Scenario,
  seed: number,
  events: number,
  drift: number,
  out: string,
): Promise<SimulatedHost> {
  const { hosts } = await simulate({
    scenario,
    seed,
    events,
    drift,
    out,
    days: DAYS,
    attacks: 'none',
    unusual: 'none',
  });
  const store = join(out, 'store');
  for (const split of PARTS) {
    await ingestFiles([join(out, `${split}.json`)], { store, split, append: true, threads: 2 });
  }
  const rows = (await readFile(join(out, 'unusual.csv'), 'utf8')).trim().split('\n').slice(1);
  const { from } = hosts[0].files[2];
  return {
    store: await Store.open(store),
    testFrom: BigInt(Date.parse(from)) * 1_000_000n,
    activities: new Map(
      rows.map((row) => [row.slice(0, row.indexOf(',')), row.slice(row.lastIndexOf(',') + 1)]),
    ),
  };
}

/** Scores a week once for all rules. */
function scoreWeek(detector: Detector, graphs: SplitGraphs): Week {
  const { events, names } = graphs;
  const members = new SuspiciousNodeCollector();
  const place = { table: events.table, hostAt: (node: number) => events.keys.hostAt(node) };
  const links = new LinkCollector(names, events.table, place.hostAt);
  const [scores, days]: [number[], number[]] = [[], []];
  let graph = 0;
  for (const { scores: found, view } of detector.score(graphs)) {
    links.add(view.planned.nodes, view.interactions);
    members.add(view, graph++, { scores: found }, (v) => found[v] > 0, place);
    const day = Number(view.planned.firstTs / DAY);
    for (const score of found) {
      scores.push(score);
      days.push(day);
    }
  }
  return {
    members: members.finish(),
    links: links.finish(),
    graphs,
    scores: Float64Array.from(scores),
    days: Int32Array.from(days),
  };
}

/** False incidents or alerts per day, or for fpr the share of instances with an alert. */
function realise(spec: ThresholdSpec, { calibration: { benign } }: Detector, week: Week): number {
  const { scores, days } = week;
  if (spec.kind === 'fdr') {
    const p = scores.map((score) => empiricalP(benign, score));
    const rows = { hosts: new Uint8Array(p.length), days, p };
    const { alarms } = discoverByDay(rows, {
      level: spec.level,
      floor: 1 / (benign.instances + 1),
    });
    return alarms.reduce((sum, alarm) => sum + alarm, 0) / WEEK;
  }
  const { tau } = chooseThreshold(spec as Score, benign);
  if (spec.kind === 'fpr') return scores.filter((score) => score > 0 && score >= tau).length / scores.length;
  return incidentsAt(week, tau).length / WEEK;
}

function incidentsAt({ members, links }: Week, tau: number) {
  const rows = Array.from({ length: members.length }, (_, i) => i).filter((i) => members.score[i] >= tau);
  const kept: SuspiciousNodes = {
    length: rows.length,
    node: Int32Array.from(rows, (i) => members.node[i]),
    score: Float64Array.from(rows, (i) => members.score[i]),
    prominence: Float64Array.from(rows, (i) => members.prominence[i]),
    host: Int32Array.from(rows, (i) => members.host[i]),
    first: BigInt64Array.from(rows, (i) => members.first[i]),
    last: BigInt64Array.from(rows, (i) => members.last[i]),
  };
  return formIncidents(kept, links).map(({ members: own }) => ({
    node: kept.node[own[0]],
    first: kept.first[own[0]],
    score: kept.score[own[0]],
    size: own.length,
  }));
}

/** Counts the highest-scoring entity of each false incident by kind. */
function tallyIncidents(
  title: string,
  { calibration: { benign }, fitted }: Detector,
  week: Week,
  activities: ReadonlyMap<string, string>,
  tallies: Tallies,
): void {
  const { events, names } = week.graphs;
  const levels = new NodeLevels(names, (parent, text) => fitted.levels.find(parent, text));
  const own = tallies.get(title) ?? new Map<string, Map<string, number>>();
  tallies.set(title, own);
  const count = (question: string, answer: string) => {
    const answers = own.get(question) ?? new Map<string, number>();
    own.set(question, answers.set(answer, (answers.get(answer) ?? 0) + 1));
  };
  for (const { node, first } of incidentsAt(
    week,
    chooseThreshold(parseThreshold(TALLIED_RULE) as Score, benign).tau,
  )) {
    const hour = Number((first / (DAY / 24n)) % 24n);
    const name = (nameOf(names, node) ?? '').replace(/^.*\//, '').replace(/\d+/g, '#');
    const isKnown = levels.finest(levels.entryOf(node)) >= 0;
    count('work', activities.get(events.uuid(node)) ?? 'not new');
    count('name', names.name[node] < 0 ? 'no name' : isKnown ? 'known' : 'not in training');
    count('when', hour >= 8 && hour < 19 ? 'day' : 'night');
    count('entity', `${ENTITY_TYPES[names.types[node]]} ${name}`.trim());
  }
}

function printTallies(tallies: Tallies): void {
  for (const [title, questions] of tallies) {
    console.log(`${TALLIED_RULE}, ${title}: the highest-scoring entity of each false incident`);
    for (const [question, answers] of questions) {
      const sorted = [...answers].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 10);
      console.log(`  ${question}: ${sorted.map(([answer, count]) => `${answer} ×${count}`).join(', ')}`);
    }
  }
  console.log('');
}

function printTable(scenario: Scenario, outcomes: readonly Outcome[][], options: Options): void {
  const titles = Object.keys(outcomes[0][0].realised);
  console.log(
    `\n### ${scenario}, ${outcomes.length} simulations of ${options.events} events, ${options.epochs} epochs, drift ${options.drift}\n`,
  );
  console.log(`| rule | expected | range with one graph left out | status | ${titles.join(' | ')} |`);
  console.log(`|---|---|---|---|${titles.map(() => '---|').join('')}`);
  outcomes[0].forEach(({ rule }, i) => {
    const all = outcomes.map((each) => each[i]);
    const digits = (rate: number) =>
      rule.startsWith('fpr') ? `${(rate * 100).toFixed(2)} %` : rate.toFixed(1);
    const spread = (rates: readonly number[]) => {
      const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
      return `${digits(mean)} (${digits(Math.min(...rates))} to ${digits(Math.max(...rates))})`;
    };
    const known = all.flatMap(({ expected }) => (expected === undefined ? [] : [expected]));
    const ranges = all.flatMap(({ range }) => (range === undefined ? [] : range));
    const cells = [
      known.length === 0 ? '-' : spread(known),
      ranges.length === 0 ? '-' : `${digits(Math.min(...ranges))} to ${digits(Math.max(...ranges))}`,
      [...new Set(all.map(({ status }) => status))].join(', '),
      ...titles.map((title) => spread(all.flatMap(({ realised }) => realised[title]))),
    ];
    console.log(`| \`${rule}\` | ${cells.join(' | ')} |`);
  });
  console.log('');
}
