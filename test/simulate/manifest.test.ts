import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCENARIOS, type Scenario } from '../../src/simulate/options.js';
import {
  cdmRecords,
  csvRows,
  lines,
  makeSimulation,
  removeSimulations,
  type TestSimulation,
  uuidOf,
} from './simulations.js';

describe.each(SCENARIOS)('the files of %s', (scenario: Scenario) => {
  let simulation: TestSimulation;
  /** Ids of the entities with events, by file. */
  const touched = new Map<string, Set<string>>();

  beforeAll(async () => {
    simulation = await makeSimulation({ scenario, events: 60_000, seed: 3 });
    for (const file of simulation.manifest.hosts[0]?.files ?? []) {
      const found = new Set<string>();
      for (const { kind, body } of await cdmRecords(simulation.directory, file.name)) {
        if (kind !== 'Event') continue;
        for (const union of [body.subject, body.predicateObject, body.predicateObject2]) {
          const uuid = uuidOf(union);
          if (uuid !== undefined) found.add(uuid);
        }
      }
      touched.set(file.name, found);
    }
  });
  afterAll(removeSimulations);

  it('match the manifest', async () => {
    const host = simulation.manifest.hosts[0]!;
    expect(JSON.parse(await readFile(join(simulation.directory, 'scenario.json'), 'utf8'))).toEqual(
      simulation.manifest,
    );
    let events = 0;
    for (const file of host.files) {
      const counts: Record<string, number> = {};
      const records: Record<string, number> = {};
      const times: string[] = [];
      const all = await cdmRecords(simulation.directory, file.name);
      for (const { kind, body, line } of all) {
        if (kind === 'Event') {
          counts[body.type as string] = (counts[body.type as string] ?? 0) + 1;
          times.push(/"timestampNanos":(\d+)/.exec(line)?.[1] as string);
        } else {
          records[kind] = (records[kind] ?? 0) + 1;
        }
      }
      expect(counts).toEqual(file.relations);
      expect(records).toEqual(file.records);
      expect(times.length).toBe(file.events);
      expect([times[0], times.at(-1)]).toEqual([file.first, file.last]);
      expect((await readFile(join(simulation.directory, file.name))).length).toBe(file.bytes);
      events += file.events;
    }
    expect(events).toBe(host.events);
    expect(events).toBe(simulation.manifest.events);
  });

  it('follow each other in time, with the attacks in the test file', () => {
    const { files, attacks } = simulation.manifest.hosts[0]!;
    expect(files.map((file) => file.role)).toEqual(['train', 'calibrate', 'test']);
    for (let i = 1; i < files.length; i++)
      expect(BigInt(files[i]!.first)).toBeGreaterThan(BigInt(files[i - 1]!.last));
    expect(attacks.length).toBeGreaterThanOrEqual(2);
    expect(attacks.length).toBeLessThanOrEqual(3);
    for (const attack of attacks) {
      expect(attack.from >= files[2]!.from && attack.until < files[2]!.until).toBe(true);
      expect(attack.events).toBeGreaterThan(20);
    }
  });

  it('have every labelled entity in the test part, and no core entity before it', async () => {
    const rows = csvRows(await readFile(join(simulation.directory, 'labels.csv'), 'utf8'));
    expect(rows.length).toBeGreaterThan(10);
    for (const [uuid, , name, , tier, reason] of rows as [string, string, string, string, string, string][]) {
      expect(touched.get('test.json')?.has(uuid), `${name}: ${reason}`).toBe(true);
      if (tier !== 'core') continue;
      expect(touched.get('train.json')?.has(uuid), `${name}: ${reason}`).toBe(false);
      expect(touched.get('calibrate.json')?.has(uuid), `${name}: ${reason}`).toBe(false);
    }
    const { labels } = simulation.manifest.hosts[0]!;
    expect(rows.filter((row) => row[4] === 'core').length).toBe(labels.core);
    const text = await lines(simulation.directory, 'labels.txt');
    expect(text).toEqual(rows.map((row) => row[0]));
  });

  it('list scan flows separately', async () => {
    const text = await lines(simulation.directory, 'labels.txt');
    const scan = await lines(simulation.directory, 'labels.scan.txt');
    expect(scan.length - text.length).toBe(simulation.manifest.hosts[0]?.labels.scan);
    expect(scan.length).toBeGreaterThan(text.length + 39);
    for (const uuid of scan) expect(touched.get('test.json')?.has(uuid)).toBe(true);
  });

  it('list unusual entities, none of them core and none before the test', async () => {
    const unusual = csvRows(await readFile(join(simulation.directory, 'unusual.csv'), 'utf8'));
    const core = new Set(
      csvRows(await readFile(join(simulation.directory, 'labels.csv'), 'utf8')).flatMap((row) =>
        row[4] === 'core' ? [row[0]] : [],
      ),
    );
    expect(new Set(unusual.map((row) => row[3]))).toEqual(
      new Set(['operator', 'restore', 'compiler-upgrade', 'new-service', 'new-user', 'package-update']),
    );
    for (const [uuid] of unusual as [string][]) {
      expect(core.has(uuid)).toBe(false);
      expect(touched.get('train.json')?.has(uuid)).toBe(false);
    }
  });
});
