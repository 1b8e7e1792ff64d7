import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { renderDrift } from '../../../src/cli/commands/drift.js';
import { resolveDetectionConfig } from '../../../src/detect/detection-config.js';
import { Detector } from '../../../src/detect/detector.js';
import { encodeDetector } from '../../../src/detect/detector-part.js';
import type { DriftReport } from '../../../src/detect/drift/drift.js';
import { SplitGraphs } from '../../../src/detect/split-graphs.js';
import { writeModelFile } from '../../../src/model/file/model-file.js';
import { trainModel } from '../../../src/model/training/train.js';
import { resolveTrainingConfig } from '../../../src/model/training/training-config.js';
import { driftingWorld } from '../../detect/drift/drifting-world.js';
import { sharedFolder } from '../../folders.js';
import { runHere } from '../run-here.js';

const folder = sharedFolder();
const [model, uncalibrated] = [join(folder, 'model.recal'), join(folder, 'uncalibrated.recal')];

beforeAll(async () => {
  const store = await driftingWorld(folder);
  const config = resolveTrainingConfig({ epochs: 1, textEpochs: 1, textDimension: 4, window: 30 });
  const selection = { split: 'train' };
  const { model: trained } = await trainModel({ store, config, selection });
  const graphs = await SplitGraphs.open(store, selection, trained);
  const { evidence } = resolveDetectionConfig('recal');
  const detector = await Detector.fit(trained, graphs, { reference: 1000, evidence, unit: 'episode' });
  await writeModelFile(uncalibrated, trained, encodeDetector(detector.state));
  const benign = await detector.graphsOf(store, { split: 'calibrate' });
  await detector.calibrate(benign, resolveDetectionConfig('recal', { evidence: ['name', 'distance'] }));
  await writeModelFile(model, trained, encodeDetector(detector.state));
  await detector.close();
});

const run = (line: string, file = model) =>
  runHere(['drift', '--model', file, '--quiet', ...line.split(' ').filter((word) => word !== '')], {
    cwd: folder,
    env: { LANG: 'C.UTF-8', RECAL_STORE: join(folder, 'store'), RECAL_THREADS: '1' },
  });

describe('recal drift', () => {
  test('verdict, what was kept out, news, and the relations by move', async () => {
    const { code, stdout, stderr } = await run('--split same');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^steady: none of \d+ relations has become much more unusual.*\n {2}keep the model .*\n\n/,
    );
    expect(stdout).toMatch(/^compared +\d+ instances in \d+ graphs, 0\.\d+ host-days; \d+ relations, /m);
    expect(stdout).toMatch(/^left out +\d+ instances with a score of [\d.]+ or more \(budget:5\/day; /m);
    expect(stdout).toMatch(/^new +0\.0 % of the interactions/m);
    expect(stdout).toMatch(/^evidence +relation +role +now +nodes +then +distance +p \(nominal\) +>p90/m);
    expect(stdout).toMatch(
      /^name +- +subject +\d+ +\d+ +\d+ +[+-]0\.\d{3} +\S+ +\d+\.\d % +\d+\.\d % +steady$/m,
    );
  });

  test('--json: the report; by default what came after calibration', async () => {
    const [all, same] = [await run('--json'), await run('--split same --json --level 0.2')];
    expect([all.code, all.stderr]).toEqual([0, '']);
    const [report, one] = [JSON.parse(all.stdout), JSON.parse(same.stdout)];
    expect(report).toMatchObject({ model, level: 0.01, leftOut: [], quarantine: { rule: 'budget:5/day' } });
    expect(report.counts.instances).toBeGreaterThan(2 * one.counts.instances);
    expect(one.level).toBe(0.2);
    expect(BigInt(report.calibration.firstTs)).toBeLessThan(BigInt(report.calibration.lastTs));
  });

  test('what cannot be', async () => {
    expect((await run('--split same --level 1')).code).toBe(2);
    expect(await run('--split same --json', uncalibrated)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"not-calibrated"'),
    });
    expect((await run('--from 2040-01-01 --json')).stdout).toContain('"nothing-selected"');
  });
});

test('hostile names, what was left out, and a change with its date', async () => {
  const report = JSON.parse((await run('--split same --json')).stdout) as DriftReport;
  const hostile = '\u001b[2J\u202eevil\n';
  const changed: DriftReport = {
    ...report,
    leftOut: [{ kind: 'reconstruction', why: 'the gate' }],
    rows: report.rows.map((row) => ({ ...row, relation: hostile })),
    novelty: {
      interactions: 100,
      newRelation: 3,
      more: 2,
      relations: [{ name: hostile, interactions: 3 }],
      names: [{ type: 'process', nodes: 4, unknown: 1, examples: [hostile] }],
    },
    change: {
      ...report.change,
      since: { ns: '0', iso: '2018-04-06T10:00:00.000000000Z' },
      reached: { ns: '1', iso: '2018-04-06T12:00:00.000000000Z' },
    },
  };
  const lines = [...renderDrift(changed, { width: Infinity, unicode: true })];
  expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const text = lines.join('\n');
  expect(text).toMatch(/^skipped +reconstruction: the gate$/m);
  expect(text).toMatch(/^change +since 2018-04-06 10:00:00, significant from 2018-04-06 12:00:00 /m);
  expect(text).toMatch(/^new +3\.0 % of the interactions .* ×3 and 2 more$/m);
  expect(text).toMatch(/^names +25\.0 % of 4 process names are new since training, such as /m);
});
