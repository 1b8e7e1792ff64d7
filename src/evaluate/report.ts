import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../base/replace-file.js';
import { formatFixed, formatNumber } from '../report/format.js';
import { h } from '../report/html.js';
import { type Fact, renderPage, type Section } from '../report/page.js';
import { dataTable } from '../report/tables.js';
import type { EvaluationCurves } from './evaluation.js';
import { attackSection, behaviourSection, curveSection, gapSection, seedSection } from './report-beyond.js';
import { caveatsOf } from './report-caveats.js';
import { efficiencySection } from './report-efficiency.js';
import { ablationSection, mainSection } from './report-published.js';
import { relationSection, scoreSection } from './report-scores.js';
import { sensitivitySection } from './report-sensitivity.js';
import { leadingVariant, REPORT_FILE, type ReportExtras, type Study } from './report-study.js';
import type { EvaluationResult } from './result-schema.js';

/** The page of a study: the figures of the paper in its order, then what the paper does not show. */
export function renderReport(study: Study): string {
  const [{ result }] = study.runs;
  const sections = [
    caveatSection(study),
    dataSection(study),
    relationSection(study),
    scoreSection(study),
    mainSection(study),
    ablationSection(study),
    study.sweeps === undefined ? undefined : sensitivitySection(study.sweeps),
    efficiencySection(study),
    curveSection(study),
    attackSection(study),
    behaviourSection(study),
    seedSection(study),
    gapSection(study),
  ];
  return renderPage({
    kind: 'Evaluation report',
    title: study.title,
    lead: leadOf(study),
    facts: factsOf(result),
    sections: sections.filter((section): section is Section => section !== undefined),
    generator: `recal ${result.versions.recal ?? ''}`.trim(),
    provenance: `Node ${result.versions.node ?? '?'}, seeds ${seedsOf(result).join(', ')}.`,
  });
}

/** For `writeEvaluation`: the report beside the other files. */
export async function writeReport(
  result: EvaluationResult,
  curves: EvaluationCurves | undefined,
  folder: string,
  extras: ReportExtras = {},
): Promise<void> {
  const run = { name: result.protocol, result, curves, scores: extras.scores };
  await writeStudy({ title: `Evaluation, protocol ${result.protocol}`, runs: [run], extras }, folder);
}

/** A `ReportWriter` that also shows what result.json does not hold; see `extrasOf`. */
export function reportWriter(extras: ReportExtras) {
  return (result: EvaluationResult, curves: EvaluationCurves, folder: string): Promise<void> =>
    writeReport(result, curves, folder, extras);
}

export async function writeStudy(study: Study, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, REPORT_FILE);
  await replaceFile(path, renderReport(study));
}

function caveatSection(study: Study): Section {
  const caveats = caveatsOf(study);
  return {
    id: 'caveats',
    title: 'Before reading',
    content:
      caveats.length === 0
        ? h('p', {}, 'Nothing was left out, and no threshold has seen the labels.')
        : h(
            'div',
            { class: 'warning' },
            h(
              'ul',
              {},
              caveats.map((each) => h('li', {}, each)),
            ),
          ),
  };
}

function dataSection({ runs }: Study): Section {
  const parts = runs.flatMap(({ name, result }, r) =>
    Object.entries(result.data.splits).flatMap(([part, counts]) =>
      // Protocols share their parts.
      r === 0 ? [{ name, part, ...counts }] : [],
    ),
  );
  return {
    id: 'data',
    title: 'Data',
    content: [
      dataTable({
        id: 'part-table',
        title: 'Parts',
        columns: [
          { heading: 'part', value: ({ part }) => part },
          { heading: 'events', value: ({ events }) => events },
          { heading: 'nodes', value: ({ nodes }) => nodes },
          { heading: 'graphs', value: ({ graphs }) => graphs },
        ],
        rows: parts,
        download: true,
      }),
      dataTable({
        id: 'label-table',
        title: 'Labels',
        columns: [
          { heading: 'protocol', value: ({ name }) => name },
          { heading: 'file', value: ({ result }) => result.data.labels.file, as: 'name' },
          { heading: 'labels', value: ({ result }) => result.data.labelled },
          { heading: 'nodes of the test', value: ({ result }) => result.data.positives },
          { heading: 'not in the test', value: ({ result }) => result.data.labelsUnmatched },
          { heading: 'in training too', value: ({ result }) => result.data.labelsInTraining },
          { heading: 'attacks', value: ({ result }) => result.data.attacks?.length ?? null },
        ],
        rows: runs,
        download: true,
      }),
    ],
  };
}

function leadOf({ runs }: Study): string {
  return runs
    .map(({ name, result: { data, config } }) => {
      const rule = String(config.threshold ?? 'unknown');
      return `${name}: ${formatNumber(data.positives)} labelled of ${formatNumber(data.nodes)} nodes, threshold ${rule}.`;
    })
    .join(' ');
}

function factsOf(result: EvaluationResult): Fact[] {
  const [name, { mean }] = leadingVariant(result);
  const figure = (value: number | null) => (value === null ? '–' : formatFixed(value, 3));
  const attacks =
    mean.attacks === null
      ? '–'
      : `${formatNumber(mean.attacksDetected ?? 0)} of ${formatNumber(mean.attacks)}`;
  return [
    [`F1, variant ${name}, protocol ${result.protocol}`, figure(mean.f1)],
    ['its average precision', figure(mean.ap)],
    ['its attacks detected', attacks],
    ['its false positives', mean.fp === null ? '–' : formatNumber(mean.fp)],
    ['seeds', seedsOf(result).length],
  ];
}

function seedsOf(result: EvaluationResult): number[] {
  const [, { seeds }] = leadingVariant(result);
  return seeds.map(({ seed }) => seed);
}
