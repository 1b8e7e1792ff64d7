import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedFolder } from '../../folders.js';
import { answer, recal } from '../recal-process.js';

interface Demo {
  incidents: { rank: number; prominence: number; truth: { attacks: Record<string, number> } }[];
  attacks: { attack: string; found: number; rank: number | null }[];
}

const folder = sharedFolder();

test('recal demo as it is: every attack is found, and no harmless incident comes before one', async () => {
  const ended = await recal(['demo', '--out', join(folder, 'demo'), '--json', '--quiet']);
  expect(ended.code).toBe(0);
  const { incidents, attacks } = answer(ended) as unknown as Demo;
  const isAttack = incidents.map(({ truth }) => Object.keys(truth.attacks).length > 0);
  const firstHarmless = isAttack.indexOf(false) + 1;
  expect(firstHarmless).toBeGreaterThan(0); // there is something to mistake for an attack
  expect(attacks).toHaveLength(3);
  for (const { attack, rank } of attacks) {
    expect(rank, attack).not.toBeNull();
    expect(rank, attack).toBeLessThan(firstHarmless);
  }
  const prominence = incidents.map((incident) => incident.prominence);
  expect(prominence).toEqual([...prominence].sort((a, b) => b - a));
}, 300_000);
