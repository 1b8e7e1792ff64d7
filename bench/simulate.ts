import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ScenarioManifest } from '../dist/simulate/manifest.js';
import { type Format, SCENARIOS, type Scenario } from '../dist/simulate/options.js';
import { simulate } from '../dist/simulate/simulate.js';
import { auroc, type RareNode, rarity } from './rarity.js';
import { printVocabulary } from './vocabulary.js';

/**
 * Measures the simulator. `run(['speed', scenario, events, format])` prints rate, memory and the decades that relation
 * counts span; `run(['rarity', events, seed])` prints the table of docs/research/simulator-realism.md; `run(['vocabulary', events])` lays
 * the relations that `recal inspect` counts beside those of the real hosts. Without arguments: both, small.
 */
export async function run(args: string[]): Promise<void> {
  const [what, ...rest] = args;
  if (what === 'speed') {
    const [scenario = 'freebsd-server', events = '1000000', format = 'cdm18'] = rest;
    await speed(scenario as Scenario, Number(events), format as Format);
  } else if (what === 'rarity') {
    const [events = '1000000', seed = '1', stealth = '0.5'] = rest;
    await rarityTable(Number(events), Number(seed), Number(stealth));
  } else if (what === 'vocabulary') {
    const [events = '5000000'] = rest;
    for (const scenario of SCENARIOS.filter((name) => name !== 'demo')) {
      await withDirectory(async (out) => {
        await simulate({ scenario, events: Number(events), out });
        printVocabulary(scenario, out);
      });
    }
  } else {
    for (const scenario of SCENARIOS) await speed(scenario, scenario === 'demo' ? 60_000 : 500_000, 'cdm18');
    await rarityTable(300_000, 1, 0.5);
  }
}

async function speed(scenario: Scenario, events: number, format: Format): Promise<void> {
  await withDirectory(async (out) => {
    let peak = 0;
    const start = performance.now();
    const cpu = process.cpuUsage();
    const manifest = await simulate({ scenario, events, format, out }, () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    });
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const cpuSeconds = (user + system) / 1e6;
    const bytes = manifest.hosts.flatMap((host) => host.files).reduce((sum, file) => sum + file.bytes, 0);
    const { decades, most, least } = span(manifest);
    console.log(
      `${scenario} ${format}: ${manifest.events} events in ${seconds.toFixed(1)} s = ${Math.round(manifest.events / seconds)} events/s ` +
        `(${Math.round(manifest.events / cpuSeconds)} per second of processor time), ` +
        `${(bytes / seconds / 1e6).toFixed(0)} MB/s, peak memory ${(peak / 1e6).toFixed(0)} MB, ` +
        `relations span ${decades.toFixed(2)} decades (${most} to ${least})`,
    );
  });
}

function span(manifest: ScenarioManifest): { decades: number; most: string; least: string } {
  const relations = Object.entries(manifest.hosts[0]?.relations ?? {});
  const [most, least] = [relations[0], relations.at(-1)] as [[string, number], [string, number]];
  return {
    decades: Math.log10(most[1] / least[1]),
    most: `${most[0]} ${most[1]}`,
    least: `${least[0]} ${least[1]}`,
  };
}

async function rarityTable(events: number, seed: number, stealth: number): Promise<void> {
  console.log(
    '| scenario | test nodes | core nodes (processes) | core in top 50 processes | AUROC, nodes | AUROC, processes | operators: best / median rank | living off the land: best / median rank |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  for (const scenario of SCENARIOS) {
    await withDirectory(async (out) => {
      const size = scenario === 'demo' ? 60_000 : events;
      await simulate({ scenario, events: size, seed, stealth, format: 'ndjson', out });
      const nodes = await rarity(
        [join(out, 'train.ndjson'), join(out, 'calibrate.ndjson')],
        join(out, 'test.ndjson'),
      );
      console.log(
        row(
          scenario,
          nodes,
          await table(out, 'labels.csv'),
          await table(out, 'unusual.csv'),
          await scans(out),
        ),
      );
    });
  }
}

/** Scan flows and touched nodes are neither attack nor benign here: they are left out. */
function row(
  scenario: string,
  all: RareNode[],
  labels: string[][],
  unusual: string[][],
  scan: Set<string>,
): string {
  const core = new Map(labels.filter((label) => label[4] === 'core').map((label) => [label[0], label[3]]));
  const touched = new Set(labels.filter((label) => label[4] === 'touched').map((label) => label[0]));
  const nodes = all.filter((node) => core.has(node.id) || (!touched.has(node.id) && !scan.has(node.id)));
  const processes = nodes.filter((node) => node.type === 'process');
  const isCore = (node: RareNode) => core.has(node.id);
  const operators = new Set(unusual.filter((line) => line[3] === 'operator').map((line) => line[0]));
  const ranks = (isMember: (node: RareNode) => boolean) =>
    processes.flatMap((node, index) => (isMember(node) ? [index + 1] : []));
  const show = (list: number[]) => (list.length === 0 ? '–' : `${list[0]} / ${list[list.length >> 1]}`);
  return `| ${[
    scenario,
    nodes.length,
    `${nodes.filter(isCore).length} (${processes.filter(isCore).length})`,
    processes.slice(0, 50).filter(isCore).length,
    auroc(nodes, isCore).toFixed(3),
    auroc(processes, isCore).toFixed(3),
    show(ranks((node) => operators.has(node.id))),
    show(ranks((node) => core.get(node.id)?.includes('living-off-the-land') === true)),
  ].join(' | ')} |`;
}

async function table(out: string, name: string): Promise<string[][]> {
  const text = await readFile(join(out, name), 'utf8');
  // Reasons may hold commas; the columns used here come before them.
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

async function scans(out: string): Promise<Set<string>> {
  const labels = new Set((await readFile(join(out, 'labels.txt'), 'utf8')).trim().split('\n'));
  const all = (await readFile(join(out, 'labels.scan.txt'), 'utf8')).trim().split('\n');
  return new Set(all.filter((id) => !labels.has(id)));
}

async function withDirectory(work: (out: string) => Promise<void>): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), 'recal-simulate-'));
  try {
    await work(out);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
