import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ended } from '../outages/watched-log.js';

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A running `recal watch`. */
export interface WatchProcess {
  /** Waits for a line of its log with this event, and returns it. */
  said(event: string): Promise<string>;
  stop(): Promise<void>;
}

export function startWatch(args: readonly string[]): WatchProcess {
  const words = ['watch', ...args, '--log', 'json', '--metrics', 'off'];
  const child = spawn(process.execPath, [CLI, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  const waiting = new Map<string, (line: string) => void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    for (const [event, found] of waiting) if (line.includes(`"event":"${event}"`)) found(line);
  });
  return {
    async said(event) {
      const known = lines.find((line) => line.includes(`"event":"${event}"`));
      if (known !== undefined) return known;
      const found = new Promise<string>((resolve) => waiting.set(event, resolve));
      const end = ended(child).then((code) => {
        throw new Error(`watch ended with ${code}: ${lines.slice(-5).join('\n')}`);
      });
      return Promise.race([found, end]).finally(() => waiting.delete(event));
    },
    async stop() {
      child.kill('SIGTERM');
      await ended(child);
    },
  };
}
