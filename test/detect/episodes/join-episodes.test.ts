import { expect, test } from 'vitest';
import type { Entity } from '../../../src/ingest/event.js';
import { type HostLog, judgeHour, programsOf } from './judged-log.js';

const ATTACKER = '203.0.113.9';
const flow = (id: string, name: string): Entity => ({ id, type: 'flow', name });

/** A server and a job that share an address, which the server uses as `use` says. */
function sharing(use: (log: HostLog, server: Entity) => void) {
  return judgeHour((log) => {
    use(log, log.process('/usr/sbin/nginx'));
    const job = log.start(log.process('/usr/sbin/cron'), '/usr/bin/sh');
    log.act('CONNECT', job, flow('stolen', `${ATTACKER}:443`));
  });
}

test('an address joins episodes, however often one connection is read', async () => {
  const judged = await sharing((log, server) => {
    const connection = flow('shell', `${ATTACKER}:51656`);
    log.act('ACCEPT', server, connection);
    for (let i = 0; i < 200; i++) log.act('RECVFROM', server, connection);
  });
  expect(programsOf(judged, 0)).toEqual(['/usr/bin/sh', '/usr/sbin/nginx']);
});

test('an address with many connections joins nothing', async () => {
  const judged = await sharing((log, server) => {
    for (let i = 0; i < 80; i++) log.act('ACCEPT', server, flow(`client ${i}`, `${ATTACKER}:${50_000 + i}`));
  });
  for (const rank of judged.incidents.keys())
    expect(programsOf(judged, rank)).not.toEqual(['/usr/bin/sh', '/usr/sbin/nginx']);
});

test('each connect is a connection where the log names only the remote end', async () => {
  const judged = await sharing((log, server) => {
    for (let i = 0; i < 80; i++) log.act('CONNECT', server, flow('api', `${ATTACKER}:443`));
  });
  for (const rank of judged.incidents.keys())
    expect(programsOf(judged, rank)).not.toEqual(['/usr/bin/sh', '/usr/sbin/nginx']);
});

/** A server that scans as `scan` says, and a job that contacts 198.51.100.7 and maybe the attacker. */
function scanned(scan: (log: HostLog, server: Entity) => void, jobContacts: string) {
  return judgeHour((log) => {
    const server = log.process('/usr/sbin/nginx');
    log.act('CONNECT', server, flow('control', `${ATTACKER}:443`));
    scan(log, server);
    const job = log.start(log.process('/usr/sbin/cron'), '/usr/bin/sh');
    log.act('CONNECT', job, flow('job', jobContacts));
  });
}
const JOINED = ['/usr/bin/sh', '/usr/sbin/nginx'];

test.each([
  ['of ports', (i: number) => `198.51.100.7:${i + 1}`, '198.51.100.7:25'],
  ['for hosts', (i: number) => `198.51.100.${i + 1}:22`, '198.51.100.7:22'],
])('a target of a scan %s joins nothing, but what else the scanner contacts does', async (_, target, job) => {
  const scan = (log: HostLog, server: Entity) => {
    for (let i = 0; i < 40; i++) log.act('CONNECT', server, flow(`target ${i}`, target(i)));
  };
  const apart = await scanned(scan, job);
  for (const rank of apart.incidents.keys()) expect(programsOf(apart, rank)).not.toEqual(JOINED);
  expect(programsOf(await scanned(scan, `${ATTACKER}:443`), 0)).toEqual(JOINED);
  expect(programsOf(await scanned(() => {}, `${ATTACKER}:443`), 0)).toEqual(JOINED);
});

test('a new program joins the tree that wrote it, also under another spelling of its path', async () => {
  const judged = await judgeHour((log) => {
    const file = (name: string): Entity => ({ id: 'dropper', type: 'file', name });
    log.act('WRITE', log.process('/usr/sbin/nginx'), file('/var/tmp/dropper'));
    const shell = log.start(log.process('/usr/sbin/cron'), '/usr/bin/sh');
    const dropper = log.process('dropper');
    log.act('FORK', shell, dropper).act('EXECUTE', dropper, file('/./var/tmp/dropper'));
  });
  expect(programsOf(judged, 0)).toContain('/usr/sbin/nginx');
  expect(programsOf(judged, 0)).toContain('dropper');
});
