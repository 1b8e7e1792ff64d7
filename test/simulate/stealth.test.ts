import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rarity } from '../../bench/rarity.js';
import type { AttackSummary } from '../../src/simulate/manifest.js';
import { contents, csvRows, makeWorld, removeWorlds, type TestWorld } from './worlds.js';

describe('the stealth dial', () => {
  let loud: TestWorld;
  let quiet: TestWorld;
  beforeAll(async () => {
    loud = await makeWorld({ scenario: 'freebsd-server', events: 60_000, stealth: 0 });
    quiet = await makeWorld({ scenario: 'freebsd-server', events: 60_000, stealth: 1 });
  });
  afterAll(removeWorlds);

  const attack = (world: TestWorld, name: string) =>
    world.manifest.hosts[0]?.attacks.find((candidate) => candidate.name === name) as AttackSummary;
  const minutes = (summary: AttackSummary) => (Date.parse(summary.until) - Date.parse(summary.from)) / 60_000;

  it('makes attacks smaller and slower', () => {
    for (const name of ['server-exploit', 'living-off-the-land', 'slow-theft']) {
      expect(attack(quiet, name).events, name).toBeLessThan(attack(loud, name).events);
      expect(minutes(attack(quiet, name)), name).toBeGreaterThan(minutes(attack(loud, name)));
    }
  });

  it('leaves the scan out and hides the implant under a known name', () => {
    expect(attack(loud, 'server-exploit').scanFlows).toBeGreaterThan(100);
    expect(attack(quiet, 'server-exploit').scanFlows).toBe(0);
    expect(attack(loud, 'server-exploit').droppedPrograms[0]).toMatch(/^\/tmp\/[A-Za-z]{7}$/);
    expect(attack(quiet, 'server-exploit').droppedPrograms[0]).toMatch(/\/(smtp|python2\.7|bounce)$/);
  });

  it('does not touch what came before the attacks', async () => {
    const [a, b] = [await contents(loud.directory), await contents(quiet.directory)];
    for (const name of ['train.json', 'calibrate.json'])
      expect(a.get(name)?.equals(b.get(name) as Buffer), name).toBe(true);
  });
});

describe('the rarity baseline', () => {
  afterAll(removeWorlds);

  it('finds operators before attackers who live off the land', async () => {
    const { directory } = await makeWorld({ scenario: 'demo', format: 'ndjson' });
    const file = (name: string) => join(directory, name);
    const ranked = await rarity([file('train.ndjson'), file('calibrate.ndjson')], file('test.ndjson'));
    const rank = new Map(
      ranked.filter((node) => node.type === 'process').map((node, index) => [node.id, index]),
    );
    const files = await contents(directory);
    const ranksOf = (name: string, matches: (row: string[]) => boolean) =>
      csvRows(files.get(name)?.toString() ?? '')
        .filter((row) => row[1] === 'process' && matches(row))
        .map((row) => rank.get(row[0] as string) as number)
        .sort((a, b) => a - b);
    const operators = ranksOf('unusual.csv', (row) => row[3] === 'operator');
    const intruders = ranksOf('labels.csv', (row) => /living-off-the-land/.test(row[3] as string));
    const core = ranksOf('labels.csv', (row) => row[4] === 'core');
    expect(intruders[0]!).toBeGreaterThan(operators[0]!);
    expect(intruders[intruders.length >> 1]!).toBeGreaterThan(operators[operators.length >> 1]!);
    expect(core.filter((position) => position < 50).length).toBeLessThan(5);
  });
});
