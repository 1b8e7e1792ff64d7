import { join } from 'node:path';
import {
  calibrateEpisodes,
  EpisodeJudge,
  type JudgedEpisodes,
  learnBehaviours,
} from '../../../src/detect/episodes/episode-detector.js';
import { nameEvents } from '../../../src/detect/episodes/named-events.js';
import type { Entity } from '../../../src/ingest/event.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { loadEvents } from '../../../src/store/load.js';
import { Store } from '../../../src/store/store.js';
import { newFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from '../../store/small-logs.js';

const SECOND = 1_000_000_000n;

/** Lines of one host, with a clock that moves on by a second per event. */
export class HostLog {
  readonly lines: string[] = [];
  readonly #host: string;
  #now: bigint;
  #processes = 0;

  constructor(hour: number, host = 'host') {
    this.#host = host;
    this.#now = MIDNIGHT + BigInt(hour) * 3600n * SECOND;
  }

  /** A process with an id of its own. */
  process(name: string): Entity {
    return process(`${this.#host} ${name} ${this.#now} ${this.#processes++}`, { name });
  }

  act(rel: string, subj: Entity, obj: Entity): this {
    this.#now += SECOND;
    this.lines.push(eventLine({ ts: this.#now, host: this.#host, rel: `EVENT_${rel}`, subj, obj }));
    return this;
  }

  /** Starts a program below a process; the new process executes it. */
  start(parent: Entity, path: string): Entity {
    const child = this.process(path);
    this.act('FORK', parent, child).act('EXECUTE', child, filed(path));
    return child;
  }

  write(by: Entity, path: string): this {
    return this.act('WRITE', by, filed(path));
  }

  read(by: Entity, path: string): this {
    return this.act('READ', by, filed(path));
  }

  connect(by: Entity, address: string): this {
    return this.act('CONNECT', by, { id: address, type: 'flow', name: address });
  }

  /** A quarter of an hour of everyday work: a job every minute, and a server. */
  everyday(): this {
    const cron = this.process('/usr/sbin/cron');
    const nginx = this.process('/usr/sbin/nginx');
    for (let i = 0; i < 30; i++) {
      const shell = this.start(cron, '/usr/bin/sh');
      this.read(shell, '/srv/data/table').connect(shell, '10.0.0.9:443');
      this.act('ACCEPT', nginx, { id: `10.0.0.${i % 5}:5000`, type: 'flow', name: `10.0.0.${i % 5}:5000` });
      this.read(nginx, '/srv/www/index.html');
    }
    return this;
  }
}

const filed = (path: string): Entity => file(path, { name: path });

/** Trains on and calibrates with the lines of two splits, and judges those of the third. */
export async function judgeLogs(parts: {
  readonly train: readonly string[];
  readonly calibrate: readonly string[];
  readonly test: readonly string[];
}): Promise<JudgedEpisodes> {
  const folder = newFolder();
  const store = join(folder, 'store');
  for (const [split, lines] of Object.entries(parts)) {
    await ingestFiles([writeLog(folder, `${split}.ndjson`, [...lines])], { store, split, append: true });
  }
  const opened = await Store.open(store);
  const read = async (split: string) => nameEvents(opened, await loadEvents(opened, { split }));
  const known = learnBehaviours(await read('train'));
  const benign = await read('calibrate');
  const calibration = calibrateEpisodes(known, benign, new Float64Array(benign.events.keys.size));
  return new EpisodeJudge(known, calibration, await read('test')).judge([]);
}

/** Judges an hour that follows two of everyday work. */
export function judgeHour(hour: (log: HostLog) => void): Promise<JudgedEpisodes> {
  const log = new HostLog(4).everyday();
  hour(log);
  return judgeLogs({
    train: new HostLog(0).everyday().lines,
    calibrate: new HostLog(2).everyday().lines,
    test: log.lines,
  });
}

/** The distinct programs of the processes of an incident. */
export function programsOf({ novelty, incidents }: JudgedEpisodes, rank: number): string[] {
  const { lastPrograms, catalogue } = novelty.activity;
  const processes = incidents[rank].episodes.flatMap((episode) => episode.processes);
  return [...new Set(processes.map((each) => catalogue.programName(lastPrograms.get(each) ?? 0)))].sort();
}
