import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/files/replace-file.js';
import { formatFixed, formatNumber } from '../../report/page/format.js';
import { h } from '../../report/page/html.js';
import { type Fact, REPORT_FILE, renderPage, type Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { type E3Host, PUBLISHED_SIZES } from '../e3/published.js';
import type { EvaluationCurves } from '../evaluation.js';
import type { EvaluationResult } from '../result-schema.js';
import { ablationSection } from './ablation-section.js';
import { attackSection } from './attack-section.js';
import { behaviourSection } from './behaviour-section.js';
import { caveatsOf } from './caveats.js';
import { efficiencySection } from './efficiency-section.js';
import { mainSection } from './main-section.js';
import { oracleSection } from './oracle-section.js';
import { precisionRecallSection } from './precision-recall-section.js';
import { relationSection } from './relation-section.js';
import { scoreSection } from './score-section.js';
import { seedSection } from './seed-section.js';
import { sensitivitySection } from './sensitivity-section.js';
import { leadingVariant, type ReportExtras, type Study } from './study.js';

/** The results of the paper in its order, then further results. */
function renderReport(study: Study): string {
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
    precisionRecallSection(study),
    attackSection(study),
    behaviourSection(study),
    seedSection(study),
    oracleSection(study),
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

/** For `writeEvaluation`: writes a report that also shows `extras`. */
export function reportWriter(extras: ReportExtras) {
  return (result: EvaluationResult, curves: EvaluationCurves, folder: string): Promise<void> => {
    const run = { name: result.protocol, result, curves, scores: extras.scores };
    return writeStudy({ title: `Evaluation, protocol ${result.protocol}`, runs: [run], extras }, folder);
  };
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
    title: 'Caveats',
    content:
      caveats.length === 0
        ? h('p', {}, 'None. Nothing was left out, and no threshold uses the labels.')
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
  // All protocols use the same splits.
  const splits = Object.entries(runs[0].result.data.splits).map(([split, counts]) => ({ split, ...counts }));
  return {
    id: 'data',
    title: 'Data',
    content: [
      dataTable({
        id: 'split-table',
        title: 'Splits',
        columns: [
          { heading: 'split', value: ({ split }) => split },
          { heading: 'events', value: ({ events }) => events },
          { heading: 'nodes', value: ({ nodes }) => nodes },
          { heading: `graphs (${first})`, value: ({ graphs }) => graphs },
          {
            heading: 'host-days',
            value: ({ hostDays }) => hostDays ?? null,
            show: ({ hostDays }) => (hostDays === undefined ? '–' : formatNumber(hostDays, 2)),
            as: 'number',
          },
        ],
        rows: splits,
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
          { heading: 'in the test split', value: ({ result }) => result.data.positives },
          { heading: 'not in the test split', value: ({ result }) => result.data.labelsUnmatched },
          { heading: 'also in training', value: ({ result }) => result.data.labelsInTraining },
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
  return `In the paper, ${host.toUpperCase()} has ${nodes} nodes, ${edges} edges and ${positives} malicious nodes. The published rates fit a test split of ${judged} nodes.`;
}

function leadOf({ runs }: Study): string {
  return runs
    .map(({ name, result: { data, config, matching } }) => {
      const rule = String(config.threshold ?? 'unknown');
      return `Protocol ${name}: ${formatNumber(data.positives)} of ${formatNumber(data.nodes)} nodes are labelled, threshold ${rule}, matching ${matching}.`;
    })
    .join(' ');
}

/** The main results under each protocol. */
function factsOf({ runs, host }: Study): Fact[] {
  const figure = (value: number | null) => (value === null ? '–' : formatFixed(value, 3));
  const [{ result: first }] = runs;
  const facts = runs.flatMap(({ name: run, result }): Fact[] => {
    const [name, { mean }] = leadingVariant(result, host);
    const attacks = `${formatNumber(mean.attacksDetected ?? 0)} of ${formatNumber(mean.attacks ?? 0)}`;
    const which = `(${name}, ${run})`;
    return [
      [`F1 ${which}`, figure(mean.f1)],
      [`average precision ${which}`, figure(mean.ap)],
      ...(mean.attacks === null ? [] : [[`attacks detected ${which}`, attacks] satisfies Fact]),
    ];
  });
  return [...facts, ['seeds', seedsOf(first, host).length]];
}

function seedsOf(result: EvaluationResult, host: Study['host']): number[] {
  const [, { seeds }] = leadingVariant(result, host);
  return seeds.map(({ seed }) => seed);
}
