import { execFile } from 'node:child_process';
import { readFile, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import type { Machine } from './finding.js';

const LONGEST_MS = 5000;

/** The machine that this process runs on. */
export const thisMachine: Machine = {
  now: () => Date.now(),
  isRoot: () => process.getuid?.() === 0,
  output: (program, args) =>
    new Promise((resolve) => {
      // No shell: nothing is interpreted. A fixed PATH: a program in the working folder is not run.
      const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
      execFile(program, [...args], { timeout: LONGEST_MS, env, maxBuffer: 1 << 22 }, (error, stdout) =>
        resolve(error === null ? stdout : undefined),
      );
    }),
  async disk(folder) {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  },
  async memory() {
    const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
    const available = /^MemAvailable: +(\d+) kB$/m.exec(text)?.[1];
    const machine = available === undefined ? freemem() : Number(available) * 1024;
    const limit = process.constrainedMemory?.() ?? 0;
    const own = process.memoryUsage().rss;
    return limit > 0 && limit < 2 ** 50 ? Math.min(machine, Math.max(0, limit - own)) : machine;
  },
};
