import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../src/simulate/options.js';
import { simulate } from '../../src/simulate/simulate.js';
import { contents, makeSimulation, removeSimulations } from './simulations.js';

afterAll(removeSimulations);

describe('simulate', () => {
  it.each(SCENARIOS)('writes the same bytes for the same seed: %s', async (scenario) => {
    const first = await makeSimulation({ scenario, events: 30_000, seed: 5 });
    const zone = process.env.TZ;
    process.env.TZ = 'Pacific/Kiritimati';
    const second = await makeSimulation({ scenario, events: 30_000, seed: 5 });
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    const [a, b] = [await contents(first.directory), await contents(second.directory)];
    expect([...a.keys()]).toEqual([...b.keys()]);
    for (const [name, bytes] of a) expect(bytes.equals(b.get(name) as Buffer), name).toBe(true);
  });

  it('writes other bytes for another seed', async () => {
    const first = await contents(
      (await makeSimulation({ scenario: 'demo', events: 30_000, seed: 5 })).directory,
    );
    const second = await contents(
      (await makeSimulation({ scenario: 'demo', events: 30_000, seed: 6 })).directory,
    );
    for (const name of ['train.json', 'test.json', 'labels.csv']) {
      expect(first.get(name)?.equals(second.get(name) as Buffer), name).toBe(false);
    }
  });

  it('reaches the number of events, 60,000 for the demo', async () => {
    const { manifest } = await makeSimulation({ scenario: 'demo' });
    expect(Math.abs(manifest.events - 60_000)).toBeLessThan(1_200);
    expect(manifest.hosts[0]?.attacks.length).toBeGreaterThanOrEqual(2);
  });

  it('gives each of several hosts its own folder, and attacks every third', async () => {
    const { directory, manifest } = await makeSimulation({ scenario: 'demo', events: 20_000, hosts: 4 });
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

  it('reports progress and stops on a signal', async () => {
    const seen: number[] = [];
    await simulate(
      {
        scenario: 'demo',
        events: 60_000,
        out: (await makeSimulation({ scenario: 'demo', events: 20_000 })).directory,
      },
      (p) => seen.push(p.events),
    );
    expect(seen.length).toBeGreaterThan(1);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);

    const controller = new AbortController();
    const { directory } = await makeSimulation({ scenario: 'demo', events: 20_000 });
    await expect(
      simulate(
        { scenario: 'demo', events: 200_000, out: join(directory, 'stopped') },
        () => controller.abort(),
        controller.signal,
      ),
    ).rejects.toThrow(/abort/i);
    await expect(readFile(join(directory, 'stopped', 'scenario.json'))).rejects.toThrow('ENOENT');
  });

  it.each([
    [{ scenario: 'windows' }, "scenario 'windows'"],
    [{ scenario: 'demo', stealth: 2 }, 'stealth'],
    [{ scenario: 'demo', events: 10 }, 'events'],
    [{ scenario: 'demo', seed: 0.5 }, 'seed'],
    [{ scenario: 'demo', layout: 'e3' }, 'e3'],
    [{ scenario: 'demo', hosts: 0 }, 'hosts'],
    [{ scenario: 'demo', format: 'xml' }, "format 'xml'"],
    [{ scenario: 'demo', attacks: 'train' }, "attacks 'train'"],
    [{ scenario: 'demo', drift: 2 }, 'drift'],
    [{ scenario: 'demo', days: [7, 7, 0] }, 'days'],
    [{ scenario: 'demo', days: [7, 90, 7] }, '100'],
    [{ scenario: 'linux-desktop', layout: 'e3', days: [7, 7, 7] }, 'e3'],
    [{ scenario: 'linux-desktop', layout: 'e3', drift: 0.5 }, 'e3'],
  ])('rejects %j', async (options, datum) => {
    const run = simulate({ out: tmpdir(), ...options } as Parameters<typeof simulate>[0]);
    await expect(run).rejects.toMatchObject({
      code: 'simulate-config',
      message: expect.stringContaining(datum),
      hint: expect.any(String),
      exit: 2,
    });
  });
});
