import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Incident } from '../../src/detect/alerts/alert.js';
import { parseThreshold, type ThresholdSpec } from '../../src/detect/threshold/threshold.js';
import type { Labels } from '../../src/evaluate/labels/labels.js';
import { readLabels } from '../../src/evaluate/labels/read-labels.js';
import { flagEpisodes } from '../../src/evaluate/metrics/flag-episodes.js';
import { flag } from '../../src/evaluate/metrics/flagging.js';
import { Measurements } from '../../src/evaluate/protocol/measurements.js';
import type { ScoredRun } from '../../src/evaluate/protocol/scored-run.js';
import { ingestSplits, openSplits, SPLIT_NAMES, type Splits } from '../../src/evaluate/protocol/splits.js';
import { VariantRunner } from '../../src/evaluate/protocol/variant-runner.js';
import { resolveVariant, variantOf } from '../../src/evaluate/protocol/variants.js';
import { detect } from '../../src/pipeline/detect.js';
import { train } from '../../src/pipeline/train.js';
import { simulate } from '../../src/simulate/simulate.js';
import { newFolder, sharedFolder } from '../folders.js';

const SEED = 3;
const TRAINING = { epochs: 1, textEpochs: 1, textDimension: 4 } as const;
const DETECTION = { rounds: 2, reference: 5000 } as const;
const RULES = ['budget:4/hour', 'fpr:0.01', 'fdr:0.2'];

let [world, store] = ['', ''];
let splits: Splits;
let labels: Labels;
beforeAll(async () => {
  world = sharedFolder();
  await simulate({ scenario: 'demo', events: 20_000, out: world });
  const logs = Object.fromEntries(SPLIT_NAMES.map((name) => [name, [join(world, `${name}.json`)]]));
  const folder = sharedFolder();
  splits = await openSplits(
    await ingestSplits(logs as Record<(typeof SPLIT_NAMES)[number], string[]>, {
      folder: async () => folder,
      threads: 0,
    }),
  );
  store = join(folder, 'store');
  labels = await readLabels(join(world, 'labels.csv'));
});

/** What an incident counts: the processes of its trees, or without trees the entities of its alerts. */
function membersOf({ alerts, episode }: Incident): string[] {
  if (episode === null || episode === undefined) return [...new Set(alerts.map(({ entity }) => entity.id))];
  expect(episode.processes).toHaveLength(episode.processCount);
  return episode.processes.map(({ entity }) => entity.id);
}

const variantNamed = (name: string) => resolveVariant(variantOf(name), TRAINING, DETECTION);

async function scoreTest(name: string): Promise<ScoredRun> {
  const runner = new VariantRunner({ splits, variants: [variantNamed(name)], seeds: [SEED], threads: 1 });
  return (await runner.runs().next()).value as ScoredRun;
}

describe.each(['recal', 'paper'] as const)('evaluate describes what detect does: %s', (profile) => {
  let model = '';
  let run: ScoredRun;
  beforeAll(async () => {
    model = join(sharedFolder(), `${profile}.recal`);
    await train({
      store,
      model,
      selection: { split: 'train' },
      calibrateSplit: 'calibrate',
      training: { ...TRAINING, profile, seed: SEED },
      detection: DETECTION,
      threads: 1,
    });
    run = await scoreTest(profile);
  });

  const rules = profile === 'recal' ? ['top:10/day', ...RULES] : RULES;
  test.each(rules)('%s: the same alerts and the same incidents in the same order', async (rule) => {
    const { events } = splits.test;
    const out = newFolder();
    const { alerts, incidents, threshold } = await detect({
      store,
      model,
      out,
      selection: { split: 'test' },
      threshold: rule,
      report: false,
      threads: 1,
    });
    const spec = parseThreshold(rule) as Exclude<ThresholdSpec, { kind: 'oracle' }>;
    const flagged =
      run.judged === undefined
        ? flag(spec, { ...run, events }, run.outcome, null)
        : flagEpisodes(spec, run.judged, events);
    const members = incidents.map(membersOf);
    const entities = new Set(
      run.judged === undefined ? alerts.map(({ entity }) => entity.id) : members.flat(),
    );
    const nodes = [...flagged.nodes.keys()].filter((v) => flagged.nodes[v] === 1);
    expect(nodes.map((v) => events.uuid(v)).sort()).toEqual([...entities].sort());
    expect(flagged.incidents.map((incident) => Array.from(incident.nodes, (v) => events.uuid(v)))).toEqual(
      members,
    );
    // Results say null where no score is high enough.
    expect(flagged.threshold.value ?? Number.MAX_VALUE).toBe(threshold.value);
    // Few benign trees cannot give p-values that are small enough for a false discovery rate.
    if (profile === 'paper' || spec.kind !== 'fdr') expect(incidents.length).toBeGreaterThan(1);

    // The figures count these alerts and incidents.
    const { result } = measure(rule);
    const isLabelled = (id: string) => labels.byKey.has(id.toUpperCase());
    expect(result.tp).toBe([...entities].filter(isLabelled).length);
    expect(result.fp).toBe(entities.size - result.tp);
    expect(result.falseIncidents).toBe(members.filter((each) => !each.some(isLabelled)).length);
  });

  function measure(rule: string) {
    const measurements = new Measurements(splits, {
      labels,
      tier: 'all',
      protocol: 'honest',
      matching: 'node',
      threshold: parseThreshold(rule),
    });
    measurements.add(run, new Uint32Array(2 * splits.test.events.keys.size), []);
    return measurements.measured[0].measured;
  }
});
