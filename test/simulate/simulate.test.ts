import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../src/simulate/options.js';
import { simulate } from '../../src/simulate/simulate.js';
import { contents, makeWorld, removeWorlds } from './worlds.js';

afterAll(removeWorlds);

describe('simulate', () => {
  it.each(SCENARIOS)('writes the same bytes for the same seed: %s', async (scenario) => {
    const first = await makeWorld({ scenario, events: 30_000, seed: 5 });
    const zone = process.env.TZ;
    process.env.TZ = 'Pacific/Kiritimati';
    const second = await makeWorld({ scenario, events: 30_000, seed: 5 });
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    const [a, b] = [await contents(first.directory), await contents(second.directory)];
    expect([...a.keys()]).toEqual([...b.keys()]);
    for (const [name, bytes] of a) expect(bytes.equals(b.get(name) as Buffer), name).toBe(true);
  });

  it('writes something else for another seed', async () => {
    const first = await contents((await makeWorld({ scenario: 'demo', events: 30_000, seed: 5 })).directory);
    const second = await contents((await makeWorld({ scenario: 'demo', events: 30_000, seed: 6 })).directory);
    for (const name of ['train.json', 'test.json', 'labels.csv']) {
      expect(first.get(name)?.equals(second.get(name) as Buffer), name).toBe(false);
    }
  });

  it('hits the number of events asked for, and the demo has its 60,000', async () => {
    const { manifest } = await makeWorld({ scenario: 'demo' });
    expect(Math.abs(manifest.events - 60_000)).toBeLessThan(1_200);
    expect(manifest.hosts[0]?.attacks.length).toBeGreaterThanOrEqual(2);
  });

  it('gives each host of a fleet its own directory, and attacks a third of them', async () => {
    const { directory, manifest } = await makeWorld({ scenario: 'demo', events: 20_000, hosts: 4 });
    expect(manifest.hosts.map((host) => host.directory)).toEqual([
      'host-01',
      'host-02',
      'host-03',
      'host-04',
    ]);
    expect(manifest.hosts.map((host) => host.attacks.length > 0)).toEqual([true, false, false, true]);
    expect(new Set(manifest.hosts.map((host) => host.uuid)).size).toBe(4);
    const first = await readFile(join(directory, 'host-01', 'train.json'));
    const second = await readFile(join(directory, 'host-02', 'train.json'));
    expect(first.equals(second)).toBe(false);
    const labels = (await readFile(join(directory, 'labels.txt'), 'utf8')).trim().split('\n');
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('reports progress and stops when told to', async () => {
    const seen: number[] = [];
    await simulate(
      {
        scenario: 'demo',
        events: 60_000,
        out: (await makeWorld({ scenario: 'demo', events: 20_000 })).directory,
      },
      (p) => seen.push(p.events),
    );
    expect(seen.length).toBeGreaterThan(1);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);

    const controller = new AbortController();
    const { directory } = await makeWorld({ scenario: 'demo', events: 20_000 });
    await expect(
      simulate(
        { scenario: 'demo', events: 200_000, out: join(directory, 'stopped') },
        () => controller.abort(),
        controller.signal,
      ),
    ).rejects.toThrow(/abort/i);
    // No manifest: nobody mistakes it for a finished world.
    await expect(readFile(join(directory, 'stopped', 'scenario.json'))).rejects.toThrow('ENOENT');
  });

  it.each([
    [{ scenario: 'windows' }, /scenario 'windows' is not known/],
    [{ scenario: 'demo', stealth: 2 }, /between 0 and 1/],
    [{ scenario: 'demo', events: 10 }, /whole number from 20000/],
    [{ scenario: 'demo', seed: 0.5 }, /whole number/],
    [{ scenario: 'demo', layout: 'e3' }, /no e3 layout/],
    [{ scenario: 'demo', hosts: 0 }, /whole number from 1/],
    [{ scenario: 'demo', format: 'xml' }, /format 'xml'/],
    [{ scenario: 'demo', attacks: 'train' }, /attacks 'train'/],
    [{ scenario: 'demo', drift: 2 }, /drift must be between 0 and 1/],
    [{ scenario: 'demo', days: [7, 7, 0] }, /three whole numbers/],
    [{ scenario: 'demo', days: [7, 90, 7] }, /at most 100 together/],
    [{ scenario: 'linux-desktop', layout: 'e3', days: [7, 7, 7] }, /own dates/],
    [{ scenario: 'linux-desktop', layout: 'e3', drift: 0.5 }, /own dates/],
  ])('refuses %j', async (options, message) => {
    await expect(simulate({ out: tmpdir(), ...options } as Parameters<typeof simulate>[0])).rejects.toThrow(
      message,
    );
  });
});
