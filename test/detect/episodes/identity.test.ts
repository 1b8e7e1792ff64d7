import { expect, test } from 'vitest';
import type { JudgedEpisodes } from '../../../src/detect/episodes/episode-detector.js';
import { HostLog, judgeLogs, programsOf } from './judged-log.js';

/** The root that the id of the implant's incident depends on. */
function rootOf(judged: JudgedEpisodes): string {
  const rank = judged.incidents.findIndex((_, i) => programsOf(judged, i).includes('/tmp/x'));
  const { episodes } = judged.incidents[rank];
  const telling = episodes.reduce((most, each) => (each.novelty > most.novelty ? each : most));
  return judged.novelty.activity.catalogue.uuid(telling.root);
}

test('an incident keeps its root if the events are cut elsewhere or the model learned more', async () => {
  const log = new HostLog(4).everyday();
  const before = log.lines.length;
  const implant = log.start(log.process('/usr/sbin/nginx'), '/tmp/x');
  log.connect(implant, '203.0.113.9:4444').read(implant, '/etc/shadow');
  const [train, more, calibrate] = [0, 1, 2].map((hour) => new HostLog(hour).everyday().lines);
  const roots = await Promise.all(
    [
      { train, calibrate, test: log.lines },
      { train, calibrate, test: log.lines.slice(before) },
      { train, calibrate, test: log.lines.slice(before - 20) },
      { train: [...train, ...more], calibrate, test: log.lines },
    ].map(async (parts) => rootOf(await judgeLogs(parts))),
  );
  expect(new Set(roots).size).toBe(1);
});
