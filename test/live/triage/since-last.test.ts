import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Entity } from '../../../src/ingest/event.js';
import { suppress } from '../../../src/live/triage/decide.js';
import { detectSinceLast } from '../../../src/live/triage/since-last.js';
import { accept, undoAccept } from '../../../src/pipeline/accept.js';
import { detect } from '../../../src/pipeline/detect.js';
import { train } from '../../../src/pipeline/train.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { sharedFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from '../../store/small-logs.js';

const SECOND = 1_000_000_000n;
const at = (minute: bigint, second = 0n) => MIDNIGHT + minute * 60n * SECOND + second * SECOND;
const act = (rel: string, subj: Entity, obj: Entity, ts: bigint) =>
  eventLine({ ts, rel: `EVENT_${rel}`, subj, obj });
const named = (id: string, name: string) => process(id, { name });
const path = (name: string) => file(name, { name });

/** Cron starts a job every two minutes. */
function ordinary(part: string, minute: bigint): string[] {
  return Array.from({ length: 30 }, (_, i) => {
    const ts = at(minute + BigInt(i * 2));
    const job = named(`job-${part}${i}`, 'backup');
    return [
      act('FORK', named('cron', 'cron'), job, ts),
      act('READ', job, path('/srv/data/table'), ts + SECOND),
      act('WRITE', job, path('/srv/backup/table'), ts + 2n * SECOND),
    ];
  }).flat();
}

const implant = named('implant', '/tmp/x');
const folder = sharedFolder();
const [store, model, out] = ['store', 'm.recal', 'daily'].map((name) => join(folder, name));
let logs = 0;
const add = (split: string, lines: readonly string[]) =>
  ingestFiles([writeLog(folder, `${logs++}.ndjson`, lines)], { store, split, append: true, threads: 0 });
const run = () => detectSinceLast({ store, model, out, report: false, threads: 1 });
const names = (listed: readonly { incident: { root: { name: string | null } } }[]) =>
  listed.map(({ incident }) => incident.root.name);

beforeAll(async () => {
  await add('train', ordinary('a', 0n));
  await add('calibrate', ordinary('b', 120n));
  const selection = { split: 'train' };
  const training = { epochs: 1, textEpochs: 1, window: 240 };
  await train({ store, model, selection, calibrateSplit: 'calibrate', training, threads: 1 });
}, 60_000);

describe('detectSinceLast', () => {
  test('tells each incident once, again if it grew, and nothing without new events', async () => {
    expect(await run()).toMatchObject({ detection: undefined, fresh: [], changed: [] });
    await add('live', [
      ...ordinary('c', 240n),
      act('FORK', named('cron', 'cron'), implant, at(295n)),
      act('READ', implant, path('/etc/shadow'), at(295n, 1n)),
    ]);
    const first = await run();
    expect(names(first.fresh)).toContain('/tmp/x');
    expect(first.changed).toEqual([]);
    expect(await run()).toMatchObject({ detection: undefined, fresh: [], changed: [] });
    await add('live', [
      ...ordinary('d', 301n),
      act('FORK', implant, named('sh', '/tmp/y'), at(310n)),
      act('READ', named('sh', '/tmp/y'), path('/root/key'), at(310n, 1n)),
    ]);
    const second = await run();
    expect(names(second.changed)).toContain('/tmp/x');
    expect(names(second.fresh)).not.toContain('/tmp/x');
    const runs = readdirSync(out).filter((name) => name !== 'since-last.json');
    expect(runs).toEqual([expect.stringMatching(/Z-3$/), expect.stringMatching(/Z-4$/)]);
  }, 60_000);

  test('events that arrive late are judged', async () => {
    const late = named('late', '/tmp/late');
    await add('live', [
      act('FORK', named('cron2', 'cron'), late, at(250n)),
      act('READ', late, path('/etc/gshadow'), at(250n, 1n)),
    ]);
    const { detection, fresh } = await run();
    expect(detection).toBeDefined();
    expect(names(fresh)).toContain('/tmp/late');
  }, 60_000);

  test('a suppressed incident is counted, not told', async () => {
    const hidden = named('hidden', '/tmp/hidden');
    await add('live', [
      act('FORK', named('cron', 'cron'), hidden, at(400n)),
      act('READ', hidden, path('/etc/passwd'), at(400n, 1n)),
    ]);
    await suppress({
      triage: `${store}.triage.jsonl`,
      rule: { by: 'path', glob: '/tmp/hid*' },
      reason: 'test',
      expires: new Date(Date.now() + 60_000),
    });
    const { fresh, suppressed } = await run();
    expect(names(fresh)).not.toContain('/tmp/hidden');
    expect(suppressed).toBe(1);
  }, 60_000);

  test('an accepted incident falls; undo gives the same incidents as before', async () => {
    const judge = (to: string) =>
      detect({
        store,
        model,
        out: join(folder, to),
        selection: { split: 'live' },
        report: false,
        threads: 1,
      });
    const before = await judge('before');
    const [first] = before.incidents;
    expect(before.run.counts.acceptances).toBe(0);
    const alerts = [join(folder, 'before')];
    const { accepted } = await accept({ model, alerts, ids: [first.id], reason: 'ours' });
    const after = await judge('after');
    expect(after.run.counts.acceptances).toBe(1);
    const repeated = after.incidents.find(({ id }) => id === first.id);
    expect(repeated?.score ?? 0).toBeLessThan(first.score / 4);
    expect(repeated?.rank ?? 9).toBeGreaterThan(1);
    await undoAccept({ model, id: accepted[0].id, reason: 'not ours' });
    const undone = await judge('undone');
    expect(undone.incidents).toEqual(before.incidents);
  }, 60_000);

  test('a damaged or foreign state is refused', async () => {
    writeFileSync(join(out, 'since-last.json'), '{"format":');
    await expect(run()).rejects.toMatchObject({ code: 'since-last-damaged' });
  });
});
