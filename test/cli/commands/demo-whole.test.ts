import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedFolder } from '../../folders.js';
import { answer, recal } from '../recal-process.js';

interface Demo {
  incidents: {
    rank: number;
    score: number;
    truth: { attacks: Record<string, number>; unusual: Record<string, number> };
  }[];
  attacks: { attack: string; found: number; rank: number | null }[];
}

const folder = sharedFolder();

test('recal demo as it is: every attack is shown, and leads once harmless new work is left out', async () => {
  const ended = await recal(['demo', '--out', join(folder, 'demo'), '--json', '--quiet']);
  expect(ended.code).toBe(0);
  const { incidents, attacks } = answer(ended) as unknown as Demo;
  const isAttack = incidents.map(({ truth }) => Object.keys(truth.attacks).length > 0);
  expect(isAttack).toContain(false); // there is something to mistake for an attack
  const isUnusual = incidents.map(({ truth }, i) => !isAttack[i] && Object.keys(truth.unusual).length > 0);
  expect(attacks).toHaveLength(3);
  for (const { attack, rank } of attacks) {
    expect(rank, attack).not.toBeNull();
    const before = isUnusual.slice(0, rank ?? 0).filter(Boolean).length;
    expect((rank ?? 0) - before, attack).toBeLessThanOrEqual(3);
  }
  const scores = incidents.map((incident) => incident.score);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
});
