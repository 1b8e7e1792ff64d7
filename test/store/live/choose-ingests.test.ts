import { describe, expect, it } from 'vitest';
import { chooseIngests, isFull, type OpenIngest } from '../../../src/store/live/choose-ingests.js';

const MOST_OPEN = 24;

/** Commits events in pieces of these sizes, and merges when too many ingests are open. */
function run(sizes: readonly number[]) {
  let open: OpenIngest[] = [];
  let full = 0;
  let rewritten = 0;
  let largest = 0;
  let number = 0;
  for (const events of sizes) {
    if (isFull(events)) full++;
    else open.push({ number: ++number, events });
    if (open.length < MOST_OPEN) continue;
    const chosen = chooseIngests(open);
    expect(chosen.length).toBeGreaterThan(1);
    const at = open.indexOf(chosen[0]);
    expect(open.slice(at, at + chosen.length), 'neighbours, the oldest first').toEqual(chosen);
    const merged = chosen.reduce((sum, each) => sum + each.events, 0);
    largest = Math.max(largest, merged);
    rewritten += merged;
    if (isFull(merged)) full++;
    const left = isFull(merged) ? [] : [{ number: ++number, events: merged }];
    open = open.toSpliced(at, chosen.length, ...left);
  }
  const total = sizes.reduce((sum, each) => sum + each, 0);
  return { ingests: full + open.length, largest, rewrites: rewritten / total, total };
}

describe('which commits are merged', () => {
  it.each([1, 50, 1000, 15_000, 60_000, 124_999])(
    'of %i events each, into few and not too large ones',
    (events) => {
      const { ingests, largest, rewrites, total } = run(new Array<number>(20_000).fill(events));
      expect(largest).toBeLessThanOrEqual(250_000);
      expect(ingests).toBeLessThan(MOST_OPEN + total / 100_000);
      expect(rewrites).toBeLessThan(8);
    },
  );

  it('leaves full ones as they are', () => {
    expect(run(new Array<number>(100).fill(125_000))).toMatchObject({ ingests: 100, rewrites: 0 });
  });

  it('merges at least two, whatever their sizes', () => {
    const open = [100_000, 20_000, 3000, 10].map((events, number) => ({ number, events }));
    expect(chooseIngests(open.slice(1)).map(({ events }) => events)).toEqual([3000, 10]);
    expect(chooseIngests([{ number: 1, events: 5 }])).toHaveLength(1);
  });

  it('counts ingests without events, too', () => {
    expect(run(new Array<number>(1000).fill(0)).ingests).toBeLessThan(MOST_OPEN);
  });
});
