import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ONE_SEED } from '../../../src/evaluate/report/run-notes.js';
import { reportWriter } from '../../../src/evaluate/report/study-report.js';
import { evaluationSchema } from '../../../src/evaluate/result-schema.js';
import { newFolder } from '../../folders.js';
import { studyPage } from '../../report/pages.js';
import { resultOf, seedOf } from './sample-result.js';
import { CURVES, PAPER_RESULT, sampleStudy, smallStudy } from './sample-study.js';

const textOf = (page: string): string => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

/** The CSV file that the page offers under this name. */
function csvOf(page: string, name: string): string {
  const link = new RegExp(`href="data:text/csv;charset=utf-8;base64,([\\w+/=]+)" download="${name}\\.csv"`);
  return Buffer.from(link.exec(page)?.[1] ?? '', 'base64').toString();
}

describe('the page of a study', () => {
  let page: string;
  beforeAll(async () => {
    page = await studyPage(sampleStudy());
  });

  test('has the sections of the paper in its order, then further results', () => {
    const ids = [...page.matchAll(/<section id="([a-z]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([
      'caveats',
      'data',
      'relations',
      'scores',
      'main',
      'ablations',
      'sensitivity',
      'efficiency',
      'curves',
      'attacks',
      'behaviours',
      'seeds',
      'gap',
    ]);
  });

  test('has a CSV file for every drawing and every table', () => {
    const figures = [...page.matchAll(/<figure id="([\w-]+)"/g)].map(([, id]) => id);
    expect(figures.length).toBeGreaterThanOrEqual(9);
    for (const id of [
      ...figures,
      'main-table',
      'count-table',
      'ablation-table',
      'ranking-table',
      'stage-table',
      'attack-ranks',
      'attack-table',
      'behaviour-table',
      'gap-table',
      'trials',
    ]) {
      expect(page, id).toContain(`download="${id}.csv"`);
    }
    expect(csvOf(page, 'relation-counts')).toBe('label,events\r\nREAD,1400000\r\nLINK,10\r\n');
  });

  test('has the steps of training in every table of figures', () => {
    const tables = [...page.matchAll(/<div class="scroll"[^>]* id="([\w-]+)"/g)].map(([, id]) => id);
    const figures = tables.filter((id) => !['split-table', 'label-table'].includes(id));
    expect(figures.length).toBeGreaterThanOrEqual(11);
    for (const id of figures) expect(csvOf(page, id).split('\r\n')[0], id).toMatch(/\bsteps\b/);
    expect(csvOf(page, 'attack-ranks')).toMatch(/^attack,protocol,paper \(40 steps\),/);
  });

  test('shows published results in percent beside the measured ones', () => {
    const text = textOf(page);
    expect(text).toContain('MAGIC published – 94.40 99.77 97.01 0.2200');
    expect(text).toContain('RECAL published – 99.99 99.99 99.99 0.0004');
    expect(text).toMatch(/wo-cd measured, paper .* 96\.00 ± 1\.41/);
    expect(text).toContain('w/o CD paper 40 96.00 ± 1.41 96.05');
    expect(text).toContain('3 of 4 labelled nodes and 1 of 3 others');
    expect(text).toContain('CADETS has 1,452,123 nodes');
    expect(text).toMatch(/F1 \(paper, paper\) 0\.910 .* F1 \(paper, honest\) 0\.200/);
    expect(text).toContain('140,000 times as many events');
    expect(text).toContain('w/o CD is above RECAL here (F1 96.00 against 91.00, in 2 of 2 seeds)');
  });

  test('draws F1, the false positive rate in percent and AP over a swept setting', () => {
    const figures = [...page.matchAll(/<figure id="(sweep-[\w-]+)"/g)].map(([, id]) => id);
    expect(figures).toEqual(['sweep-gamma-f1', 'sweep-gamma-fpr', 'sweep-gamma-ap']);
    // F1 0.3 and 0.4: FPR 0.014 and 0.012 in the sample.
    const [, first] = csvOf(page, 'sweep-gamma-fpr').split('\r\n');
    expect(Number(first.split(',')[3])).toBeCloseTo(1.3, 6);
    const [columns, row] = csvOf(page, 'trials').split('\r\n');
    expect(columns).toBe('settings,variant,seeds,steps,F1,FPR %,AP,oracle F1,AUROC');
    expect(Number(row.split(',')[5])).toBeCloseTo(1.3, 6);
  });

  test('draws raw errors by relation before calibration, and their p-values after it', () => {
    const rows = csvOf(page, 'errors-paper').split('\r\n');
    expect(rows[1]).toMatch(/^"before calibration \(paper, seed 0\)","READ, not labelled",0\.1,/);
    expect(rows.some((row) => row.startsWith('"after calibration (paper, seed 0)","READ, labelled"'))).toBe(
      true,
    );
    // The largest error is 1.5, and the smallest p-value 0.001.
    const highest = (panel: string) =>
      Math.max(
        ...rows.filter((row) => row.startsWith(`"${panel} `)).map((row) => Number(row.split(',').at(-3))),
      );
    expect(highest('before calibration')).toBeCloseTo(1.5, 9);
    expect(highest('after calibration')).toBeCloseTo(3, 9);
    expect(textOf(page)).toContain('2 relations with fewer errors are not drawn');
    expect(page).not.toContain('kNN distance');
  });

  test('says that not all attacks are found, and prints no dash', () => {
    const table = page.slice(page.indexOf('id="attack-effort"'));
    expect(textOf(table.slice(0, table.indexOf('</table>')))).toMatch(/not all not all not all/);
  });

  test('draws the best precision at each recall', () => {
    expect(csvOf(page, 'pr-paper').split('\r\n')).toEqual([
      'curve,recall,precision,threshold',
      'paper,0.5,0.5,8',
      'paper,1,0.5,6',
      '',
    ]);
  });

  test('escapes names from labels and loads nothing', () => {
    expect(page).toContain('ssh &lt;b&gt;');
    expect(page).not.toMatch(/<script|src=|https?:\/\/(?!www\.w3\.org)/);
  });
});

