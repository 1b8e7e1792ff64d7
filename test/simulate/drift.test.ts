import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scenario } from '../../src/simulate/options.js';
import {
  cdmRecords,
  contents,
  csvRows,
  lines,
  makeSimulation,
  removeSimulations,
  type TestSimulation,
} from './simulations.js';

const SMALL = {
  events: 60_000,
  seed: 4,
  days: [1, 1, 3] as const,
  attacks: 'none',
  unusual: 'none',
} as const;
const PARTS = ['train.json', 'calibrate.json', 'test.json'] as const;

afterAll(removeSimulations);

describe.each<Scenario>(['freebsd-server', 'linux-desktop', 'linux-workstation'])(
  'drift on %s',
  (scenario) => {
    let steady: TestSimulation;
    let drifting: TestSimulation;
    beforeAll(async () => {
      steady = await makeSimulation({ scenario, ...SMALL });
      drifting = await makeSimulation({ scenario, ...SMALL, drift: 1 });
    });

    const events = (simulation: TestSimulation, part: number) =>
      simulation.manifest.hosts[0]?.files[part]?.events ?? 0;

    it('changes only the test', async () => {
      const [a, b] = [await contents(steady.directory), await contents(drifting.directory)];
      for (const name of PARTS.slice(0, 2))
        expect(a.get(name)?.equals(b.get(name) as Buffer), name).toBe(true);
      expect(a.get('test.json')?.equals(b.get('test.json') as Buffer)).toBe(false);
    });

    it('gives the same bytes for the same options', async () => {
      const again = await contents((await makeSimulation({ scenario, ...SMALL, drift: 1 })).directory);
      const first = await contents(drifting.directory);
      for (const [name, bytes] of first) expect(bytes.equals(again.get(name) as Buffer), name).toBe(true);
    });

    it('adds up to half as many events, in proportion to its amount', async () => {
      expect(events(drifting, 2) / events(steady, 2)).toBeGreaterThan(1.4);
      expect(events(drifting, 2) / events(steady, 2)).toBeLessThan(1.6);
      const mild = await makeSimulation({ scenario, ...SMALL, drift: 0.2 });
      expect(events(mild, 2) / events(steady, 2)).toBeGreaterThan(1.05);
      expect(events(mild, 2) / events(steady, 2)).toBeLessThan(1.15);
      expect(mild.manifest.drift).toBe(0.2);
    });

    it('adds programs, versions and people', async () => {
      const text = (simulation: TestSimulation, name: string) =>
        contents(simulation.directory).then((all) => all.get(name)?.toString() ?? '');
      const [before, after] = [await text(drifting, 'train.json'), await text(drifting, 'test.json')];
      for (const name of ['node_exporter', 'restic', 'sshd-session', '/nora/src/main.go']) {
        expect(after.includes(name), name).toBe(true);
        expect(before.includes(name), name).toBe(false);
      }
      // The C library has a new version.
      const library = scenario === 'freebsd-server' ? /\/libc\.so\.8/ : /\/libc\.so\.7/;
      expect(before).not.toMatch(library);
      expect(after).toMatch(library);
      expect(await text(steady, 'test.json')).not.toMatch(library);
    });

    it('lists the new entities, and none without drift', async () => {
      const rows = async (simulation: TestSimulation) =>
        csvRows((await contents(simulation.directory)).get('unusual.csv')?.toString() ?? '');
      expect(await lines(steady.directory, 'unusual.csv')).toEqual(['uuid,type,name,activity']);
      expect(new Set((await rows(drifting)).map((row) => row[3]))).toEqual(
        new Set(['system-update', 'new-collector', 'new-colleague', 'collector', 'backup', 'colleague']),
      );
    });
  },
);

describe('a benign host', () => {
  it('has no attacks or labels, and the same bytes before the test', async () => {
    const attacked = await makeSimulation({ scenario: 'demo', events: 30_000 });
    const benign = await makeSimulation({ scenario: 'demo', events: 30_000, attacks: 'none' });
    expect(attacked.manifest.hosts[0]?.attacks.length).toBeGreaterThan(0);
    expect(benign.manifest.hosts[0]?.attacks).toEqual([]);
    expect(benign.manifest.attacks).toBe('none');
    expect(await lines(benign.directory, 'labels.csv')).toEqual(['uuid,type,name,attack,tier,reason']);
    for (const name of ['labels.txt', 'labels.scan.txt'])
      expect(await lines(benign.directory, name)).toEqual([]);
    const [a, b] = [await contents(attacked.directory), await contents(benign.directory)];
    for (const name of PARTS.slice(0, 2)) expect(a.get(name)?.equals(b.get(name) as Buffer), name).toBe(true);
    // Operators and upgrades are still there.
    expect((await lines(benign.directory, 'unusual.csv')).length).toBeGreaterThan(50);
  });

  it('spans the given days, from a Monday', async () => {
    const { directory, manifest } = await makeSimulation({
      scenario: 'demo',
      events: 60_000,
      days: [7, 3, 4],
    });
    const files = manifest.hosts[0]?.files ?? [];
    expect(files.map(({ from, until }) => [from.slice(0, 10), until.slice(0, 10)])).toEqual([
      ['2025-03-03', '2025-03-10'],
      ['2025-03-10', '2025-03-13'],
      ['2025-03-13', '2025-03-17'],
    ]);
    expect(manifest.days).toEqual([7, 3, 4]);
    // The last day has events to its end.
    const last = (await cdmRecords(directory, 'test.json')).filter(({ kind }) => kind === 'Event').at(-1);
    const at = Number(/"timestampNanos":(\d+)/.exec(last?.line ?? '')?.[1]?.slice(0, 10));
    expect(at).toBeGreaterThan(Date.parse('2025-03-16T22:00:00Z') / 1000);
  });
});
