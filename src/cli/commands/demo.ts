import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { EXIT, isSystemError, RecalError } from '../../base/errors.js';
import { makeFolder } from '../../base/make-folder.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings.js';
import type { IncidentTruth } from '../../demo/ground-truth.js';
import { STEPS, type Step, type Story, type StoryWatch, tellStory } from '../../demo/story.js';
import { incidentActions } from '../../report/detection/actions.js';
import { DEFAULT_THRESHOLD, percentage } from '../calibrating.js';
import { type CommandContext, defineCommand } from '../command.js';
import { checkOutFolder } from '../settings/out-place.js';
import { threadsOf, threadsSetting } from '../settings/threads.js';
import { formatCount, formatDuration } from '../terminal/quantities.js';
import { type Look, renderTable } from '../terminal/tables.js';

/** Incidents listed; all are in the files. */
const LISTED = 8;

export const command = defineCommand({
  name: 'demo',
  summary: 'simulate a host under attack, learn what is normal, and find the attack, in about a minute',
  details:
    'Everything is kept in a new folder: the simulated logs, the store, the model, the alerts, and report.html. The ' +
    'same seed gives the same world, the same model and the same alerts.',
  examples: ['recal demo', 'recal demo --seed 7 --out demo-7'],
  arguments: {},
  settings: defineSettings({
    out: {
      type: z.string().min(1).optional(),
      description: 'new or empty folder to work in (default: one in the system’s temporary folder)',
      value: 'DIR',
    },
    seed: { type: z.coerce.number().int().default(1), description: 'which world of its kind', value: 'N' },
    events: {
      type: z.coerce.number().int().positive().default(190_000),
      description: 'size of the world',
      value: 'N',
    },
    epochs: {
      type: z.coerce.number().int().min(1).max(10_000).default(5),
      description: 'passes over the training days; a real model takes more',
      value: 'N',
    },
    threads: threadsSetting('results are'),
  }),
  async run(_args, settings, context) {
    const { out, signal } = context;
    const started = performance.now();
    const folder = await workFolder(settings.out);
    const { seed, events, epochs } = settings;
    const story = await tellStory({
      folder,
      seed,
      events,
      epochs,
      signal,
      threshold: DEFAULT_THRESHOLD,
      threads: threadsOf(settings),
      watch: narrator(context),
    });
    const seconds = (performance.now() - started) / 1000;
    out.result(describe(story, folder, seconds), () => render(story, seconds, out));
    return EXIT.done;
  },
});

/** A folder that holds nothing of anybody's. */
async function workFolder(asked: string | undefined): Promise<string> {
  if (asked === undefined) return mkdtemp(join(tmpdir(), 'recal-demo-'));
  await checkOutFolder(asked);
  const folder = resolve(asked);
  const held = await readdir(folder).catch((error) => {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  });
  if (held.length > 0) {
    throw new RecalError('out-not-empty', `${printable(asked)} is not empty`, {
      hint: 'give a new folder with --out DIR, or none',
      exit: EXIT.usage,
    });
  }
  await makeFolder(folder);
  return folder;
}

const BEGINNINGS: Readonly<Record<Step, string>> = {
  simulate: 'simulating a FreeBSD server: two days to learn from, one to calibrate on, one with intruders',
  ingest: 'reading its audit log into a store',
  train: 'learning what is normal from the first two days',
  calibrate: 'measuring how unusual harmless things look on the third day',
  detect: 'judging the fourth day',
};

/** Tells each step as it begins and ends, with its time. */
function narrator(context: CommandContext): StoryWatch {
  const { out } = context;
  let bar = percentage('', context);
  return {
    began(step) {
      out.info(`${STEPS.indexOf(step) + 1}/${STEPS.length} ${BEGINNINGS[step]}`);
      bar = percentage(step, context);
    },
    advanced: (_, done) => bar.update(Math.min(1, done)),
    ended(step, seconds, told) {
      bar.finish();
      out.info(`    ${ENDINGS[step](told as Story)} (${formatDuration(seconds * 1000)})`);
    },
  };
}

