import { describe, expect, it } from 'vitest';
import { Random } from '../../src/base/random.js';
import { DAY, HOUR, localTime, SECOND } from '../../src/simulate/calendar.js';
import type { Workload, World } from '../../src/simulate/hosts/world.js';
import { Scheduler } from '../../src/simulate/kernel/scheduler.js';
import { Pacing } from '../../src/simulate/pacing.js';
import type { Timeline } from '../../src/simulate/timeline.js';

describe('Pacing', () => {
  const local = localTime(Date.parse('2025-03-03T00:00:00Z') / 1000, 0);
  const timeline: Timeline = {
    startSeconds: 0,
    local,
    files: [
      { name: 'a', role: 'train', from: 0, until: DAY, share: 0.25 },
      { name: 'b', role: 'test', from: DAY, until: 2 * DAY, share: 0.75 },
    ],
    attackSpans: [],
  };

  it('follows the shares of files, workloads and hours, whatever the size of sessions', () => {
    const scheduler = new Scheduler();
    const written = { office: [0, 0], machine: [0, 0], night: 0, noon: 0 };
    let total = 0;
    const workload = (name: 'office' | 'machine', guess: number, size: number): Workload => ({
      name,
      share: 0.5,
      rhythm: name,
      size: guess,
      *session() {
        for (let i = 0; i < size; i++) {
          total++;
          written[name][scheduler.now < DAY ? 0 : 1]!++;
          const hour = local.hour(scheduler.now);
          if (hour < 4) written.night++;
          else if (hour >= 9 && hour < 13) written.noon++;
          yield SECOND;
        }
      },
    });
    const pacing = new Pacing(
      timeline,
      [workload('office', 5, 40), workload('machine', 60, 10)],
      100_000,
      new Random(1),
    );
    const world = { machine: { scheduler } } as unknown as World;
    for (let tick = 0; tick < pacing.ticks; tick++) {
      pacing.startSessions(tick, world, () => total);
      scheduler.runUntil((tick + 1) * pacing.tick);
    }
    expect(Math.abs(total - 100_000)).toBeLessThan(1_000);
    const first = written.office[0]! + written.machine[0]!;
    expect(first / total).toBeCloseTo(0.25, 1);
    expect(written.noon).toBeGreaterThan(1.5 * written.night);
    // An office is busy about a third of the day, a machine always.
    const office = (written.office[0]! + written.office[1]!) / total;
    expect(office).toBeGreaterThan(0.2);
    expect(office).toBeLessThan(0.4);
    expect(pacing.tick).toBeLessThan(HOUR);
  });

  it('starts a later workload on time, observes it, and adds load to the test', () => {
    const run = (later: readonly Workload[], testLoad: number) => {
      const scheduler = new Scheduler();
      const made: { name: string; at: number }[] = [];
      const workload = (name: string, since?: number): Workload => ({
        name,
        share: 0.5,
        rhythm: 'machine',
        size: 10,
        ...(since === undefined ? {} : { since }),
        *session() {
          for (let i = 0; i < 10; i++) {
            made.push({ name, at: scheduler.now });
            yield SECOND;
          }
        },
      });
      const watched: string[] = [];
      const observe = ({ name }: Workload) => ({ resume: () => watched.push(name), pause: () => {} });
      const all = [workload('old'), ...later.map(({ name, since }) => workload(name, since))];
      const pacing = new Pacing(timeline, all, 10_000, new Random(1), {
        testLoad,
        observe: (each) => (each.since === undefined ? undefined : observe(each)),
      });
      const world = { machine: { scheduler } } as unknown as World;
      for (let tick = 0; tick < pacing.ticks; tick++) {
        pacing.startSessions(tick, world, () => made.length);
        scheduler.runUntil((tick + 1) * pacing.tick);
      }
      return { made, watched };
    };
    const alone = run([], 1);
    const both = run([{ name: 'new', since: DAY + 6 * HOUR } as Workload], 2);
    const added = both.made.filter(({ name }) => name === 'new');
    expect(Math.min(...added.map(({ at }) => at))).toBeGreaterThanOrEqual(DAY + 6 * HOUR);
    expect(both.watched.length).toBeGreaterThanOrEqual(added.length);
    expect(new Set(both.watched)).toEqual(new Set(['new']));
    const until = (rows: typeof added) => rows.filter(({ at }) => at < DAY);
    expect(until(both.made)).toEqual(until(alone.made));
    expect(both.made.length).toBeGreaterThan(17_000); // 2,500 and twice 7,500
    expect(both.made.length).toBeLessThan(18_000);
  });
});
