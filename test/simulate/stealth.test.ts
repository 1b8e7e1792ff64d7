import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rarity } from '../../bench/rarity.js';
import type { AttackSummary } from '../../src/simulate/manifest.js';
import { contents, csvRows, makeSimulation, removeSimulations, type TestSimulation } from './simulations.js';

describe('stealth', () => {
  let loud: TestSimulation;
  let quiet: TestSimulation;
  beforeAll(async () => {
    loud = await makeSimulation({ scenario: 'freebsd-server', events: 60_000, stealth: 0 });
    quiet = await makeSimulation({ scenario: 'freebsd-server', events: 60_000, stealth: 1 });
  });
  afterAll(removeSimulations);

  const attack = (simulation: TestSimulation, name: string) =>
    simulation.manifest.hosts[0]?.attacks.find((candidate) => candidate.name === name) as AttackSummary;
  const minutes = (summary: AttackSummary) => (Date.parse(summary.until) - Date.parse(summary.from)) / 60_000;

  it('makes attacks smaller and slower', () => {
    for (const name of ['server-exploit', 'living-off-the-land', 'slow-theft']) {
      expect(attack(quiet, name).events, name).toBeLessThan(attack(loud, name).events);
      expect(minutes(attack(quiet, name)), name).toBeGreaterThan(minutes(attack(loud, name)));
    }
  });

  it('omits the scan and gives the implant a known name', () => {
    expect(attack(loud, 'server-exploit').scanFlows).toBeGreaterThan(100);
    expect(attack(quiet, 'server-exploit').scanFlows).toBe(0);
    expect(attack(loud, 'server-exploit').droppedPrograms[0]).toMatch(/^\/tmp\/[A-Za-z]{7}$/);
    expect(attack(quiet, 'server-exploit').droppedPrograms[0]).toMatch(/\/(smtp|python2\.7|bounce)$/);
  });

  it('does not change the logs before the attacks', async () => {
    const [a, b] = [await contents(loud.directory), await contents(quiet.directory)];
    for (const name of ['train.json', 'calibrate.json'])
      expect(a.get(name)?.equals(b.get(name) as Buffer), name).toBe(true);
  });
});

describe('the rarity baseline', () => {
  afterAll(removeSimulations);

  it('ranks operators above attackers that live off the land', async () => {
    const { directory } = await makeSimulation({ scenario: 'demo', format: 'ndjson' });
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
    const attackers = ranksOf('labels.csv', (row) => /living-off-the-land/.test(row[3] as string));
    const core = ranksOf('labels.csv', (row) => row[4] === 'core');
    expect(attackers[0]!).toBeGreaterThan(operators[0]!);
    expect(attackers[attackers.length >> 1]!).toBeGreaterThan(operators[operators.length >> 1]!);
    expect(core.filter((position) => position < 50).length).toBeLessThan(5);
  });
});
