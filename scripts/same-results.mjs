#!/usr/bin/env node
// Shows that a refactoring changed no result. Two steps:
//
//   node scripts/same-results.mjs run CHECKOUT OUT      runs recal of a built checkout and keeps what it wrote
//   node scripts/same-results.mjs compare OLD NEW       compares two such folders, number by number
//
// It covers the demo (seeds 0 to 2), a simulated host of each kind under both profiles, and CADETS E1 where
// ../shared/data stands beside the clone. Sentences and model tables that are no longer stored may differ; models,
// scores, ids and order may not.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const E1 = resolve(import.meta.dirname, '../../shared/data/cadets-e1');
const SCENARIOS = ['demo', 'freebsd-server', 'linux-desktop', 'linux-workstation'];
const PROFILES = ['recal', 'paper'];

/** Text that may be reworded, seconds, and the paths of label files. Everything else in a record is compared. */
const NOT_COMPARED = new Set(['sentence', 'because', 'note', 'notes', 'timings', 'file']);

const [command, first, second] = process.argv.slice(2);
if (command === 'run' && second !== undefined) run(resolve(first), resolve(second));
else if (command === 'compare' && second !== undefined) compare(resolve(first), resolve(second));
else {
  console.error('usage: same-results.mjs run CHECKOUT OUT | same-results.mjs compare OLD NEW');
  process.exitCode = 2;
}

function run(checkout, out) {
  mkdirSync(out, { recursive: true });
  const recal = (...args) => {
    console.log(`recal ${args.join(' ')}`);
    execFileSync(process.execPath, [join(checkout, 'dist/cli/main.js'), ...args, '--quiet'], { cwd: out });
  };
  for (const seed of [0, 1, 2]) recal('demo', '--seed', String(seed), '--out', `demo-${seed}`);
  for (const scenario of SCENARIOS) {
    recal(
      'simulate',
      '--scenario',
      scenario,
      '--events',
      '60000',
      '--seed',
      '3',
      '--out',
      `${scenario}-world`,
    );
    const log = (part) => `${scenario}-world/${part}.json`;
    learnAndDetect(recal, scenario, log, (profile) => (profile === 'paper' ? 20 : 5));
    rmSync(join(out, `${scenario}-world`), { recursive: true });
  }
  if (!existsSync(E1)) {
    console.log('CADETS E1 left out: ../shared/data/cadets-e1 is not there');
    return;
  }
  const log = (part) => join(E1, `ta1-cadets-e1-stretch.${part}.json.gz`);
  learnAndDetect(recal, 'e1', log, (profile) => (profile === 'paper' ? 20 : 50));
  const parts = ['train', 'calibrate', 'test'].flatMap((part) => [`--${part}`, log(part)]);
  const labels = ['--labels', join(E1, 'labels.test.csv'), '--tier', 'core'];
  recal('evaluate', ...parts, ...labels, '--seeds', '0', '--epochs', '10', '--out', 'e1-evaluate');
}

function learnAndDetect(recal, name, log, epochs) {
  for (const part of ['train', 'calibrate', 'test'])
    recal('ingest', log(part), '--store', `${name}-store`, '--append', '--as', part);
  for (const profile of PROFILES) {
    const model = `${name}-${profile}.recal`;
    const store = ['--store', `${name}-store`, '--model', model];
    const budget = ['--profile', profile, '--epochs', String(epochs(profile)), '--seed', '3'];
    recal('train', ...store, '--split', 'train', '--calibrate-split', 'calibrate', ...budget);
    recal('detect', ...store, '--split', 'test', '--out', `${name}-${profile}`);
  }
}

function compare(old, now) {
  const runs = [0, 1, 2].map((seed) => [`demo-${seed}/model.recal`, `demo-${seed}/alerts`]);
  for (const name of [...SCENARIOS, 'e1']) {
    for (const profile of PROFILES) runs.push([`${name}-${profile}.recal`, `${name}-${profile}`]);
  }
  let different = 0;
  const check = (what, problems) => {
    if (problems.length > 0) different++;
    console.log(`${problems.length === 0 ? 'same' : 'DIFFERENT'}  ${what}`);
    for (const problem of problems.slice(0, 5)) console.log(`    ${problem}`);
  };
  for (const [model, alerts] of runs) {
    if (!existsSync(join(old, model))) {
      console.log(`left out  ${model}`);
      continue;
    }
    check(model, compareModels(join(old, model), join(now, model)));
    for (const file of ['alerts.jsonl', 'incidents.jsonl']) {
      const name = join(alerts, file);
      const [before, after] = [old, now].map((folder) => readLines(join(folder, name)));
      check(`${name}: ${before.length} records`, differences(before, after));
    }
  }
  if (existsSync(join(old, 'e1-evaluate'))) {
    const name = 'e1-evaluate/scores.csv';
    const [before, after] = [old, now].map((folder) => readFileSync(join(folder, name), 'utf8').split('\n'));
    check(`${name}: ${before.length} lines`, differences(before, after));
    const figures = [old, now].map((folder) => readFigures(join(folder, 'e1-evaluate/result.json')));
    check('e1-evaluate/result.json', differences(figures[0], figures[1]));
  }
  process.exitCode = different === 0 ? 0 : 1;
  console.log(different === 0 ? 'no difference' : `${different} differences`);
}

function readLines(path) {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/** The figures of an evaluation without what depends on the clock or on the folder it ran in. */
function readFigures(path) {
  const drop = new Set([
    'seconds',
    'stages',
    'peakBytes',
    'peakMemory',
    'memory',
    'machine',
    'recal',
    'files',
    'efficiency',
  ]);
  return JSON.parse(readFileSync(path, 'utf8'), (key, value) => (drop.has(key) ? undefined : value));
}

/** Where two values differ, wording aside. */
function differences(a, b, path = '') {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) {
    return Object.is(a, b) ? [] : [`${path}: ${JSON.stringify(a)} became ${JSON.stringify(b)}`];
  }
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) =>
    NOT_COMPARED.has(key) ? [] : differences(a[key], b[key], `${path}/${key}`),
  );
}

/** Tensors by name and content. A table that is no longer stored is not a difference; a new or changed one is. */
function compareModels(old, now) {
  const [before, after] = [readTensors(old), readTensors(now)];
  return Object.keys(after)
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${before[name] === undefined ? 'new' : 'changed'}`);
}

function readTensors(path) {
  const bytes = readFileSync(path);
  const length = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString('utf8'));
  const tensors = Object.entries(header).filter(([name]) => name !== '__metadata__');
  return Object.fromEntries(
    tensors.map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [from, to],
        },
      ]) => {
        const data = bytes.subarray(8 + length + from, 8 + length + to);
        return [name, `${dtype} ${shape} ${createHash('sha256').update(data).digest('hex')}`];
      },
    ),
  );
}
