import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockStore } from '../../src/store/store-lock.js';
import { built } from '../built.js';
import { newFolder } from '../folders.js';

const LOCK = 'writer.lock';

function writeLock(folder: string, holder: unknown): void {
  writeFileSync(join(folder, LOCK), typeof holder === 'string' ? holder : JSON.stringify(holder));
}

/** The id of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

/** Starts another process that holds the lock until it is killed. */
async function otherWriter(folder: string): Promise<{ pid: number; kill: () => Promise<void> }> {
  const script = `
    const { lockStore } = await import(${JSON.stringify(built('store/store-lock.js'))});
    await lockStore(${JSON.stringify(folder)});
    console.log('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return {
    pid: child.pid as number,
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test('a lock file describes its process, and a released lock leaves no file', async () => {
  const folder = newFolder();
  const lock = await lockStore(folder);
  expect(readdirSync(folder)).toEqual([LOCK]);
  expect(JSON.parse(readFileSync(join(folder, LOCK), 'utf8'))).toEqual({
    pid: process.pid,
    host: hostname(),
    ...(existsSync('/proc/self/stat')
      ? { began: expect.stringMatching(/^\S+ \d+$/), space: expect.any(String) }
      : {}),
  });
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a second writer of the same process is refused until the first releases the lock', async () => {
  const folder = newFolder();
  const lock = await lockStore(folder);
  await expect(lockStore(folder)).rejects.toMatchObject({ code: 'store-busy' });
  expect(readdirSync(folder)).toEqual([LOCK]);
  await lock.release();
  await (await lockStore(folder)).release();
});

test('exactly one of many simultaneous writers gets the lock', async () => {
  const folder = newFolder();
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockStore(folder)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(readdirSync(folder)).toEqual([LOCK]);
});

test('a lock of another process is refused with its id, and taken over once that process is killed', async () => {
  const folder = newFolder();
  const other = await otherWriter(folder);
  await expect(lockStore(folder)).rejects.toMatchObject({
    code: 'store-busy',
    message: expect.stringContaining(`${other.pid} on ${hostname()}`),
    hint: expect.stringContaining(`rm ${join(folder, LOCK)}`),
    where: { file: join(folder, LOCK) },
  });
  await other.kill();
  const lock = await lockStore(folder);
  expect(JSON.parse(readFileSync(join(folder, LOCK), 'utf8'))).toMatchObject({ pid: process.pid });
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['of a dead process', () => ({ pid: deadPid(), host: hostname() })],
  ['that is empty', () => ''],
  ['that is not JSON', () => '{"pid":'],
  ['of process 0', () => ({ pid: 0, host: hostname() })],
  ['of a negative id, which would mean a process group', () => ({ pid: -1, host: hostname() })],
])('a lock %s is taken over', async (_what, holder) => {
  const folder = newFolder();
  writeLock(folder, holder());
  const lock = await lockStore(folder);
  expect(readdirSync(folder)).toEqual([LOCK]);
  await lock.release();
});

test('exactly one of many simultaneous writers takes over the lock of a dead one', async () => {
  const dead = { pid: deadPid(), host: hostname() };
  for (let round = 0; round < 100; round++) {
    const folder = newFolder();
    writeLock(folder, dead);
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockStore(folder)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([LOCK]);
  }
});

test('the takeover lock of a writer that died is taken over too', async () => {
  const folder = newFolder();
  writeLock(folder, { pid: deadPid(), host: hostname() });
  writeFileSync(join(folder, `${LOCK}.next`), JSON.stringify({ pid: deadPid(), host: hostname() }));
  const lock = await lockStore(folder);
  expect(readdirSync(folder)).toEqual([LOCK]);
  await lock.release();
});

test('drafts of dead writers are removed, those of running writers are kept', async () => {
  const folder = newFolder();
  const drafts = { dead: deadPid(), running: process.pid };
  for (const [name, pid] of Object.entries(drafts)) {
    writeFileSync(join(folder, `${LOCK}.${name}`), JSON.stringify({ pid, host: hostname() }));
  }
  await (await lockStore(folder)).release();
  expect(readdirSync(folder)).toEqual([`${LOCK}.running`]);
});

test('a lock of another machine is never taken over', async () => {
  const folder = newFolder();
  writeLock(folder, { pid: deadPid(), host: 'elsewhere.example' });
  await expect(lockStore(folder)).rejects.toMatchObject({
    code: 'store-busy',
    message: expect.stringContaining('elsewhere.example'),
  });
  expect(readdirSync(folder)).toEqual([LOCK]);
});

test.runIf(process.platform !== 'win32').each([
  ['a dangling link', (path: string) => symlinkSync('/nonexistent/lock', path)],
  ['a link to a file', (path: string) => symlinkSync('/etc/hostname', path)],
  ['a folder', (path: string) => mkdirSync(path)],
])('%s in place of the lock is refused with what to do', async (_what, make) => {
  for (const name of [LOCK, `${LOCK}.next`]) {
    const folder = newFolder();
    if (name !== LOCK) writeLock(folder, { pid: deadPid(), host: hostname() });
    make(join(folder, name));
    await expect(lockStore(folder)).rejects.toMatchObject({
      code: 'store-unowned',
      hint: expect.stringContaining('remove it'),
      where: { file: join(folder, name) },
    });
    expect(lstatSync(join(folder, name)).isFile()).toBe(false);
  }
});

test('a missing folder cannot be locked', async () => {
  await expect(lockStore(join(newFolder(), 'nosuch'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test.runIf(existsSync('/proc/self/stat'))(
  'a lock is taken over if its process id now belongs to another process',
  async () => {
    const folder = newFolder();
    writeLock(folder, { pid: process.pid, host: hostname(), began: 'another-boot 12345' });
    const lock = await lockStore(folder);
    await expect(lockStore(folder)).rejects.toMatchObject({ code: 'store-busy' });
    await lock.release();
  },
);
