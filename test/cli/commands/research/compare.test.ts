import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeSmallWorld } from '../../../evaluate/small-world.js';
import { recal } from '../../recal-process.js';

let folder: string;
beforeAll(async () => {
  folder = await writeSmallWorld();
});

const run = (more: string) => {
  const path = (name: string) => join(folder, name);
  const splits = ['train', 'calibrate', 'test'].map((split) => `--${split} ${path(`${split}.ndjson`)}`);
  const line = `compare ${splits.join(' ')} --labels ${path('labels.csv')} --threads 1 ${more}`;
  return recal(line.split(' '), { cwd: folder, env: { RECAL_TEXT_EPOCHS: '1', LANG: 'C.UTF-8' } });
};

describe('recal compare', () => {
  test('prints a row a contestant, writes the files, and runs nothing twice', async () => {
    const out = join(folder, 'one');
    const line = `--variants rarity,threatrace --seeds 0-1 --threshold fpr:0.05 --out ${out}`;
    const first = await run(line);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(
      /^contestant +seeds +AP +AUROC +ADP +attack 0 +attack 1 +flagged +false incidents +own rule +steps/,
    );
    expect(first.stdout).toMatch(/\nrarity +1 /);
    expect(first.stdout).toMatch(
      /\nprotocol honest, matching node, threshold fpr:0.05, labels of tier all: \d+ of \d+ nodes are labelled\n/,
    );
    expect(first.stdout).toMatch(/\nthreatrace +2 .*true, .*false/);
    expect(readdirSync(out).sort()).toEqual(['compare.json', 'report.html', 'runs']);
    expect(readdirSync(join(out, 'runs'))).toHaveLength(3);
    const figures = () => JSON.parse(readFileSync(join(out, 'compare.json'), 'utf8')).contestants;
    const before = figures();
    const second = await run(line);
    expect(second.stderr).toContain('run 3 of 3: seed 1: threatrace finished earlier');
    expect(second.stderr).not.toContain('done in');
    expect(figures()).toEqual(before);
  });

  test('refuses an unknown contestant before it reads anything', async () => {
    const { code, stderr } = await run(`--variants magick --seeds 0 --out ${join(folder, 'two')}`);
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean 'magic'?");
  });
});
