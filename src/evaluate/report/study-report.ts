import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/replace-file.js';
import { formatFixed, formatNumber } from '../../report/page/format.js';
import { h } from '../../report/page/html.js';
import { type Fact, REPORT_FILE, renderPage, type Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { type E3Host, PUBLISHED_SIZES } from '../e3/published.js';
import type { EvaluationCurves } from '../evaluation.js';
import type { EvaluationResult } from '../result-schema.js';
import { ablationSection } from './ablation-section.js';
import { attackSection, behaviourSection, curveSection, gapSection, seedSection } from './beyond.js';
import { caveatsOf } from './caveats.js';
import { efficiencySection } from './efficiency-section.js';
import { mainSection } from './main-section.js';
import { relationSection, scoreSection } from './score-section.js';
import { sensitivitySection } from './sensitivity-section.js';
import { leadingVariant, type ReportExtras, type Study } from './study.js';

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
    facts: factsOf(study),
    sections: sections.filter((section): section is Section => section !== undefined),
    generator: `recal ${result.versions.recal ?? ''}`.trim(),
    provenance: `Node ${result.versions.node ?? '?'}, seeds ${seedsOf(result, study.host).join(', ')}.`,
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

function dataSection({ runs, host }: Study): Section {
  const [first] = Object.keys(runs[0].result.variants);
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
          { heading: `graphs (${first})`, value: ({ graphs }) => graphs },
        ],
        rows: parts,
        download: true,
      }),
      host !== undefined && h('p', {}, sizeText(host)),
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

function sizeText(host: E3Host): string {
  const [nodes, edges, positives, judged] = (['nodes', 'edges', 'positives', 'judged'] as const).map((key) =>
    formatNumber(PUBLISHED_SIZES[host][key]),
  );
  return `The paper’s ${host.toUpperCase()} has ${nodes} nodes, ${edges} edges and ${positives} malicious nodes; its rates fit a test of ${judged} nodes.`;
}

function leadOf({ runs }: Study): string {
  return runs
    .map(({ name, result: { data, config } }) => {
      const rule = String(config.threshold ?? 'unknown');
      return `Protocol ${name}: ${formatNumber(data.positives)} labelled of ${formatNumber(data.nodes)} nodes, threshold ${rule}.`;
    })
    .join(' ');
}

/** What the study is about, under each protocol. */
function factsOf({ runs, host }: Study): Fact[] {
  const figure = (value: number | null) => (value === null ? '–' : formatFixed(value, 3));
  const [{ result: first }] = runs;
  const facts = runs.flatMap(({ name: run, result }): Fact[] => {
    const [name, { mean }] = leadingVariant(result, host);
    const attacks = `${formatNumber(mean.attacksDetected ?? 0)} of ${formatNumber(mean.attacks ?? 0)}`;
    return [
      [`F1, variant ${name}, protocol ${run}`, figure(mean.f1)],
      ['its average precision', figure(mean.ap)],
      ...(mean.attacks === null ? [] : [['its attacks detected', attacks] satisfies Fact]),
    ];
  });
  return [...facts, ['seeds', seedsOf(first, host).length]];
}

function seedsOf(result: EvaluationResult, host: Study['host']): number[] {
  const [, { seeds }] = leadingVariant(result, host);
  return seeds.map(({ seed }) => seed);
}
