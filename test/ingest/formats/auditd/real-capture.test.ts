import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { recal } from '../../../cli/recal-process.js';
import { sharedFolder } from '../../../folders.js';
import { auditctl, captureAudit, whyNoCapture } from './capture-audit.js';

const reason = whyNoCapture();
if (reason !== undefined) console.log(`the test of a real capture is skipped: ${reason}`);

/** A user whom nobody else is. */
const USER = 61_234;

interface End {
  id: string;
  type: string;
  name?: string;
  cmd?: string;
  pid?: number;
}
interface EventLine {
  rel: string;
  action: string;
  subj: End;
  obj?: End;
  obj2?: End;
  flow?: string;
}

describe.skipIf(reason !== undefined)('a capture on this machine with the rules that recal prints', () => {
  const folder = sharedFolder();
  const work = join(folder, 'work');
  const before = reason === undefined ? auditctl('-s') : undefined;
  let events: EventLine[] = [];
  let shell = 0;
  let port = 0;

  const find = (action: string, program: RegExp, object: RegExp): EventLine[] =>
    events.filter(
      (event) =>
        event.action === action &&
        program.test(event.subj.name ?? '') &&
        [event.obj, event.obj2].some((end) => object.test(end?.name ?? '')),
    );

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    mkdirSync(work);
    chownSync(work, USER, USER);
    writeFileSync(join(work, 'note.txt'), 'a note\n');
    mkdirSync(join(work, 'deep/er'), { recursive: true });
    writeFileSync(join(work, 'deep/er/word.txt'), 'a word\n');
    // The other user may not enter the folder of the binary that runs the tests.
    const node = join(folder, 'node');
    copyFileSync(process.execPath, node);
    chmodSync(node, 0o755);
    const server = createServer((socket) => socket.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as { port: number });
    const capture = join(folder, 'capture');
    mkdirSync(capture, { mode: 0o700 });
    const printed = await recal(['rules', 'auditd']);
    const log = await captureAudit(capture, printed.stdout, USER, async () => {
      const commands =
        `cat note.txt > copy.txt; mv copy.txt moved.txt; grep -r word deep; ` +
        `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'; ${node} -e 'net.connect(${port}, "127.0.0.1").on("close", () => {})'; true`;
      const child = spawn('/bin/sh', ['-c', commands], {
        cwd: work,
        uid: USER,
        gid: USER,
        env: { PATH: '/usr/bin:/bin' },
      });
      shell = child.pid as number;
      await once(child, 'exit');
    }).finally(() => server.close());
    writeFileSync(join(folder, 'audit.log'), log);
    const store = join(folder, 'store');
    const ingested = await recal(['ingest', join(folder, 'audit.log'), '--store', store, '--quiet']);
    expect(ingested.code, ingested.stderr).toBe(0);
    const exported = await recal([
      'export',
      '--store',
      store,
      '--out',
      join(folder, 'events.json'),
      '--quiet',
    ]);
    expect(exported.code, exported.stderr).toBe(0);
    events = readFileSync(join(folder, 'events.json'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as EventLine);
  }, 120_000);

  it('puts rules and daemon back as they were', () => {
    expect(auditctl('-l')?.trim()).toBe('No rules');
    const settings = (text: string | undefined) =>
      text
        ?.split('\n')
        .filter((line) => /^(enabled|failure|pid|backlog_limit|backlog_wait_time) /.test(line));
    expect(settings(auditctl('-s'))).toEqual(settings(before));
  });

  it.each([
    ['cat', /\/cat$/],
    ['mv', /\/mv$/],
    ['bash', /\/bash$/],
    ['node', /\/node$/],
  ] as const)('shows that the shell started %s', (_, program) => {
    const [run] = find('exec', program, program);
    // The name of a process is the one at the time of the event: the fork shows a copy of the shell.
    const started = events.filter(({ action, obj }) => action === 'fork' && obj?.id === run.subj.id);
    expect(started.map(({ subj }) => subj.pid)).toEqual([shell]);
    expect(find('exec', program, program)).toHaveLength(1);
  });

  it('shows the files of each command by absolute path and direction', () => {
    expect(find('read', /\/cat$/, /\/work\/note\.txt$/)).toHaveLength(1);
    const written = events.filter(
      ({ action, obj }) => /^(write|create)$/.test(action) && obj?.name === join(work, 'copy.txt'),
    );
    expect(written).toHaveLength(1);
    const [renamed, ...more] = find('rename', /\/mv$/, /copy\.txt$/);
    expect(more).toEqual([]);
    expect([renamed.obj?.name, renamed.obj2?.name]).toEqual([
      join(work, 'copy.txt'),
      join(work, 'moved.txt'),
    ]);
  });

  it('shows the files that a program finds by walking through folders', () => {
    expect(find('read', /\/grep$/, /\/work\/deep\/er\/word\.txt$/)).toHaveLength(1);
  });

  it('shows the connections by remote address', () => {
    const address = new RegExp(`^127\\.0\\.0\\.1:${port}$`);
    expect(find('connect', /\/bash$/, address)).toHaveLength(1);
    expect(find('connect', /\/node$/, address)).toHaveLength(1);
  });
});
