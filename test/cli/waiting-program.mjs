// A program with commands that only tests need, run as a real process by program.test.ts.
import { runProgram } from '../../dist/cli/program.js';

const nothing = { shape: {}, entries: [] };

const wait = {
  name: 'wait',
  summary: 'wait for a signal',
  arguments: { how: { description: 'clean or stubborn' } },
  settings: nothing,
  run({ how }, _settings, { out, signal }) {
    out.info('ready');
    return new Promise((_resolve, reject) => {
      const alive = setInterval(() => {}, 1000);
      if (how === 'stubborn') return;
      signal.addEventListener('abort', () => {
        clearInterval(alive);
        out.info('cleaned up');
        reject(signal.reason);
      });
    });
  },
};

const fail = {
  name: 'fail',
  summary: 'fail as a defect would',
  arguments: {},
  settings: nothing,
  async run() {
    throw new TypeError('cannot read \u001b[2Jname');
  },
};

const flood = {
  name: 'flood',
  summary: 'print until nobody reads',
  arguments: {},
  settings: nothing,
  async run(_args, _settings, { out, signal }) {
    while (!signal.aborted) {
      for (let line = 0; line < 1000; line++) out.print(`line ${line}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return 0;
  },
};

function loaded(command) {
  return { ...command, load: async () => command };
}

process.exit(
  await runProgram(process.argv.slice(2), [wait, fail, flood].map(loaded), {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    version: '0.0.0',
    signals: process,
    exit: (code) => process.exit(code),
  }),
);
