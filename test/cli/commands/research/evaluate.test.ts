import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { thisProcess } from '../../../../src/base/files/running-process.js';
import { evaluationSchema } from '../../../../src/evaluate/result-schema.js';
import { WorkFolder } from '../../../../src/evaluate/work-folder.js';
import { ingestFiles } from '../../../../src/store/ingest.js';
import { writeSmallWorld } from '../../../evaluate/small-world.js';
import { type HereOptions, runHere } from '../../run-here.js';

let folder: string;
beforeAll(async () => {
  folder = await writeSmallWorld();
});

const path = (name: string) => join(folder, name);

const run = (line: string, onText?: HereOptions['onText']) =>
  runHere(['evaluate', ...line.split(' ')], {
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
    onText,
  });

const parts = () =>
  `--train ${path('train.ndjson')} --calibrate ${path('calibrate.ndjson')} --test ${path('test.ndjson')} --labels ${path('labels.csv')}`;

describe('recal evaluate', () => {
  test('a row a variant, the files, and nothing left behind', async () => {
    const { code, stdout, stderr } = await run(
      `${parts()} --variants recal,rarity --seeds 0-1 --threshold fpr:0.02 --out ${path('one')}`,
    );
    expect(stderr).toMatch(/seed 0: recal done in .* \(about .* left\)\n/);
    expect(stderr).toMatch(/seed 1: rarity done in/);
    expect(stdout).toMatch(/^protocol honest, matching node: 4 of [\d,]+ nodes are labelled \(\d\.\d+ %\)\n/);
    expect(stdout).toMatch(
      /variant +attacks +false incidents +incidents +nodes +AP +AUROC +F1 +precision +recall +oracle F1 +gap/,
    );
    expect(stdout).toMatch(/\nrecal +\d.* ± \d/);
    expect(stdout).toMatch(/\nrarity +2 ± 0\/2 .* 1\.000 ± 0\.000 \(4\/4\)/);
    expect(stdout).toMatch(/\nnote: rarity: no random numbers/);
    expect(code).toBe(0);
    expect(readdirSync(path('one')).sort()).toEqual(['report.html', 'result.json', 'scores.csv']);
    const result = JSON.parse(readFileSync(path('one/result.json'), 'utf8'));
    expect(evaluationSchema.safeParse(result).success).toBe(true);
    expect(result.complete).toBe(true);
    expect(result.versions.recal).toMatch(/^\d+\.\d+\.\d+/);
  });

  test('--json prints what result.json holds', async () => {
    const { stdout, stderr } = await run(
      `${parts()} --variants rarity --seeds 3 --quiet --json --out ${path('two')}`,
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(path('two/result.json'), 'utf8')));
  });

  test('Ctrl-C leaves the seeds that are finished', async () => {
    const { code, stdout } = await run(
      `${parts()} --variants rarity,recal --seeds 0-1 --out ${path('three')}`,
      (text, signals) => {
        if (text.startsWith('seed 0: recal done')) signals.emit('SIGINT');
      },
    );
    expect(code).toBe(130);
    expect(stdout).toMatch(/note: stopped before the end; .*: rarity 2 of 2, recal 1 of 2\n/);
    const { variants, complete } = JSON.parse(readFileSync(path('three/result.json'), 'utf8'));
    expect(complete).toBe(false);
    expect(variants.recal.seeds).toHaveLength(1);
    expect(readdirSync(path('three')).filter((name) => name.startsWith('.parts'))).toEqual([]);
  });

  test('logs that another run has read are in no figure, whether it was killed or goes on', async () => {
    const given = (out: string) => `${parts()} --variants rarity --seeds 0 --json --out ${path(out)}`;
    const figuresOf = ({ stdout }: { stdout: string }) => {
      const { variants, data } = JSON.parse(stdout);
      return { data, mean: variants.rarity.mean };
    };
    const alone = figuresOf(await run(given('alone')));
    // The same log under another content, so that it would be taken for more of the test.
    const other = path('other.ndjson');
    writeFileSync(other, `\n${readFileSync(path('test.ndjson'), 'utf8')}`);
    const running = new WorkFolder(path('mixed'));
    const [alive, killed] = [await running.path(), path('mixed/.parts-killed')];
    const folders = [alive, killed, path('mixed/.parts')];
    for (const at of folders) {
      await ingestFiles([other], { store: join(at, 'store'), split: 'test', threads: 0 });
    }
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(killed, 'owner.json'), JSON.stringify({ ...thisProcess(), pid, began: undefined }));

    const mixed = await run(given('mixed'));
    expect(figuresOf(mixed)).toEqual(alone);
    expect(mixed.stderr).toContain(`removed ${killed}`);
    expect(mixed.stderr).toContain(`process ${process.pid}`);
    expect(mixed.stderr).toContain(`remove ${alive}`);
    expect(folders.map((at) => existsSync(join(at, 'store')))).toEqual([true, false, true]);
    expect(readdirSync(path('mixed')).filter((name) => name.startsWith('.parts'))).toHaveLength(2);
  });

  test.each([
    ['--variants recall', 'unknown-variant', "'recal'"],
    ['--seeds 4-0', 'seeds-invalid', '0-4'],
    ['--threshold budget:0/day', 'threshold-invalid', 'budget:1/week'],
    ['--protocol best', 'settings-invalid', 'honest'],
  ])('%s is refused with %s before anything is read', async (given, error, detail) => {
    const { code, stdout, stderr } = await run(`${parts()} ${given} --out ${path('none')} --json`);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: error } });
    expect(stderr).toContain(detail);
    expect(existsSync(path('none'))).toBe(false);
  });

  test('parts out of order are refused, and allowed when asked for', async () => {
    const turned = `--train ${path('test.ndjson')} --calibrate ${path('calibrate.ndjson')} --test ${path('train.ndjson')}`;
    writeFileSync(path('some.txt'), 'AAAAAAAA-0000-4000-8000-000000000001\n');
    const rest = `--labels ${path('some.txt')} --variants rarity --seeds 0`;
    const refused = await run(`${turned} ${rest} --out ${path('four')} --json`);
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'not-chronological' } });
    const allowed = await run(`${turned} ${rest} --allow-past --out ${path('four')}`);
    expect(allowed.code).toBe(0);
    expect(allowed.stderr).toContain('warning: the calibrate split begins at');
    expect(allowed.stdout).toContain('also occur in training');
  });

  test('labels that are empty, and labels of nobody', async () => {
    writeFileSync(path('empty.txt'), '# none\n');
    const given = parts().replace('labels.csv', 'empty.txt');
    const empty = await run(`${given} --variants rarity --out ${path('five')} --json`);
    expect(JSON.parse(empty.stdout)).toMatchObject({ error: { code: 'labels-empty' } });
    writeFileSync(path('nobody.txt'), 'nobody\n');
    const other = parts().replace('labels.csv', 'nobody.txt');
    const { code, stdout } = await run(`${other} --variants rarity --out ${path('five')} --json`);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'labels-no-match' } });
  });
});
