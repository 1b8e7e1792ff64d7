import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSink } from '../../../src/live/sinks/open-sink.js';
import { cef } from '../../../src/live/sinks/shapes/cef.js';
import { newFolder } from '../../folders.js';
import { hostileNotification, notificationWith } from './sample-notifications.js';

const PROGRAM = ['/usr/sbin/rsyslogd', '/sbin/rsyslogd'].find((path) => existsSync(path));
if (PROGRAM === undefined) console.warn('rsyslogd is not installed: its tests are left out');

/** rsyslog with one TCP and one UDP port on this machine, which writes the text of each message as it came. */
async function startRsyslog(): Promise<{ tcp: number; udp: number; messages: () => string[] }> {
  const folder = newFolder();
  const [tcp, udp] = [await freePort(), await freePort()];
  const out = join(folder, 'messages');
  const config = join(folder, 'rsyslog.conf');
  writeFileSync(
    config,
    [
      `global(workDirectory="${folder}" maxMessageSize="64k" parser.escapeControlCharactersOnReceive="off")`,
      'module(load="imtcp")',
      'module(load="imudp")',
      `input(type="imtcp" address="127.0.0.1" port="${tcp}")`,
      `input(type="imudp" address="127.0.0.1" port="${udp}")`,
      'template(name="whole" type="string" string="%syslogseverity% %app-name% %msgid% %msg%\\n")',
      `*.* action(type="omfile" file="${out}" template="whole")`,
      '',
    ].join('\n'),
  );
  const child: ChildProcess = spawn(PROGRAM as string, ['-n', '-f', config, '-i', join(folder, 'pid')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await untilListening(tcp);
  const messages = () =>
    existsSync(out)
      ? readFileSync(out, 'utf8')
          .split('\n')
          .slice(0, -1)
          .filter((line) => line.includes('CEF:'))
      : [];
  return { tcp, udp, messages };
}

describe.skipIf(PROGRAM === undefined)('rsyslog', () => {
  it.each(['tcp', 'udp'] as const)(
    'takes CEF over %s, with hostile names intact, one record for each incident',
    async (protocol) => {
      const server = await startRsyslog();
      const sink = await openSink(`cef:${protocol}://127.0.0.1:${server[protocol]}`);
      const quiet = notificationWith({ id: 'f'.repeat(16), severity: 'low' });
      const hostile = hostileNotification();
      for (const each of [hostile, quiet]) await sink.send(each);
      await sink.close();
      for (let i = 0; i < 100 && server.messages().length < 2; i++) await sleep(100);
      const messages = server.messages();
      expect(messages).toHaveLength(2);
      const text = cef.message(hostile);
      const sent = `3 recal ${hostile.id}.1 ${text}`;
      // Datagrams are cut at 2 KiB; what arrives is the beginning of what was sent.
      if (protocol === 'tcp') expect(messages[0]).toBe(sent);
      else expect(sent.startsWith(messages[0])).toBe(true);
      expect(messages[0].length).toBeGreaterThan(900);
      expect(messages[1]).toContain(`5 recal ${quiet.id}.1`);
      expect(messages[1]).toContain(cef.message(quiet));
    },
    30_000,
  );
});

it('this machine has rsyslogd, or says that its tests are left out', () => {
  expect(PROGRAM === undefined || spawnSync(PROGRAM, ['-v']).status === 0).toBe(true);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function untilListening(port: number): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const table = readFileSync('/proc/net/tcp', 'utf8');
    const hex = port.toString(16).toUpperCase().padStart(4, '0');
    if (new RegExp(`0100007F:${hex} 00000000:0000 0A`).test(table)) return;
    await sleep(100);
  }
  throw new Error('rsyslogd does not listen');
}
