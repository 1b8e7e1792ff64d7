import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { offsetToIsoTime } from '../../src/simulate/manifest.js';
import { SCENARIOS, type Scenario } from '../../src/simulate/options.js';
import { cdmRecords, csvRows, lines, makeWorld, removeWorlds, type TestWorld, uuidOf } from './worlds.js';

describe.each(SCENARIOS)('the files of %s', (scenario: Scenario) => {
  let world: TestWorld;
  /** Every identifier that an event touches, by file. */
  const touched = new Map<string, Set<string>>();

  beforeAll(async () => {
    world = await makeWorld({ scenario, events: 60_000, seed: 3 });
    for (const file of world.manifest.hosts[0]?.files ?? []) {
      const found = new Set<string>();
      for (const { kind, body } of await cdmRecords(world.directory, file.name)) {
        if (kind !== 'Event') continue;
        for (const union of [body.subject, body.predicateObject, body.predicateObject2]) {
          const uuid = uuidOf(union);
          if (uuid !== undefined) found.add(uuid);
        }
      }
      touched.set(file.name, found);
    }
  });
  afterAll(removeWorlds);

  it('hold what the manifest says', async () => {
    const host = world.manifest.hosts[0]!;
    expect(JSON.parse(await readFile(join(world.directory, 'scenario.json'), 'utf8'))).toEqual(
      world.manifest,
    );
    let events = 0;
    for (const file of host.files) {
      const counts: Record<string, number> = {};
      const records: Record<string, number> = {};
      const times: string[] = [];
      const all = await cdmRecords(world.directory, file.name);
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
      expect((await readFile(join(world.directory, file.name))).length).toBe(file.bytes);
      events += file.events;
    }
    expect(events).toBe(host.events);
    expect(events).toBe(world.manifest.events);
  });

  it('follow each other in time, and attacks lie inside the test file', () => {
    const { files, attacks } = world.manifest.hosts[0]!;
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

  it('contain every labelled node in the test part, and no core node before it', async () => {
    const rows = csvRows(await readFile(join(world.directory, 'labels.csv'), 'utf8'));
    expect(rows.length).toBeGreaterThan(10);
    for (const [uuid, , name, , tier, reason] of rows as [string, string, string, string, string, string][]) {
      expect(touched.get('test.json')?.has(uuid), `${name}: ${reason}`).toBe(true);
      if (tier !== 'core') continue;
      expect(touched.get('train.json')?.has(uuid), `${name}: ${reason}`).toBe(false);
      expect(touched.get('calibrate.json')?.has(uuid), `${name}: ${reason}`).toBe(false);
    }
    const { labels } = world.manifest.hosts[0]!;
    expect(rows.filter((row) => row[4] === 'core').length).toBe(labels.core);
    const text = await lines(world.directory, 'labels.txt');
    expect(text).toEqual(rows.map((row) => row[0]));
  });

  it('list the flows of scans apart', async () => {
    const text = await lines(world.directory, 'labels.txt');
    const scan = await lines(world.directory, 'labels.scan.txt');
    expect(scan.length - text.length).toBe(world.manifest.hosts[0]?.labels.scan);
    expect(scan.length).toBeGreaterThan(text.length + 39);
    for (const uuid of scan) expect(touched.get('test.json')?.has(uuid)).toBe(true);
  });

  it('list benign but unusual nodes, none of them labelled core and all in the test part', async () => {
    const unusual = csvRows(await readFile(join(world.directory, 'unusual.csv'), 'utf8'));
    const core = new Set(
      csvRows(await readFile(join(world.directory, 'labels.csv'), 'utf8')).flatMap((row) =>
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

describe('offsetToIsoTime', () => {
  it('keeps microseconds', () => {
    expect(offsetToIsoTime(1_522_641_600, 1_500_000_000)).toBe('2018-04-02T04:00:01.500000Z');
    expect(offsetToIsoTime(1_522_641_600, 86_400e9 + 1_000)).toBe('2018-04-03T04:00:00.000001Z');
  });
});
