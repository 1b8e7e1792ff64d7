import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeSmallWorld } from '../../../evaluate/small-world.js';
import { runHere } from '../../run-here.js';

let folder: string;
beforeAll(async () => {
  folder = await writeSmallWorld();
});

const path = (name: string) => join(folder, name);

const run = (line: string) =>
  runHere(['sweep', ...line.split(' ')], {
    cwd: folder,
    env: {
      RECAL_THREADS: '1',
      RECAL_EPOCHS: '1',
      RECAL_TEXT_EPOCHS: '1',
      RECAL_WINDOW: '60',
      RECAL_TEXT_DIMENSION: '4',
      RECAL_ROUNDS: '2',
      LANG: 'C.UTF-8',
    },
  });

const parts = () =>
  `--train ${path('train.ndjson')} --calibrate ${path('calibrate.ndjson')} --test ${path('test.ndjson')} --labels ${path('labels.csv')} --seeds 0`;

describe('recal sweep', () => {
  test('a row a trial, and a second run has nothing to do', async () => {
    const out = path('swept');
    const first = await run(`fusion=fisher,max ${parts()} --variants recal --out ${out}`);
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('trial 2 of 2: fusion=max\n');
    expect(first.stdout).toMatch(/configuration +variant +seeds +steps +F1 +FPR % +AP +oracle F1 +AUROC/);
    expect(first.stdout).toMatch(/\nfusion=max +recal +1 +2 +\d\.\d{3} +\d+\.\d{4} +\d\.\d{3}/);
    expect(first.stdout).toContain('2 trials, 0 of them finished earlier');
    expect(readdirSync(out).sort()).toEqual(['report.html', 'sweep.json', 'trials']);
    const summary = JSON.parse(readFileSync(join(out, 'sweep.json'), 'utf8'));
    expect(summary.trials[0].variants.recal.steps).toBe(2);
    for (const { file } of summary.trials) expect(existsSync(join(out, file))).toBe(true);

    const second = await run(`fusion=fisher,max ${parts()} --variants recal --json --out ${out}`);
    expect(second.stderr).toContain('trial 1 of 2: fusion=fisher (finished earlier)');
    const answer = JSON.parse(second.stdout);
    expect(answer.known).toBe(2);
    expect(answer.trials).toEqual(summary.trials);
  });

  test.each([
    ['fusoin=max', 'sweep-config', "'fusion'"],
    ['fusion=maximum', 'sweep-config', 'fusion'],
    ['gamma=0 --variants nobody', 'unknown-variant', 'nobody'],
  ])('%s is refused with %s before anything is read', async (given, error, detail) => {
    const { code, stdout, stderr } = await run(`${given} ${parts()} --out ${path('none')} --json`);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: error } });
    expect(stderr).toContain(detail);
    expect(existsSync(path('none'))).toBe(false);
  });
});
