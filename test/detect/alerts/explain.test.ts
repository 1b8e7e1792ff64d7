import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Alert, Incident } from '../../../src/detect/alerts/alert.js';
import { findExplained, loadRawEvents } from '../../../src/detect/alerts/explain.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { Store } from '../../../src/store/store.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { writeLog } from '../../store/small-logs.js';
import { ENTITIES, logLines, makeSmallAlerts, type SmallAlerts } from './small-alerts.js';

const folder = sharedFolder();
let small: SmallAlerts;
beforeAll(async () => {
  small = await makeSmallAlerts(folder);
});

const alertOf = (id: string): Alert => small.alerts.find(({ entity }) => entity.id === id) as Alert;

describe('findExplained', () => {
  const withIds = (...ids: string[]) => ({
    alerts: ids.map((id) => ({ ...alertOf(ENTITIES.nginx), id })),
    incidents: [] as Incident[],
  });

  test('finds an alert with its incident, or an incident with its alerts, in any case', () => {
    const { alerts, incidents } = small;
    expect(findExplained(alerts[0].id.toUpperCase(), small)).toEqual({
      kind: 'alert',
      alert: alerts[0],
      incident: incidents[0],
    });
    expect(findExplained(incidents[0].id.slice(0, 12), small)).toEqual({
      kind: 'incident',
      incident: incidents[0],
      alerts,
    });
  });

  test('refuses an ambiguous, unknown or empty id, and suggests ids', () => {
    const some = withIds('abc0000000000000', 'abd0000000000000', 'fff0000000000000');
    expect(findExplained('abc', some)).toMatchObject({ alert: { id: 'abc0000000000000' } });
    const refusal = (id: string, among = some) => {
      try {
        findExplained(id, among);
      } catch (error) {
        return error;
      }
      return undefined;
    };
    expect(refusal('ab')).toMatchObject({
      code: 'alerts-ambiguous',
      hint: expect.stringContaining('abc0000000000000 (nginx), abd0000000000000 (nginx)'),
    });
    expect(refusal('abe')).toMatchObject({
      code: 'alerts-unknown',
      hint: expect.stringMatching(/abc0{13} \(nginx\), abd0{13} \(nginx\), fff/),
    });
    expect(refusal('')).toMatchObject({ code: 'alerts-unknown' });
    expect(refusal('a\u001b[2J', withIds())).toMatchObject({
      code: 'alerts-unknown',
      message: expect.stringContaining("'a\\e[2J'"),
    });
  });
});

describe('raw events', () => {
  test('prefer sources of evidence to repetitions, and are in time order', async () => {
    const { events, total, leftOut } = await loadRawEvents(small.store, alertOf(ENTITIES.nginx), 6);
    expect([total, leftOut]).toEqual([34, 28]);
    expect(events.map(({ relation, evidence }) => [relation, evidence])).toEqual([
      ...[1, 2, 3].map(() => ['EVENT_READ', [2]]),
      ['EVENT_EXECUTE', [1]],
      ['EVENT_FORK', []],
      ['EVENT_PTRACE', []],
    ]);
  });

  test('are only those of the window and the host, even if its name is a glob', async () => {
    const other = join(newFolder(), 'store');
    const place = newFolder();
    const hosts = ['h', 'hh', 'h*'].map((host) =>
      writeLog(
        place,
        `${host.replace('*', 'star')}.json`,
        logLines().map((line) => line.replace('"host":"h"', `"host":"${host}"`)),
      ),
    );
    await ingestFiles(hosts, { store: other, threads: 0 });
    const store = await Store.open(other);
    const alert = alertOf(ENTITIES.nginx);
    expect((await loadRawEvents(store, { ...alert, host: 'h*' }, 9)).total).toBe(34);
    const window = { ...alert.window, to: alert.evidence[0].source?.first ?? alert.window.to };
    expect((await loadRawEvents(store, { ...alert, window }, 99)).events).toHaveLength(32);
    expect(await loadRawEvents(store, { ...alert, host: 'x' }, 9)).toMatchObject({ total: 0, events: [] });
  });
});
