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
  test('prints mask rate and loss of each relation and writes the model', async () => {
    const { code, stdout, stderr } = await run(`train --model ${path('one')} --epochs 2`);
    expect(stderr).toMatch(/\d graphs, [\d,]+ nodes, \d+ relations, \d+ features per node, about [\d.]+ MiB/);
    expect(stderr).toMatch(/epoch 1 of 2: loss \d+\.\d+, masked 0\.\d+, highest EVENT_/);
    expect(stdout).toMatch(/relation +events +mask rate +first loss +last loss\n/);
    expect(stdout).toMatch(/EVENT_READ +[\d,]+ +0\.\d{4} +\d\.\d{4} +\d\.\d{4}\n/);
    expect(stdout).toMatch(
      /\n2 of 2 epochs over \d+ graphs \(\d+ steps\) in .*\ncalibrated on [\s\S]*\nmodel [0-9a-f]{12} written to /,
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

  test('--set fusion=brown reports how many pairs have a covariance', async () => {
    const brown = `train --model ${path('brown')} --epochs 1 --set fusion=brown`;
    const little = await run(brown);
    expect(little.stdout).toMatch(/\ncalibrated on .*\nbrown: too few co-occurring pairs .*; using Fisher\n/);
    const { stdout } = await run(`${brown} --calibrate-split train`);
    expect(stdout).toMatch(/\nbrown: [1-9]\d* of [\d,]+ pairs of evidence have their own covariance/);
  });

  test('Ctrl-C leaves a model and a checkpoint; --resume gives the same model as one run', async () => {
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

  test('warns if too much is masked', async () => {
    const { stderr } = await run(
      `train --model ${path('six')} --epochs 1 --set maskBase=1 --set maskMin=0.95 --set maskMax=1`,
    );
    expect(stderr).toMatch(/warning: \d+ % of the nodes are masked/);
  });

  test('warns if a store has several splits and none is selected', async () => {
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
    ['train', 'settings-missing', '--model'],
    ['train --model x --epochs 0', 'settings-invalid', '--epochs'],
    ['train --model x --set encoder=gat', 'settings-invalid', 'additive, rgat'],
    ['train --model x --encoder rgat', 'usage-moved-option', '--set encoder='],
    ['train --model x --from yesterday', 'settings-invalid', '2018-04-06T10:00:00Z'],
    ['train --model x --split none', 'no-split', 'none'],
    ['train --model x --host none', 'nothing-selected', '--host none'],
    ['train --model x --to 2000-01-01', 'nothing-selected', '--to 2000-01-01T00:00:00'],
    ['train --model x --from 2026-01-02 --to 2026-01-01', 'nothing-selected', '--from must be before --to'],
    ['train --model x --set maskMin=0.9 --set maskMax=0.1', 'training-config', 'maskMin'],
    ['train --model no/where', 'model-place', 'no'],
    ['train --model /', 'model-place', '/'],
    ['train --model x --resume', 'no-checkpoint', 'x.checkpoint'],
    ['train --model x --no-calibrate --calibrate-split train', 'usage-calibrate', '--calibrate-split'],
    ['train --model x --split train --calibrate-split train', 'usage-calibrate', 'train'],
    ['train --model x --set maskBase=0 --set maskMin=0', 'training-config', 'maskBase'],
    ['train --model x --set halfLife=1e-320', 'settings-invalid', '0.001'],
  ])('%s fails with %s', async (line, error, detail) => {
    const { code, stdout, stderr } = await run(`${line} --json`);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: error } });
    expect(stderr).toContain(detail);
  });

  test('a folder in the place of the checkpoint fails before training', async () => {
    mkdirSync(path('taken.checkpoint'));
    const { code, stderr } = await run(`train --model ${path('taken')}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('taken.checkpoint is a folder')]);
  });

  test('a model that does not fit the memory is refused', async () => {
    const { code, stderr } = await run(
      `train --model ${path('x')} --memory 64 --no-calibrate --set encoder=rgat --epochs 1`,
    );
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\d+ relations.* 64\.0 MiB/)]);
  });

  test('--resume refuses fewer epochs, other settings and another selection', async () => {
    const at = `train --model ${path('eight')} --resume`;
    await run(`train --model ${path('eight')} --epochs 3`, (text, signals) => {
      if (text.startsWith('epoch 2 of')) signals.emit('SIGINT');
    });
    for (const [line, message] of [
      ['--epochs 1', 'resume-beyond'],
      ['--epochs 3 --set textDimension=16', 'resume-differs'],
      ['--epochs 3 --no-calibrate', 'resume-differs'],
    ]) {
      const { code, stdout } = await run(`${at} ${line} --json`);
      expect([code, JSON.parse(stdout)]).toMatchObject([1, { error: { code: message } }]);
    }
    expect((await run(`${at} --epochs 3`)).stdout).toContain('loss in epoch 3');
  });

  test('training that diverges writes neither a checkpoint nor a model', async () => {
    const ended = await run(
      `train --model ${path('wild')} --epochs 3 --checkpoint-every 0 --set textRate=1 --set textEpochs=400 --set learningRate=1 --json`,
    );
    expect([ended.code, answerOf(ended)]).toMatchObject([1, { error: { code: 'training-diverged' } }]);
    expect([existsSync(path('wild')), existsSync(`${path('wild')}.checkpoint`)]).toEqual([false, false]);
  });

  test('warns if the model learned nothing', async () => {
    const lone = path('lone');
    const event = eventLine({ subj: process('p', { name: 'sh' }), obj: file('f') });
    await ingestFiles([writeLog(folder, 'lone.json', [event])], { store: lone, threads: 0 });
    const ended = await run(
      `train --store ${lone} --model ${path('nine')} --epochs 1 --set maskBase=0.001 --set maskMin=0`,
    );
    expect(ended.stderr).toMatch(/epoch 1 of 1: loss -, masked 0\.00$/m);
    expect(ended.stderr).toContain('learned nothing');
  });

  test('the help has at most 25 options; recal settings train lists the rest with their defaults', async () => {
    const { stdout: help } = await run('train --help');
    expect(help.match(/^ {2}-/gm)?.length).toBeLessThanOrEqual(25);
    expect(help).toContain('--set <KEY=VALUE>');
    expect(help.replace(/\s+/g, ' ')).toContain('(default: 5, paper: 200)');
    const { stdout } = await run('settings train --json');
    const { settings } = JSON.parse(stdout) as {
      settings: { key: string; option: string; default: string }[];
    };
    expect(settings.find(({ key }) => key === 'encoder')).toMatchObject({
      option: '--set encoder=…',
      default: 'additive, paper: rgat',
    });
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
      /^detector\.benign\.without\.0…\d+\.above +U32 +\d+ +.* each$/m,
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

  test('refuses a file that is not a model and an unknown action', async () => {
    writeFileSync(path('none'), 'not a model, but long enough to be one');
    const foreign = await run(`model show ${path('none')}`);
    expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringMatching(/^error: .*\nhint: .*\nat /)]);
    const action = await run('model shew x');
    expect([action.code, action.stderr]).toEqual([2, expect.stringContaining('recal model show')]);
  });
});
