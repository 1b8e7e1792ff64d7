import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockStore } from '../../src/store/store-lock.js';
import { built } from '../built.js';
import { newFolder } from '../folders.js';

const LOCK = 'writer.lock';

function claim(folder: string, holder: unknown): void {
  writeFileSync(join(folder, LOCK), typeof holder === 'string' ? holder : JSON.stringify(holder));
}

/** The number of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

/** Another process that takes the lock and keeps it until it is killed. */
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

test('a claim says whose it is, and leaves nothing behind', async () => {
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

test('a second writer of the same process is told, and may come after the first', async () => {
  const folder = newFolder();
  const lock = await lockStore(folder);
  await expect(lockStore(folder)).rejects.toMatchObject({ code: 'store-busy' });
  expect(readdirSync(folder)).toEqual([LOCK]);
  await lock.release();
  await (await lockStore(folder)).release();
});

test('of many writers at once exactly one gets it', async () => {
  const folder = newFolder();
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockStore(folder)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(readdirSync(folder)).toEqual([LOCK]);
});

test('another process at it is told by its number; once killed, its claim is taken over', async () => {
  const folder = newFolder();
  const other = await otherWriter(folder);
  await expect(lockStore(folder)).rejects.toMatchObject({
    code: 'store-busy',
    message: `another process (${other.pid} on ${hostname()}) is writing to this store`,
    hint: expect.stringContaining(LOCK),
    where: { file: join(folder, LOCK) },
  });
  await other.kill();
  const lock = await lockStore(folder);
  expect(JSON.parse(readFileSync(join(folder, LOCK), 'utf8'))).toMatchObject({ pid: process.pid });
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['of a process that is gone', () => ({ pid: deadPid(), host: hostname() })],
  ['that is empty', () => ''],
  ['that is no JSON', () => '{"pid":'],
  ['of no process at all', () => ({ pid: 0, host: hostname() })],
  ['of a negative number, which would mean a group of processes', () => ({ pid: -1, host: hostname() })],
])('a claim %s is taken over', async (_what, holder) => {
  const folder = newFolder();
  claim(folder, holder());
  const lock = await lockStore(folder);
  expect(readdirSync(folder)).toEqual([LOCK]);
  await lock.release();
});

test('many writers after a dead one: still exactly one gets it, every time', async () => {
  const dead = { pid: deadPid(), host: hostname() };
  for (let round = 0; round < 100; round++) {
    const folder = newFolder();
    claim(folder, dead);
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockStore(folder)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([LOCK]);
  }
});

test('a successor that died while taking over is succeeded in its turn', async () => {
  const folder = newFolder();
  claim(folder, { pid: deadPid(), host: hostname() });
  writeFileSync(join(folder, `${LOCK}.next`), JSON.stringify({ pid: deadPid(), host: hostname() }));
  const lock = await lockStore(folder);
  expect(readdirSync(folder)).toEqual([LOCK]);
  await lock.release();
});

test('drafts of dead writers are swept, those of living ones are not', async () => {
  const folder = newFolder();
  const drafts = { dead: deadPid(), living: process.pid };
  for (const [name, pid] of Object.entries(drafts)) {
    writeFileSync(join(folder, `${LOCK}.${name}`), JSON.stringify({ pid, host: hostname() }));
  }
  await (await lockStore(folder)).release();
  expect(readdirSync(folder)).toEqual([`${LOCK}.living`]);
});

test('a claim from another machine is believed, for nobody here can know', async () => {
  const folder = newFolder();
  claim(folder, { pid: deadPid(), host: 'elsewhere.example' });
  await expect(lockStore(folder)).rejects.toMatchObject({
    code: 'store-busy',
    message: expect.stringContaining('elsewhere.example'),
  });
  expect(readdirSync(folder)).toEqual([LOCK]);
});

test('a folder that is not there', async () => {
  await expect(lockStore(join(newFolder(), 'nosuch'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test.runIf(existsSync('/proc/self/stat'))(
  'a dead writer’s number may be in use again: the claim is taken over',
  async () => {
    const folder = newFolder();
    claim(folder, { pid: process.pid, host: hostname(), began: 'another-boot 12345' });
    const lock = await lockStore(folder);
    await expect(lockStore(folder)).rejects.toMatchObject({ code: 'store-busy' });
    await lock.release();
  },
);
