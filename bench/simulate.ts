import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ScenarioManifest } from '../dist/simulate/manifest.js';
import { type Format, SCENARIOS, type Scenario } from '../dist/simulate/options.js';
import { simulate } from '../dist/simulate/simulate.js';
import { withFolder } from './measurement.js';
import { auroc, type RareNode, rarity } from './rarity.js';
import { printVocabulary } from './vocabulary.js';

/**
 * `npm run bench -- simulate`:
 * - `speed [SCENARIO] [EVENTS] [FORMAT]` prints rate, memory and the decades that relation counts span;
 * - `rarity [EVENTS] [SEED] [STEALTH]` prints the rarity table of docs/research/simulator-realism.md;
 * - `vocabulary [EVENTS]` compares the relations with those of the real hosts;
 * - without arguments it runs `speed` for all scenarios and `rarity`, with few events.
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
      await withFolder('simulate', async (out) => {
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
  await withFolder('simulate', async (out) => {
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
    const { decades, most, least } = relationSpan(manifest);
    console.log(
      `${scenario}, ${format}: ${manifest.events} events in ${seconds.toFixed(1)} s, ${Math.round(manifest.events / seconds)} events/s ` +
        `(${Math.round(manifest.events / cpuSeconds)} per second of CPU time), ` +
        `${(bytes / seconds / 1e6).toFixed(0)} MB/s, peak memory ${(peak / 1e6).toFixed(0)} MB; ` +
        `relation counts span ${decades.toFixed(2)} decades, from ${most} to ${least}`,
    );
  });
}

/** How many decades the relation counts span. */
function relationSpan(manifest: ScenarioManifest): { decades: number; most: string; least: string } {
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
    '| scenario | test entities | core entities (processes) | core in top 50 processes | AUROC, entities | AUROC, processes | operators: best / median rank | living off the land: best / median rank |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  for (const scenario of SCENARIOS) {
    await withFolder('simulate', async (out) => {
      const size = scenario === 'demo' ? 60_000 : events;
      await simulate({ scenario, events: size, seed, stealth, format: 'ndjson', out });
      const nodes = await rarity(
        [join(out, 'train.ndjson'), join(out, 'calibrate.ndjson')],
        join(out, 'test.ndjson'),
      );
      console.log(
        rarityRow(
          scenario,
          nodes,
          await readRows(out, 'labels.csv'),
          await readRows(out, 'unusual.csv'),
          await readScanFlows(out),
        ),
      );
    });
  }
}

/** Leaves out scan flows and touched entities, which are neither attack nor benign here. */
function rarityRow(
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

async function readRows(out: string, name: string): Promise<string[][]> {
  const text = await readFile(join(out, name), 'utf8');
  // Only the last column has commas, and it is not used here.
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

async function readScanFlows(out: string): Promise<Set<string>> {
  const labels = new Set((await readFile(join(out, 'labels.txt'), 'utf8')).trim().split('\n'));
  const all = (await readFile(join(out, 'labels.scan.txt'), 'utf8')).trim().split('\n');
  return new Set(all.filter((id) => !labels.has(id)));
}