const ENDINGS: Readonly<Record<Step, (told: Story) => string>> = {
  simulate: ({ world }) => `${formatCount(world.events)} events of 4 days`,
  ingest: ({ world }) => `${formatCount(world.events)} events kept as a provenance graph`,
  train: ({ model: { training } }) =>
    `${formatCount(training.events)} events in ${formatCount(training.graphs)} graphs, ${training.epochs.done} epochs`,
  calibrate: ({ calibration: { instances, graphs } }) =>
    `${formatCount(instances)} instances in ${formatCount(graphs)} graphs`,
  detect: ({ found: { counts }, threshold }) =>
    `${formatCount(counts.instances)} instances; ${formatCount(counts.alerts)} score ${threshold.value.toFixed(1)} or more, in ${formatCount(counts.incidents)} incidents`,
};

/** For `--json`. */
function describe(story: Story, folder: string, total: number): object {
  const { world, model, calibration, found, threshold, truth, paths, seconds } = story;
  const { incidents: truths, attacks } = truth;
  return {
    out: folder,
    seed: world.seed,
    events: world.events,
    model: { path: paths.model, id: model.id, epochs: model.training.epochs, graphs: model.training.graphs },
    calibration: { graphs: calibration.graphs, instances: calibration.instances },
    threshold: { rule: threshold.rule, value: threshold.value, ...threshold.found },
    counts: found.counts,
    incidents: found.incidents.map(({ alerts, ...incident }, i) => ({
      ...incident,
      alerts: alerts.length,
      truth: truths[i],
    })),
    attacks,
    alerts: paths.alerts,
    report: paths.report,
    store: paths.store,
    steps: seconds,
    seconds: total,
  };
}

function* render(story: Story, total: number, look: Look): Generator<string> {
  const bold = look.bold ?? ((text: string) => text);
  const { found, threshold, truth, paths } = story;
  const { incidents } = found;
  const actionsIn = incidentActions(found.alerts, 2);
  yield '';
  yield bold('incidents, most prominent first');
  yield* renderTable(
    ['', 'incident', 'prominence', 'score', 'from', 'entities', 'what'],
    incidents
      .slice(0, LISTED)
      .map((incident, i) => [
        String(incident.rank),
        incident.id.slice(0, 8),
        incident.prominence.toFixed(1),
        incident.score.toFixed(1),
        incident.first.iso.slice(11, 16),
        truth.incidents[i].entities,
        actionsIn(incident),
      ]),
    look,
  );
  if (incidents.length > LISTED) yield `… and ${formatCount(incidents.length - LISTED)} more in the report`;
  yield `threshold ${threshold.rule}: alerts from a score of ${threshold.value.toFixed(1)} on`;
  yield '';
  yield bold('what only the simulator knows (the detector was never told)');
  yield* renderTable(
    ['', 'in truth'],
    truth.incidents.slice(0, LISTED).map((each) => [String(each.rank), tellTruth(each)]),
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
  yield bold('and on your own logs');
  yield '  npx recal ingest LOG… --store own                          a benign week or so';
  yield '  npx recal train --store own --model own.recal              learns, and calibrates on the last fifth';
  yield '  npx recal ingest NEWER-LOG… --store own --append';
  yield '  npx recal detect --store own --model own.recal --out alerts';
}

function tellTruth({ entities, attacks, touched, scan, unusual }: IncidentTruth): string {
  const parts = [
    ...Object.entries(attacks).map(
      ([attack, count]) => `attack ${attack}: ${formatCount(count)} of ${formatCount(entities)} entities`,
    ),
    ...Object.entries(unusual).map(
      ([activity, count]) => `harmless but new, ${activity}: ${formatCount(count)}`,
    ),
  ];
  if (scan > 0) parts.splice(Object.keys(attacks).length, 0, `flows of its port scan: ${formatCount(scan)}`);
  if (touched > 0) parts.push(`used by an attack: ${formatCount(touched)}`);
  return parts.length === 0 ? 'harmless' : parts.join('; ');
}
