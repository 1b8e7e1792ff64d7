import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulate } from '../../../../src/simulate/simulate.js';
import { runHere } from '../../run-here.js';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recal-cli-reproduce-'));
  await simulate({ scenario: 'linux-desktop', layout: 'e3', events: 40_000, out: join(folder, 'e3') });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = (name: string) => join(folder, name);

async function run(line: string) {
  const env = { RECAL_THREADS: '1', RECAL_EPOCHS: '1', RECAL_TEXT_EPOCHS: '1', LANG: 'C.UTF-8' };
  return runHere(['reproduce', ...line.split(' ')], { cwd: folder, env });
}

describe('recal reproduce', () => {
  test('THEIA in file names of the release: the table, the notes, the files', async () => {
    const { code, stdout, stderr } = await run(
      `e3-theia --data ${path('e3')} --labels ${path('e3')} --variants rarity --seeds 0 --match flash-2hop --out ${path('out')}`,
    );
    expect(stderr).toContain('protocol paper, labels from');
    expect(stderr).toContain('protocol honest, labels from');
    expect(stderr).not.toContain('trains on the future');
    expect(stdout).toMatch(/variant +protocol +steps +F1 % +published +FPR % +published/);
    expect(stdout).toMatch(/\nrarity +honest +- +\d+\.\d\d +- +\d+\.\d{4} +-\n/);
    expect(stdout).toMatch(
      /variant +training s +inference s +kNN % +calibration and fusion %\nrarity +- +\d/,
    );
    expect(stdout).toContain('note: one seed only');
    expect(stdout).toContain('note: protocol paper: matching is flash-2hop');
    expect(stdout).toMatch(/note: protocol paper: all thresholds are oracle thresholds/);
    expect(code).toBe(0);
    expect(readdirSync(path('out')).sort()).toEqual([
      'honest',
      'paper',
      'report.html',
      'result.json',
      'store',
    ]);
  });

  test('missing parts, and an unknown dataset', async () => {
    const given = `--data ${path('e3')} --labels ${path('e3')} --out ${path('none')}`;
    const other = await run(`e3-trace ${given}`);
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/5 files are missing .* ta1-trace-e3-official-1\.json, .*\.json\.4/);
    expect(other.stderr).toContain('README-E3');
    const wrong = await run(`e3-thea ${given}`);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("did you mean 'e3-theia'?");
    expect(existsSync(path('none'))).toBe(false);
  });
});
