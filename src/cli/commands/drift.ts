import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import { formatMoment } from '../../detect/alerts/moment.js';
import type { DriftReport } from '../../detect/drift/drift.js';
import type { DriftRow } from '../../detect/drift/drift-report.js';
import type { DriftVerdict } from '../../detect/drift/verdict.js';
import { drift } from '../../pipeline/drift.js';
import { defineCommand } from '../command.js';
import { selectionOf, selectionSettings } from '../settings/selection.js';
import { modelSetting, storeSetting, trustSetting } from '../settings/store-and-model.js';
import { threadsSetting } from '../settings/threads.js';
import { formatProbability } from '../terminal/evidence-table.js';
import { formatCount } from '../terminal/quantities.js';
import { StageProgress } from '../terminal/stage-progress.js';
import { warnOfStore } from '../terminal/store-notes.js';
import { type Look, renderTable } from '../terminal/tables.js';

/** Relations listed; with --json all of them are. */
const LISTED = 20;

export const command = defineCommand({
  details:
    'Compares recent events, by default those after calibration, with the calibration tables of a model, relation by ' +
    'relation. Leaves out high scores, because an attack is not drift. Changes nothing. docs/concepts/drift.md explains ' +
    'the figures.',
  examples: [
    'recal drift --store own --model web.recal --from 2018-04-12',
    'recal drift --store own --model web.recal --host web-7 --json',
  ],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    model: modelSetting('calibrated model file'),
    trust: trustSetting,
    ...selectionSettings,
    level: {
      type: z.coerce.number().gt(0).lt(1).default(0.01),
      description: 'nominal false discovery rate over all relations',
      value: 'Q',
    },
    threads: threadsSetting('the result'),
  }),
  async run(_args, settings, context) {
    const progress = new StageProgress(context);
    const { store, model, level, threads } = settings;
    await warnOfStore(store, context.out);
    const summary = await drift({
      store,
      model,
      trust: settings.trust,
      level,
      threads,
      selection: selectionOf(settings),
      signal: context.signal,
      progress: (done) => progress.update('comparing', done),
    }).finally(() => progress.finish());
    context.out.result(summary, () => renderDrift(summary, context.out));
    return EXIT.done;
  },
});

const ADVICE: Readonly<Record<DriftVerdict, string>> = {
  steady: 'keep the model as it is',
  recalibrate: 'if this period is benign, calibrate on it: recal calibrate',
  retrain: 'train again on recent benign events: recal train',
  'look-first': 'inspect the incidents before you calibrate or train on this period: recal detect',
  'too-little': 'select a longer period, or calibrate on more events',
};

export function* renderDrift(report: DriftReport, look: Look): Generator<string> {
  const { counts, quarantine, rows, change, novelty, leftOut } = report;
  const bold = look.bold ?? ((text: string) => text);
  yield `${bold(report.verdict)}: ${report.reasons.map((reason) => printable(reason, 400)).join('; ')}`;
  yield `  ${ADVICE[report.verdict]}`;
  yield '';
  yield `compared    ${countOf(counts.instances, 'instance')} in ${countOf(counts.graphs, 'graph')}, ${counts.hostDays.toPrecision(2)} host-days; ${countOf(counts.compared, 'relation')}, ${formatCount(counts.tooFew)} more with too few nodes`;
  if (counts.withoutTable > 0) {
    yield `skipped     ${countOf(counts.withoutTable, 'value')} of relations that calibration saw too rarely`;
  }
  for (const { kind, why } of leftOut) yield `skipped     ${kind}: ${why}`;
  yield `left out    ${countOf(quarantine.high, 'instance')} with a score of ${quarantine.tau.toFixed(2)} or more (${quarantine.rule}; ${quarantine.expected.toPrecision(2)} expected), ${formatCount(quarantine.inherited)} that inherited a score from them`;
  const [now90, now99] = [share(change.above.p90), share(change.above.p99)];
  yield `scores      ${now90} above the benign 90th percentile, ${now99} above the 99th`;
  yield change.since === null || change.reached === null
    ? `change      none in ${countOf(change.windows, 'window')} (test capital ${change.capital.toPrecision(2)}, highest ${change.most.toPrecision(2)})`
    : `change      since ${formatMoment(change.since)}, significant from ${formatMoment(change.reached)} (test capital ${change.capital.toPrecision(2)})`;
  yield* renderNovelty(novelty);
  const shown = rows.filter(({ verdict }) => verdict !== 'too-few');
  if (shown.length === 0) return;
  yield '';
  yield* renderTable(
    ['evidence', 'relation', 'role', 'now', 'nodes', 'then', 'distance', 'p (nominal)', '>p90', '>p99', ''],
    shown.slice(0, LISTED).map(cellsOf),
    look,
  );
  if (shown.length > LISTED) yield `… and ${formatCount(shown.length - LISTED)} more that moved less`;
}

function cellsOf(row: DriftRow): (string | number)[] {
  const { kind, relation, role, now, before, distance, direction, p, above, verdict } = row;
  return [
    kind,
    relation ?? '-',
    role ?? '-',
    now.n,
    now.nodes,
    before.n,
    `${direction === 'up' ? '+' : '-'}${distance.toFixed(3)}`,
    formatProbability(Math.log(p)),
    share(above.p90),
    share(above.p99),
    verdict,
  ];
}

function* renderNovelty({ interactions, newRelation, relations, more, names }: DriftReport['novelty']) {
  const known = relations.map(({ name, interactions: n }) => `${printable(name, 60)} ×${formatCount(n)}`);
  const list = known.length === 0 ? '' : `: ${known.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  yield `new         ${interactions === 0 ? '-' : share(newRelation / interactions)} of the interactions have relations that training never saw${list}`;
  for (const { type, nodes, unknown, examples } of names) {
    const such =
      examples.length === 0 ? '' : `, such as ${examples.map((name) => printable(name, 60)).join(', ')}`;
    yield `names       ${share(unknown / nodes)} of ${countOf(nodes, `${type} name`)} are new since training${such}`;
  }
}

const share = (value: number): string => `${(value * 100).toFixed(1)} %`;