test('an evaluation of other data has no published rows', async () => {
  const folder = newFolder();
  const write = async (...extras: Parameters<typeof reportWriter>) => {
    await reportWriter(...extras)(resultOf({ paper: [0.25], recal: [0.5] }), {}, folder);
    return readFile(join(folder, 'report.html'), 'utf8');
  };
  const page = await write({});
  expect(page).toMatch(/<dt>F1 \(recal, paper\)<\/dt>\s*<dd>0\.500/);
  expect(page).not.toContain('MAGIC');
  expect(page).toContain(ONE_SEED);
  expect(page).not.toContain('id="relations"');
  expect(await write({ relations: [{ name: 'READ', events: 3 }] })).toContain('id="relations"');
});

test('a rate below 1 never reads as 100.00 percent', async () => {
  const result = resultOf({ paper: [0.99999], recal: [1] });
  const text = textOf(await studyPage(smallStudy({ runs: [{ name: 'paper', result, curves: {} }] })));
  expect(text).toContain('paper measured, paper 40 &gt; 99.99 &gt; 99.99 &gt; 99.99 0.0000');
  expect(text).toContain('recal measured, paper 40 100.00 100.00 100.00 0.0000');
});

test('states no false incidents per day after a test of minutes', async () => {
  const of = async (hostDays: number) => {
    const result = resultOf({ recal: [0.5] }, { attacks: ['web'] });
    result.data.splits.test.hostDays = hostDays;
    const page = await studyPage(smallStudy({ runs: [{ name: 'own', result, curves: {} }] }));
    expect(csvOf(page, 'split-table')).toContain(`test,5000,100,4,${hostDays}\r\n`);
    return textOf(page).includes('test too short');
  };
  expect([await of(0.0125), await of(2)]).toEqual([true, false]);
});

test('times are per seed: of each variant as the paper counts, and of variants that share a model', async () => {
  const timings = { read: 9, 'paper+wo-cd: train': 8, 'paper+wo-cd: graphs': 6, 'rarity: fit': 3 };
  const result = { ...PAPER_RESULT, timings, variants: { paper: { ...PAPER_RESULT.variants.paper } } };
  const times = { prepare: 50, train: 4, graphs: 3, calibrate: 70, index: 1, embed: 1, knn: 6, masked: 1.5 };
  result.variants.paper.seeds = result.variants.paper.seeds.map((seed, i) => ({
    ...seed,
    timings: { ...times, lookup: i === 0 ? 0.3 : 0.1, fusion: 0.3 },
  }));
  const page = await studyPage(
    smallStudy({ host: 'trace', runs: [{ name: 'paper', result, curves: CURVES }] }),
  );
  expect(csvOf(page, 'inference-table').split('\r\n').slice(0, 2)).toEqual([
    'variant,steps,training,inference,kNN %,calibration and fusion %,kNN index,embedding,kNN query,masked rounds,calibration lookup,fusion',
    'paper,40,4,10,70,5,1,1,6,1.5,0.2,0.3',
  ]);
  expect(csvOf(page, 'stage-table').split('\r\n')).toEqual([
    'variants that share a model,steps,training,inference,kNN index,preparation,graph building,reference,calibration',
    '"paper, wo-cd",40,4,,,,3,,',
    'rarity,,,,,,,3,',
    '',
  ]);
  expect(textOf(page)).toContain(
    'inference 284 s, 98.9 % of it kNN; calibration and fusion are 0.5 to 2.1 %',
  );
});

test('a seed that flags no node is shown without numbers', async () => {
  const result = resultOf({ recal: [0] });
  result.variants.recal.seeds = [{ ...seedOf(0, 0), tp: 0, fp: 0, precision: null }];
  result.variants.recal.mean.precision = null;
  const page = await studyPage(smallStudy({ runs: [{ name: 'own', result, curves: {} }] }));
  expect(textOf(page)).toContain('recal measured, own 40 – 0.00');
});

test('the sample result is valid', () => {
  expect(evaluationSchema.safeParse(PAPER_RESULT).error).toBeUndefined();
});
