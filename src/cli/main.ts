#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import type { ExitCode } from '../base/errors.js';
import { commands } from './commands.js';
import { runProgram } from './program.js';
import { reportFailure } from './terminal/failure.js';
import { Output } from './terminal/output.js';

const { stdout, stderr, env } = process;
const manifest = new URL('../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

// Errors outside the command's own promise, such as in a stream nobody listens to.
process.on('uncaughtException', (error) => {
  process.exit(reportFailure(error, new Output({ stdout, stderr, env }), process.argv.includes('--stack')));
});
// A closed stderr leaves nowhere to complain.
stderr.on('error', () => {});

const code = await runProgram(process.argv.slice(2), commands, {
  stdout,
  stderr,
  env,
  cwd: process.cwd(),
  version,
  signals: process,
  exit: (code: ExitCode) => process.exit(code),
});
await written(stdout);
await written(stderr);
// Idle worker threads and database handles must not keep a finished program alive.
process.exit(code);

/** Pipes on some systems take output later; leaving before would lose it. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}
