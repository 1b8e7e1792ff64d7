import { access, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { EXIT, isSystemError, RecalError } from '../../base/errors.js';
import { makeFolder } from '../../base/files/make-folder.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import type { IncidentTruth } from '../../demo/ground-truth.js';
import { type DemoResult, type DemoWatch, runDemo, STEPS, type Step } from '../../demo/run-demo.js';
import { DEFAULT_THRESHOLD } from '../../pipeline/calibration-summary.js';
import { checkOutFolder } from '../../pipeline/out-folder.js';
import { incidentActions } from '../../report/detection/actions.js';
import { type CommandContext, defineCommand } from '../command.js';
import { threadsSetting } from '../settings/threads.js';
import { formatCount, formatDuration } from '../terminal/quantities.js';
import { StageProgress } from '../terminal/stage-progress.js';
import { type Look, renderTable } from '../terminal/tables.js';

/** Incidents printed; the files hold all of them. */
const LISTED = 8;

export const command = defineCommand({
  details:
    'Writes the simulated logs, the store, the model, the alerts and report.html to one folder. The same ' +
    'seed gives the same world, model and alerts.',
  examples: ['recal demo', 'recal demo --seed 7 --out demo-7'],
  arguments: {},
  settings: defineSettings({
    out: {
      type: z.string().min(1).optional(),
      description:
        'new or empty folder for all files (default: recal-demo, which does not keep the simulated logs)',
      value: 'DIR',
    },
    seed: {
      type: z.coerce.number().int().default(1),
      description: 'seed of the simulated world and of the model',
      value: 'N',
    },
    events: {
      type: z.coerce.number().int().positive().default(190_000),
      description: 'number of simulated events',
      value: 'N',
    },
    epochs: {
      type: z.coerce.number().int().min(1).max(10_000).default(5),
      description: 'passes over the training days',
      value: 'N',
    },
    threads: threadsSetting('the result'),
  }),
  async run(_args, settings, context) {
    const { out, signal } = context;
    const started = performance.now();
    const folder = await makeWorkFolder(settings.out);
    const world = join(folder, 'world');
    const { seed, events, epochs, threads } = settings;
    const progress = new StageProgress(context);
    const demo = await runDemo({
      folder,
      seed,
      events,
      epochs,
      threads,
      signal,
      threshold: DEFAULT_THRESHOLD,
      watch: narrate(context, progress),
    }).finally(async () => {
      progress.finish();
      // The logs are twenty times as large as the rest, and nobody asked to keep them.
      if (settings.out === undefined) await rm(world, { recursive: true, force: true });
    });
    const seconds = (performance.now() - started) / 1000;
    out.result(describe(demo, folder, seconds), () => render(demo, seconds, out));
    return EXIT.done;
  },
});

/** Makes the folder of the demo, and refuses one that holds other files. */
async function makeWorkFolder(asked: string | undefined): Promise<string> {
  if (asked === undefined) return makeOwnFolder();
  await checkOutFolder(asked);
  const folder = resolve(asked);
  const held = await readdir(folder).catch((error) => {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  });
  if (held.length > 0) {
    throw new RecalError('out-not-empty', `${printable(asked)} is not empty`, {
      hint: 'set --out to a new or empty folder, or leave it out',
      exit: EXIT.usage,
    });
  }
  await makeFolder(folder);
  return folder;
}

const OWN_FOLDER = 'recal-demo';
const MARK = '.recal-demo';

/** Makes the default folder. Replaces that of an earlier demo, and nothing else. */
async function makeOwnFolder(): Promise<string> {
  const folder = resolve(OWN_FOLDER);
  const isOwn = await access(join(folder, MARK)).then(
    () => true,
    () => false,
  );
  if (isOwn) await rm(folder, { recursive: true });
  await makeWorkFolder(OWN_FOLDER);
  await writeFile(join(folder, MARK), 'recal demo replaces this folder\n');
  return folder;
}

const BEGINNINGS: Readonly<Record<Step, string>> = {
  simulate: 'simulating a FreeBSD server: two days to learn from, one to calibrate on, one with intruders',
  ingest: 'reading its audit log into a store',
  train: 'learning normal behaviour from the first two days',
  calibrate: 'measuring how unusual benign behaviour looks on the third day',
  detect: 'scoring the fourth day',
};

/** Prints each step as it begins and ends, with its time. */
function narrate({ out }: CommandContext, progress: StageProgress): DemoWatch {
  return {
    began: (step) => out.info(`${STEPS.indexOf(step) + 1}/${STEPS.length} ${BEGINNINGS[step]}`),
    advanced: (step, done) => progress.update(step, done),
    ended(step, seconds, results) {
      progress.finish();
      out.info(`    ${describeStep(step, results)} (${formatDuration(seconds * 1000)})`);
    },
  };
}

function describeStep(step: Step, { world, plan, training, detection }: Partial<DemoResult>): string {
  if (step === 'simulate') return `${countOf(world?.events ?? 0, 'event')} over 4 days`;
  if (step === 'ingest') return `${countOf(world?.events ?? 0, 'event')} stored`;
  if (step === 'train') {
    return `${countOf(plan?.graphs ?? 0, 'graph')}, ${countOf(plan?.nodes ?? 0, 'node')}, ${countOf(plan?.steps.all ?? 0, 'step')}`;
  }
  if (step === 'calibrate' && training !== undefined) {
    const { calibration } = training;
    return `${countOf(calibration?.instances ?? 0, 'instance')} in ${countOf(calibration?.graphs ?? 0, 'graph')}`;
  }
  if (detection === undefined) return 'done';
  const { counts } = detection;
  return `${countOf(counts.instances, 'instance')}, ${countOf(counts.alerts, 'alert')} in ${countOf(counts.incidents, 'incident')}`;
}

/** For `--json`. */
function describe(demo: DemoResult, folder: string, total: number): object {
  const { world, training, detection, truth, paths, seconds } = demo;
  const { threshold, counts } = detection;
  return {
    out: folder,
    seed: world.seed,
    events: world.events,
    model: { path: paths.model, id: training.id, epochs: training.epochs, graphs: training.graphs },
    calibration: { graphs: training.calibration?.graphs, instances: training.calibration?.instances },
    threshold: { rule: threshold.rule, value: threshold.value, ...threshold.found },
    counts,
    incidents: detection.incidents.map(({ alerts, ...incident }, i) => ({
      ...incident,
      alerts: alerts.length,
      truth: truth.incidents[i],
    })),
    attacks: truth.attacks,
    alerts: paths.alerts,
    report: paths.report,
    store: paths.store,
    steps: seconds,
    seconds: total,
  };
}

function* render({ detection, truth, paths }: DemoResult, total: number, look: Look): Generator<string> {
  const bold = look.bold ?? ((text: string) => text);
  const { incidents, alerts, threshold } = detection;
  const actionsIn = incidentActions(alerts, 2);
  yield '';
  yield bold('incidents, highest score first');
  yield* renderTable(
    ['', 'incident', 'score', 'from', 'entities', 'what'],
    incidents
      .slice(0, LISTED)
      .map((incident, i) => [
        String(incident.rank),
        incident.id.slice(0, 8),
        incident.score.toFixed(1),
        incident.first.iso.slice(11, 16),
        truth.incidents[i].entities,
        actionsIn(incident),
      ]),
    look,
  );
  if (incidents.length > LISTED) yield `… and ${formatCount(incidents.length - LISTED)} more in the report`;
  yield `threshold ${threshold.rule}: a score of ${threshold.value.toFixed(1)} or more raises an incident`;
  yield '';
  yield bold('ground truth, known only to the simulator');
  yield* renderTable(
    ['', 'what the incident is'],
    truth.incidents.slice(0, LISTED).map((each) => [String(each.rank), describeTruth(each)]),
    look,
  );
  yield '';
  yield* renderTable(
    ['attack', 'from', 'until', 'first found in', 'entities with an alert'],
    truth.attacks.map(({ attack, from, until, rank, core, found: hits }) => [
      attack,
      from.slice(11, 16),
      until.slice(11, 16),
      rank === null ? 'not found' : `incident ${rank}`,
      `${hits} of ${core}`,
    ]),
    look,
  );
  yield '';
  yield `done in ${formatDuration(total * 1000)}; open in a browser: ${printable(paths.report)}`;
  yield '';
  yield bold('next');
  const first = incidents.at(0)?.id.slice(0, 8) ?? 'ID';
  yield `  npx recal explain ${first} --alerts ${printable(paths.alerts)}`;
  yield bold('on your own logs');
  yield '  npx recal ingest LOG… --store own                          about a week of benign logs';
  yield '  npx recal train --store own --model own.recal              trains, and calibrates on the last fifth';
  yield '  npx recal ingest NEWER-LOG… --store own --append';
  yield '  npx recal detect --store own --model own.recal --out alerts';
}

function describeTruth({ entities, attacks, touched, scan, unusual }: IncidentTruth): string {
  const parts = [
    ...Object.entries(attacks).map(
      ([attack, count]) => `attack ${attack}: ${formatCount(count)} of ${formatCount(entities)} entities`,
    ),
    ...Object.entries(unusual).map(
      ([activity, count]) => `benign but new (${activity}): ${formatCount(count)} entities`,
    ),
  ];
  if (scan > 0) parts.splice(Object.keys(attacks).length, 0, `${formatCount(scan)} flows of its port scan`);
  if (touched > 0)
    parts.push(`${formatCount(touched)} ${touched === 1 ? 'entity' : 'entities'} used by an attack`);
  return parts.length === 0 ? 'benign' : parts.join('; ');
}
