import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { ended, type Telling } from './watched-log.js';

/** An HTTP receiver in a process of its own, which writes each notification to a file before it answers. */
export interface Receiver {
  readonly path: string;
  readonly port: number;
  kill(): Promise<void>;
  received(): Telling[];
}

/** `port` 0 chooses one. */
export async function startReceiver(path: string, port = 0): Promise<Receiver> {
  const child: ChildProcess = fork(new URL('./receiver-process.js', import.meta.url), [path, String(port)]);
  const own = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number));
    child.once('exit', (code) => reject(new Error(`the receiver ended with ${code}`)));
  });
  return {
    path,
    port: own,
    async kill() {
      child.kill('SIGKILL');
      await ended(child);
    },
    received: () =>
      existsSync(path)
        ? readFileSync(path, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line) as Telling)
        : [],
  };
}
