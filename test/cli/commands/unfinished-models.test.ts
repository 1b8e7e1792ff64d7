import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ingestFiles } from '../../../src/store/ingest.js';
import { ROOT } from '../../built.js';
import { sharedFolder } from '../../folders.js';
import { eventLine, file, writeLog } from '../../store/small-logs.js';
import { type HereOptions, runHere } from '../run-here.js';

const folder = sharedFolder();
const store = join(folder, 'store');
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  await ingestFiles([join(ROOT, 'examples/small-host.json.gz')], { store, threads: 0 });
});

const run = (line: string, onText?: HereOptions['onText'], env: Record<string, string> = {}) =>
  runHere(line.replace(/(--model|--out) (?!\/)/g, `$1 ${folder}/`).split(' '), {
    cwd: folder,
    env: {
      RECAL_STORE: store,
      RECAL_THREADS: '1',
      RECAL_TEXT_EPOCHS: '1',
      RECAL_WINDOW: '60',
      RECAL_EPOCHS: '2',
      ...env,
    },
    onText,
  });

describe('a model that is trained but not calibrated', () => {
  test('stopped while calibrating, is gone on from, and ends as if it had not been', async () => {
    await run('train --model whole');
    const stopped = await run('train --model stopped', (text, signals) => {
      if (text.includes('epoch 2 of 2')) signals.emit('SIGINT');
    });
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toMatch(/trained but not calibrated\n.*hint: .*--resume/);
    expect(existsSync(path('stopped.checkpoint'))).toBe(true);
    const resumed = await run('train --model stopped --resume');
    expect(resumed.stdout).toMatch(/\ncalibrated on /);
    expect(existsSync(path('stopped.checkpoint'))).toBe(false);
    expect(readFileSync(path('stopped')).equals(readFileSync(path('whole')))).toBe(true);
  });

  test('cannot detect, and is made to by recal calibrate', async () => {
    await run('train --model plain --no-calibrate --to 2025-03-05T18:00:00Z');
    const refused = await run('detect --model plain --out o');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/not calibrated\nhint: run: recal calibrate/),
    ]);
    const calibrated = await run('calibrate --model plain --from 2025-03-05T18:00:00Z');
    expect([calibrated.code, calibrated.stdout]).toEqual([0, expect.stringContaining('calibrated on ')]);
    const detected = await run('detect --model plain --from 2025-03-05T18:00:00Z --out o');
    expect([detected.code, detected.stdout]).toEqual([0, expect.stringContaining('alerts in ')]);
  });

  test('is calibrated on its own training split only with a warning', async () => {
    const own = { RECAL_STORE: path('own') };
    await ingestFiles([join(ROOT, 'examples/small-host.json.gz')], {
      store: path('own'),
      split: 'train',
      threads: 0,
    });
    await run(
      'train --model own-model --split train --to 2025-03-05T18:00:00Z --no-calibrate',
      undefined,
      own,
    );
    const after = await run(
      'calibrate --model own-model --split train --from 2025-03-05T18:00:00Z',
      undefined,
      own,
    );
    expect([after.code, after.stderr]).toEqual([0, expect.not.stringContaining('was trained on')]);
    const during = await run('calibrate --model own-model --split train', undefined, own);
    expect([during.code, during.stderr]).toEqual([0, expect.stringContaining('was trained on')]);
    const wrong = await run('calibrate --model own-model --keep-out foo', undefined, own);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/^error: unknown threshold rule/)]);
  });

  test('needs the events it was trained on', async () => {
    await run('train --model away --no-calibrate');
    const log = writeLog(folder, 'other.ndjson', [eventLine({ obj: file('f') })]);
    await ingestFiles([log], { store: path('other'), threads: 0 });
    const { code, stdout } = await run('calibrate --model away --json', undefined, {
      RECAL_STORE: path('other'),
    });
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'store-other-data' } }]);
  });
});

describe('checks before the work', () => {
  test('a file that is not a model is not overwritten; a model is', async () => {
    writeFileSync(path('notes.txt'), 'mine\n');
    const { code, stdout } = await run('train --model notes.txt --json');
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { error: { code: 'model-place' } }]);
    expect(readFileSync(path('notes.txt'), 'utf8')).toBe('mine\n');
    writeFileSync(path('empty'), '');
    expect((await run('train --model empty')).code).toBe(0);
    expect((await run('train --model empty')).code).toBe(0);
  });

  test('a file cannot be the folder of results', async () => {
    await run('train --model m');
    writeFileSync(path('file'), 'x');
    const { code, stdout } = await run(`detect --model m --out ${path('file')}/below --json`);
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { error: { code: 'out-place' } }]);
  });

  test('reports that no events follow calibration, and what the store contains', async () => {
    await run('train --model m');
    const { code, stdout, stderr } = await run('detect --model m --out o --json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'nothing-selected' } });
    expect(stderr).toMatch(/hint: .*2025-03-05T00:00/);
  });
});
