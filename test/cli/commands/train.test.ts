import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ingestFiles } from '../../../src/store/ingest.js';
import { ROOT } from '../../built.js';
import { sharedFolder } from '../../folders.js';
import { eventLine, file, process, writeLog } from '../../store/small-logs.js';
import { type HereOptions, runHere } from '../run-here.js';

const folder = sharedFolder();
const store = join(folder, 'store');
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  const log = join(ROOT, 'examples/small-host.json.gz');
  await ingestFiles([log], { store, split: 'train', threads: 0 });
});

const run = (line: string, onText?: HereOptions['onText']) =>
  runHere(line.split(' '), {
    cwd: folder,
    env: { RECAL_STORE: store, RECAL_THREADS: '1', RECAL_TEXT_EPOCHS: '1', RECAL_WINDOW: '240' },
    onText,
  });

const sameBytes = (one: string, two: string) => readFileSync(path(one)).equals(readFileSync(path(two)));
const answerOf = (ended: { stdout: string }) => JSON.parse(ended.stdout) as Record<string, unknown>;

describe('recal train', () => {
  test('prints each relation’s mask rate and loss, and writes the model', async () => {
    const { code, stdout, stderr } = await run(`train --model ${path('one')} --epochs 2`);
    expect(stderr).toMatch(/\d graphs, [\d,]+ nodes, \d+ relations, \d+ features per node, about [\d.]+ MiB/);
    expect(stderr).toMatch(/epoch 1 of 2: loss \d+\.\d+, masked 0\.\d+, highest EVENT_/);
    expect(stdout).toMatch(/relation +events +mask rate +first loss +last loss\n/);
    expect(stdout).toMatch(/EVENT_READ +[\d,]+ +0\.\d{4} +\d\.\d{4} +\d\.\d{4}\n/);
    expect(stdout).toMatch(
      /\n2 of 2 epochs over \d+ graphs in .*\ncalibrated on [\s\S]*\nmodel [0-9a-f]{12} written to /,
    );
    expect(code).toBe(0);
    expect(existsSync(`${path('one')}.checkpoint`)).toBe(false);
  });

  test('--json, --quiet', async () => {
    const ended = await run(`train --model ${path('two')} --epochs 2 --json --quiet`);
    expect(ended.stderr).toBe('');
    const answer = answerOf(ended);
    expect(answer).toMatchObject({ complete: true, epochs: { asked: 2, done: 2 }, model: path('two') });
    expect(answer.history).toHaveLength(2);
    expect(sameBytes('two', 'one')).toBe(true); // the same training, the same bytes
  });

  test('--fusion brown says how much of it rests on covariances', async () => {
    const brown = `train --model ${path('brown')} --epochs 1 --fusion brown`;
    const little = await run(brown);
    expect(little.stdout).toMatch(
      /\ncalibrated on .*\nbrown does what fisher does: no two pieces of evidence /,
    );
    const { stdout } = await run(`${brown} --calibrate-split train`);
    expect(stdout).toMatch(
      /\nbrown: [1-9]\d* of [\d,]+ pairs of evidence have a covariance of their own, the /,
    );
  });

  test('Ctrl-C leaves a model and a checkpoint; --resume ends as if nothing had happened', async () => {
    const ended = await run(`train --model ${path('three')} --epochs 3 --json`, (text, signals) => {
      if (text.startsWith('epoch 1 of')) signals.emit('SIGINT');
    });
    expect(ended.code).toBe(130);
    expect(answerOf(ended)).toMatchObject({ complete: false, epochs: { asked: 3, done: 1 } });
    const shown = await run(`model show ${path('three')}`);
    expect(shown.stdout).toContain('1 of 3 (stopped early)');
    const resumed = await run(`train --model ${path('three')} --epochs 3 --json --resume`);
    expect(resumed.stderr).toMatch(/continuing after \d+ steps/);
    const whole = await run(`train --model ${path('four')} --epochs 3 --json`);
    expect(answerOf(resumed).id).toBe(answerOf(whole).id);
    expect(sameBytes('three', 'four')).toBe(true);
    expect(existsSync(`${path('three')}.checkpoint`)).toBe(false);
  });

  test('checkpoints are written on the way', async () => {
    let seen = false;
    await run(`train --model ${path('five')} --epochs 2 --checkpoint-every 0`, (text) => {
      if (text.startsWith('epoch 2 of')) seen = existsSync(`${path('five')}.checkpoint`);
    });
    expect(seen).toBe(true);
  });

  test('a warning where too much is masked', async () => {
    const { stderr } = await run(
      `train --model ${path('six')} --epochs 1 --mask-base 1 --mask-min 0.95 --mask-max 1`,
    );
    expect(stderr).toMatch(/warning: \d+ % of the nodes are masked/);
  });

  test('a warning where a store has several splits and none was chosen', async () => {
    const other = path('splits');
    for (const [index, split] of ['train', 'test'].entries()) {
      const event = eventLine({ subj: process('p', { name: 'sh' }), obj: file(`f${index}`) });
      const log = writeLog(folder, `${split}.json`, [event]);
      await ingestFiles([log], { store: other, split, append: true, threads: 0 });
    }
    const { code, stderr } = await run(`train --store ${other} --model ${path('seven')} --epochs 1`);
    expect([code, stderr]).toEqual([0, expect.stringContaining('has the splits test, train')]);
  });

  test.each([
    ['train', 'error: --model is required'],
    ['train --model x --epochs 0', 'option --epochs: expected at least 1'],
    ['train --model x --encoder gat', 'expected one of additive, rgat'],
    ['train --model x --from yesterday', 'expected 2018-04-06, 2018-04-06T10:00:00Z or nanoseconds'],
    ['train --model x --split none', 'the store has no split none'],
    ['train --model x --host none', 'the store contains no events for --host none'],
    ['train --model x --to 2000-01-01', 'the store contains no events for --to 2000-01-01T00:00:00'],
    ['train --model x --mask-min 0.9 --mask-max 0.1', 'maskMin: must not exceed maskMax'],
    ['train --model no/where', 'the model cannot be written: there is no folder'],
    ['train --model /', 'the model cannot be written: / is a folder'],
    ['train --model x --resume', 'there is no x.checkpoint to go on from'],
    ['train --model x --no-calibrate --calibrate-split train', 'contradict each other'],
    ['train --model x --split train --calibrate-split train', 'split train is trained on and calibrated on'],
    ['train --model x --mask-base 0 --mask-min 0', 'otherwise no node is masked'],
    ['train --model x --half-life 1e-320', 'must be 0, or at least 0.001'],
  ])('%s', async (line, message) => {
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('a folder where the checkpoint goes is known before training', async () => {
    mkdirSync(path('taken.checkpoint'));
    const { code, stderr } = await run(`train --model ${path('taken')}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('taken.checkpoint is a folder')]);
  });

  test('what does not fit into the memory is refused', async () => {
    const { code, stderr } = await run(
      `train --model ${path('x')} --memory 64 --no-calibrate --encoder rgat --epochs 1`,
    );
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\d+ relations.* 64\.0 MiB/)]);
  });

  test('--resume refuses fewer epochs than were taken, other choices and another selection', async () => {
    const at = `train --model ${path('eight')} --resume`;
    await run(`train --model ${path('eight')} --epochs 3`, (text, signals) => {
      if (text.startsWith('epoch 2 of')) signals.emit('SIGINT');
    });
    for (const [line, message] of [
      ['--epochs 1', 'beyond the'],
      ['--epochs 3 --text-dimension 16', 'other settings: textDimension'],
      ['--epochs 3 --no-calibrate', 'another selection of events: '],
    ]) {
      const { code, stderr } = await run(`${at} ${line}`);
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    expect((await run(`${at} --epochs 3`)).stdout).toContain('loss in epoch 3');
  });

  test('training that went astray is known before a checkpoint or a model is written', async () => {
    const ended = await run(
      `train --model ${path('wild')} --epochs 3 --checkpoint-every 0 --text-rate 1 --text-epochs 400 --learning-rate 1`,
    );
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('diverged')]);
    expect([existsSync(path('wild')), existsSync(`${path('wild')}.checkpoint`)]).toEqual([false, false]);
  });

  test('a warning where nothing could be learned', async () => {
    const lone = path('lone');
    const event = eventLine({ subj: process('p', { name: 'sh' }), obj: file('f') });
    await ingestFiles([writeLog(folder, 'lone.json', [event])], { store: lone, threads: 0 });
    const ended = await run(
      `train --store ${lone} --model ${path('nine')} --epochs 1 --mask-base 0.001 --mask-min 0`,
    );
    expect(ended.stderr).toMatch(/epoch 1 of 1: loss -, masked 0\.00$/m);
    expect(ended.stderr).toContain('nothing was learned');
  });

  test('help names the defaults, and what the preset paper changes', async () => {
    const { stdout } = await run('train --help');
    const help = stdout.replace(/\s+/g, ' ');
    expect(help).toContain('--gamma <γ>');
    expect(help).toContain('(default: additive, paper: rgat)');
    expect(help).toContain('--no-balanced');
  });
});

describe('recal model show', () => {
  beforeAll(async () => {
    if (!existsSync(path('one'))) await run(`train --model ${path('one')} --epochs 2`);
  });

  test('says what is inside', async () => {
    const { code, stdout } = await run(`model show ${path('one')}`);
    expect(code).toBe(0);
    for (const line of [
      /^id +[0-9a-f]{64}$/m,
      /^file +[\d.]+ MiB, version 1, SHA-256 [0-9a-f]{64}$/m,
      /^span +2\d{3}-.* to 2\d{3}-/m,
      /^epochs +2 of 2, \d+ steps$/m,
      /^calibrated +yes$/m,
      /^features +[\d,]+: 10 types, 32 text, [\d,]+ transitions$/m,
      /^gamma +0\.5$/m,
      /^weights\.decoder\.w +F32 +\d+ × \d+ × 64 /m,
      /^small-host\.json\.gz +train +[0-9a-f]{64}$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
  });

  test('as JSON', async () => {
    const { stdout } = await run(`model show ${path('one')} --json`);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      calibrated: true,
      direction: { name: 'flow' },
      config: { epochs: 2, seed: 0 },
    });
  });

  test('a file that is none, and an action that is none', async () => {
    writeFileSync(path('none'), 'not a model, but long enough to be one');
    const foreign = await run(`model show ${path('none')}`);
    expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringMatching(/^error: .*\nhint: .*\nat /)]);
    const action = await run('model shew x');
    expect([action.code, action.stderr]).toEqual([2, expect.stringContaining('recal model show FILE')]);
  });
});
