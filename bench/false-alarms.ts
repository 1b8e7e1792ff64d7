import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { resolveDetectionConfig } from '../dist/detect/detection-config.js';
import { Detector } from '../dist/detect/detector.js';
import { measureDrift } from '../dist/detect/drift/drift.js';
import {
  type EpisodeIncident,
  EpisodeJudge,
  type JudgedEpisodes,
} from '../dist/detect/episodes/episode-detector.js';
import { NOVELTY_KINDS } from '../dist/detect/episodes/novelty/catalogue.js';
import { type BenignIncidents, raiseIncidents } from '../dist/detect/episodes/raise-incidents.js';
import { hostDaysOf } from '../dist/detect/episodes/trees/host-days.js';
import { behavioursOf } from '../dist/detect/fitted-detector.js';
import { SplitGraphs } from '../dist/detect/split-graphs.js';
import { parseThreshold, type ThresholdSpec } from '../dist/detect/threshold/threshold.js';
import { parseSeeds } from '../dist/evaluate/protocol/variants.js';
import { trainModel } from '../dist/model/training/train.js';
import { resolveTrainingConfig } from '../dist/model/training/training-config.js';
import type { Scenario } from '../dist/simulate/options.js';
import { simulate } from '../dist/simulate/simulate.js';
import { ingestFiles } from '../dist/store/ingest.js';
import { Store } from '../dist/store/store.js';
import { withFolder } from './measurement.js';

const RULES = ['budget:1/day', 'budget:5/day'] as const;
const HOSTS: readonly Scenario[] = ['freebsd-server', 'linux-desktop', 'linux-workstation'];
const PARTS = ['train', 'calibrate', 'test'] as const;
const WEEK = 7;
const DAY = 86_400_000_000_000n;
/** Days of train, calibrate and test. */
const DAYS = [WEEK, WEEK, 2 * WEEK] as const;
/** The rule whose false incidents are counted by kind. */
const TALLIED_RULE = 'budget:5/day';

/** The incidents of a week, by rank, and what tells them apart. */
interface Week {
  readonly judged: JudgedEpisodes;
  readonly graphs: SplitGraphs;
}

/** The expected and realised false alarms of a threshold rule. */
interface Outcome {
  readonly rule: string;
  readonly expected: number;
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
 * incidents of each budget with the expected ones, on weeks without attacks. One week trains, one calibrates, and two
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
      const { threshold } = raiseIncidents(parseThreshold(rule) as Budget, [], {
        benign: benignOf(detector),
        hostDays: WEEK,
      });
      return { rule, expected: threshold.realised, status: threshold.status, realised: {} };
    });
    const judge = async (title: string, host: SimulatedHost, number: number) => {
      const scored = await judgeWeek(detector, await week(host, number));
      for (const { rule, realised } of outcomes) {
        const raised = raise(rule, detector, scored);
        realised[title] = [...(realised[title] ?? []), raised.length / WEEK];
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
    await detector.calibrate(await week(changed, 0), choices);
    await judge('recalibrated, second week', changed, 1);
    return outcomes;
  } finally {
    await detector.close();
  }
}

type Budget = Extract<ThresholdSpec, { kind: 'budget' }>;

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

/** Judges a week once for all rules, as `recal detect` does. */
async function judgeWeek(detector: Detector, graphs: SplitGraphs): Promise<Week> {
  const { episodes } = detector.calibration;
  if (episodes === undefined) throw new TypeError('the model does not judge episodes');
  const highest = new Float64Array(graphs.events.keys.size);
  for (const { scores, view } of detector.score(graphs)) {
    view.planned.nodes.forEach((node, v) => {
      if (scores[v] > highest[node]) highest[node] = scores[v];
    });
  }
  const judge = new EpisodeJudge(behavioursOf(detector.fitted), episodes, await graphs.named());
  return { judged: judge.judge(highest), graphs };
}

function benignOf({ calibration: { episodes, benign, graphs } }: Detector): BenignIncidents {
  if (episodes === undefined) throw new TypeError('the model does not judge episodes');
  return { scores: episodes.incidents, hostDays: benign.hostDays, graphs };
}

/** The false incidents of a week. */
function raise(rule: string, detector: Detector, { judged, graphs }: Week): readonly EpisodeIncident[] {
  const context = { benign: benignOf(detector), hostDays: hostDaysOf(graphs.events) };
  return raiseIncidents(parseThreshold(rule) as Budget, judged.incidents, context).incidents;
}

/** Counts the highest episode of each false incident by kind. */
function tallyIncidents(
  title: string,
  detector: Detector,
  week: Week,
  activities: ReadonlyMap<string, string>,
  tallies: Tallies,
): void {
  const { catalogue } = week.judged.novelty.activity;
  const own = tallies.get(title) ?? new Map<string, Map<string, number>>();
  tallies.set(title, own);
  const count = (question: string, answer: string) => {
    const answers = own.get(question) ?? new Map<string, number>();
    own.set(question, answers.set(answer, (answers.get(answer) ?? 0) + 1));
  };
  for (const { episodes } of raise(TALLIED_RULE, detector, week)) {
    const [highest] = episodes;
    const works = highest.processes.flatMap((process) => activities.get(catalogue.uuid(process)) ?? []);
    const strongest = highest.surprises.indexOf(Math.max(...highest.surprises));
    count('work', works[0] ?? 'not new');
    count('root', catalogue.programName(highest.program));
    count('programs', highest.newPrograms.length > 0 ? 'new' : 'known');
    count('strongest', highest.novelty > 0 ? NOVELTY_KINDS[strongest] : 'learned only');
    count('change', highest.change === undefined ? 'no' : 'yes');
  }
}

function printTallies(tallies: Tallies): void {
  for (const [title, questions] of tallies) {
    console.log(`${TALLIED_RULE}, ${title}: the highest episode of each false incident`);
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
  console.log(`| rule | expected | status | ${titles.join(' | ')} |`);
  console.log(`|---|---|---|${titles.map(() => '---|').join('')}`);
  outcomes[0].forEach(({ rule }, i) => {
    const all = outcomes.map((each) => each[i]);
    const spread = (rates: readonly number[]) => {
      const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
      return `${mean.toFixed(1)} (${Math.min(...rates).toFixed(1)} to ${Math.max(...rates).toFixed(1)})`;
    };
    const cells = [
      spread(all.map(({ expected }) => expected)),
      [...new Set(all.map(({ status }) => status))].join(', '),
      ...titles.map((title) => spread(all.flatMap(({ realised }) => realised[title]))),
    ];
    console.log(`| \`${rule}\` | ${cells.join(' | ')} |`);
  });
  console.log('');
}
