import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { TOP_NODES } from '../../evaluate/metrics/top-incidents.js';
import {
  attackSeeds,
  EPISODE_LEGEND,
  episodesText,
  RANK_LEGEND,
  ranksText,
} from '../../evaluate/report/attack-ranks.js';
import { hasDailyRate, stepsOf } from '../../evaluate/report/cell-text.js';
import type { EvaluationResult, Figure, VariantResult } from '../../evaluate/result-schema.js';
import { formatCount } from './quantities.js';
import { type Look, renderTable } from './tables.js';

const UNDEFINED = '-';

/** One row per variant with mean ± standard deviation over seeds, then a legend and the notes. */
export function* renderEvaluation(
  { complete, variants, data, notes, protocol, matching }: EvaluationResult,
  look: Look,
): Generator<string> {
  const share = data.nodes === 0 ? '' : ` (${((100 * data.positives) / data.nodes).toFixed(2)} %)`;
  yield `protocol ${protocol}, matching ${matching}: ${formatCount(data.positives)} of ${countOf(data.nodes, 'node')} are labelled${share}`;
  const daily = hasDailyRate(data);
  yield '';
  // After a stop, variants may have different numbers of seeds.
  const seedsOf = ({ seeds }: VariantResult) => (complete ? [] : [String(seeds.length)]);
  yield* renderTable(
    [
      'variant',
      ...(complete ? [] : ['seeds']),
      'attacks',
      'false incidents',
      'incidents',
      'nodes',
      'AP',
      'AUROC',
      'F1',
      'precision',
      'recall',
      'oracle F1',
      'gap',
      'steps',
      'threshold',
    ],
    Object.entries(variants).map(([name, variant]) => [
      name,
      ...seedsOf(variant),
      ...rowOf(variant, daily, look),
    ]),
    look,
  );
  yield '';
  yield 'attacks: attacks with a flagged node, of all attacks';
  const rate = daily
    ? 'per host and day of the test split'
    : 'the test split is too short for a rate per day';
  yield `false incidents: incidents of flagged nodes without a labelled node (${rate})`;
  yield `incidents, nodes: how many to inspect until every attack is found, among the process trees of recal, or the incidents of the ${TOP_NODES} highest nodes per host and day`;
  yield 'oracle F1: the best F1 of any threshold on the node scores, chosen with the labels of the test split';
  yield 'gap: oracle F1 minus F1; below 0 if a variant flags whole process trees better than any threshold flags nodes';
  yield 'steps: updates of the weights in training; the median if seeds differ';
  yield* renderAttacks({ variants, data }, look);
  for (const note of notes) yield `note: ${printable(note, 1000)}`;
}

/** Attacks by variants: the incident, then the episode at which each attack is first seen. */
function* renderAttacks(
  { variants, data }: Pick<EvaluationResult, 'variants' | 'data'>,
  look: Look,
): Generator<string> {
  if (data.attacks === null || data.attacks.length === 0) return;
  const tables = [
    { title: 'by incident', cell: ranksText, legend: RANK_LEGEND },
    { title: 'by episode', cell: episodesText, legend: EPISODE_LEGEND },
  ];
  for (const { title, cell, legend } of tables) {
    yield '';
    const rows = data.attacks.map((name) => [
      name,
      ...Object.values(variants).map((variant) => cell(attackSeeds(variant, name))),
    ]);
    yield* renderTable([`attack, ${title}`, ...Object.keys(variants)], rows, look);
    yield '';
    for (const line of legend) yield line;
  }
}

function rowOf(variant: VariantResult, daily: boolean, look: Look): string[] {
  const figure = (key: Figure, digits: number) => meanText(variant, key, digits, look);
  const attacks =
    variant.mean.attacks === null
      ? UNDEFINED
      : `${figure('attacksDetected', 1)}/${trimmed(variant.mean.attacks, 1)}`;
  const effort = (key: Figure, digits: number) =>
    variant.mean.attacks !== null && variant.mean[key] === null ? 'not all' : figure(key, digits);
  const perDay = daily ? ` (${variant.mean.falseIncidentsPerDay?.toFixed(1) ?? UNDEFINED}/day)` : '';
  return [
    attacks,
    `${figure('falseIncidents', 1)}${perDay}`,
    effort('incidentsUntilAllAttacks', 1),
    effort('nodesUntilAllAttacks', 0),
    figure('ap', 3),
    figure('auroc', 3),
    figure('f1', 3),
    `${figure('precision', 3)} (${counts(variant, 'tp', 'fp')})`,
    `${figure('recall', 3)} (${counts(variant, 'tp', 'fn')})`,
    figure('oracleF1', 3),
    figure('gap', 3),
    stepsText(variant),
    thresholdText(variant),
  ];
}

function stepsText(variant: VariantResult): string {
  const steps = stepsOf(variant);
  return steps === null ? UNDEFINED : formatCount(steps);
}

/** The counts behind a rate. */
function counts({ mean }: VariantResult, hit: Figure, other: Figure): string {
  const [hits, others] = [mean[hit] ?? 0, mean[other] ?? 0];
  return `${trimmed(hits, 1)}/${trimmed(hits + others, 1)}`;
}

function meanText({ mean, std }: VariantResult, key: Figure, digits: number, { unicode }: Look): string {
  const [value, deviation] = [mean[key], std[key]];
  if (value === null) return UNDEFINED;
  if (deviation === null) return trimmed(value, digits);
  return `${trimmed(value, digits)} ${unicode ? '±' : '+-'} ${trimmed(deviation, digits)}`;
}

/** Integers without decimals. */
function trimmed(value: number, digits: number): string {
  return Number.isInteger(value) && digits < 3 ? String(value) : value.toFixed(digits);
}

function thresholdText({ seeds }: VariantResult): string {
  const marks = new Set(seeds.flatMap(({ threshold: { mark } }) => mark ?? []));
  const { kind, asked } = seeds[0].threshold;
  return [asked ?? kind, ...marks].join(', ');
}
