import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EpisodeFinder, type EpisodeFindings } from '../../../src/evaluate/reference/find-episodes.js';
import { NodeHistory } from '../../../src/graph/node-history.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { loadEvents } from '../../../src/store/load.js';
import { Store } from '../../../src/store/store.js';
import { newFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from '../../store/small-logs.js';

const MINUTE = 60_000_000_000n;
const HOUR = 60n * MINUTE;
const at = (hour: bigint, minute = 0n) => MIDNIGHT + hour * HOUR + minute * MINUTE;

function reads(id: string, program: string, path: string, ts: bigint): string {
  return eventLine({ ts, subj: process(id, { name: program }), obj: file(path, { name: path }) });
}

function starts(parent: string, program: string, child: string, ts: bigint): string {
  return eventLine({
    ts,
    rel: 'EVENT_FORK',
    subj: process(parent, { name: program }),
    obj: process(child, { name: program }),
  });
}

const daily = (day: string, hour: bigint) =>
  Array.from({ length: 20 }, (_, i) => reads(`${day}${i}`, 'cron', '/etc/crontab', at(hour, BigInt(i))));

async function find(test: string[]): Promise<{ findings: EpisodeFindings; idOf: (node: number) => string }> {
  const folder = newFolder();
  const store = join(folder, 'store');
  const parts = { train: daily('a', 0n), calibrate: daily('b', 4n), test: [...daily('c', 8n), ...test] };
  const named = async (split: string) => {
    const opened = await Store.open(store);
    const events = await loadEvents(opened, { split });
    return { events, history: await NodeHistory.read(opened, events) };
  };
  for (const [split, lines] of Object.entries(parts)) {
    await ingestFiles([writeLog(folder, `${split}.json`, lines)], { store, split, append: true, threads: 0 });
  }
  const finder = new EpisodeFinder();
  finder.fit(await named('train'));
  finder.calibrate(await named('calibrate'));
  const last = await named('test');
  return { findings: finder.find(last), idOf: (node) => last.events.uuid(node) };
}

describe('EpisodeFinder', () => {
  test('known behaviour scores 0, and repeats fold into one', async () => {
    const { findings } = await find([]);
    expect(findings.count).toBe(20);
    expect(findings.folded).toHaveLength(1);
    expect(findings.folded[0].episodes).toHaveLength(20);
    expect(findings.folded[0].score).toBe(0);
    expect(findings.nodeScores.every((score) => score === 0)).toBe(true);
  });

  test('a new program scores by the rate of new programs', async () => {
    const { findings } = await find([reads('x', 'implant', '/etc/crontab', at(9n))]);
    const best = findings.folded.reduce((a, b) => (b.score > a.score ? b : a));
    // Nothing that it does is new, so only the program counts: 0 of 20 processes ran a new one.
    expect(best.score).toBeCloseTo(-Math.log(0.5 / 21), 12);
    expect(best.episodes).toHaveLength(1);
  });

  test('a known program that reads something new scores by the kinds that are new', async () => {
    const { findings } = await find([reads('x', 'cron', '/root/.ssh/id_rsa', at(9n))]);
    const best = findings.folded.reduce((a, b) => (b.score > a.score ? b : a));
    // Calibration has 20 processes with one behaviour of each kind, none new: q = 10 · (0.5 / 21) / 30.
    const surprise = -Math.log((10 * (0.5 / 21)) / 30);
    expect(best.score).toBeCloseTo(2 * surprise, 12); // the directory and the name; no extension is not new
    expect(Math.max(...findings.nodeScores)).toBeCloseTo(2 * surprise, 12);
  });

  test('a child joins its parent within half an hour; later only if the parent runs a new program', async () => {
    const trees = async (program: string, minutes: bigint) => {
      const { findings } = await find([
        reads('parent', program, '/etc/crontab', at(9n)),
        starts('parent', program, 'child', at(9n) + minutes * MINUTE),
        reads('child', program, '/etc/crontab', at(9n) + minutes * MINUTE),
      ]);
      return findings.folded
        .flatMap(({ episodes }) => episodes)
        .filter(({ processes }) => processes.length === 2);
    };
    expect(await trees('cron', 30n)).toHaveLength(1);
    expect(await trees('cron', 31n)).toHaveLength(0);
    expect(await trees('implant', 300n)).toHaveLength(1);
  });

  test('a process is judged by the program that it ran at each event', async () => {
    const { findings } = await find([
      reads('x', 'cron', '/etc/crontab', at(9n)),
      reads('x', 'implant', '/etc/crontab', at(9n, 1n)),
      reads('x', 'cron', '/etc/crontab', at(9n, 2n)),
    ]);
    const best = findings.folded.reduce((a, b) => (b.score > a.score ? b : a));
    expect(best.score).toBeCloseTo(-Math.log(0.5 / 21), 12);
  });
});
