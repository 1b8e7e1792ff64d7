import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recal } from '../recal-process.js';

const folder = mkdtempSync(join(tmpdir(), 'recal-simulate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('recal simulate', () => {
  it('writes the same bytes for the same seed, and others for another', async () => {
    const world = async (name: string, seed: string): Promise<Map<string, string>> => {
      const out = join(folder, name);
      const options = ['--scenario', 'demo', '--events', '20000', '--seed', seed, '--out', out, '--json'];
      const { code, stdout } = await recal(['simulate', ...options]);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ scenario: 'demo', seed: Number(seed) });
      return new Map(readdirSync(out).map((file) => [file, readFileSync(join(out, file), 'latin1')]));
    };
    const [first, again, other] = [await world('a', '5'), await world('b', '5'), await world('c', '6')];
    expect([...first.keys()]).toContain('labels.csv');
    expect(again).toEqual(first);
    expect(other.get('test.json')).not.toBe(first.get('test.json'));
  });

  it('writes a benign host that changes, over the days asked for', async () => {
    const out = join(folder, 'drifting');
    const benign = ['--attacks', 'none', '--unusual', 'none', '--drift', '0.5', '--days', '2,1,1'];
    const asked = ['--scenario', 'demo', '--events', '20000', '--out', out, ...benign];
    const { code, stdout } = await recal(['simulate', ...asked]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/test\.json +test +2025-03-06T00:00:00/);
    expect(stdout).not.toMatch(/attack +what/);
    const manifest = JSON.parse(readFileSync(join(out, 'scenario.json'), 'utf8'));
    expect(manifest).toMatchObject({ attacks: 'none', unusual: 'none', drift: 0.5, days: [2, 1, 1] });
    const wrong = await recal(['simulate', ...asked, '--days', '2,1']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/7,7,14/);
  });

  it('says what is wrong with its options', async () => {
    const wrong = await recal(['simulate', '--scenario', 'windows', '--out', join(folder, 'x')]);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/freebsd-server/);
    const small = await recal([
      'simulate',
      '--scenario',
      'demo',
      '--events',
      '10',
      '--out',
      join(folder, 'x'),
    ]);
    expect(small.code).toBe(2);
    expect(small.stderr).toMatch(/hint: /);
  });
});
