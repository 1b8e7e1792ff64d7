import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { EXIT, RecalError } from '../../src/base/errors.js';
import { defineSettings } from '../../src/base/settings/settings.js';
import { type CommandDefinition, type CommandEntry, defineCommand } from '../../src/cli/command.js';
import { settingsCommand } from '../../src/cli/commands/settings.js';
import { commands as shipped } from '../../src/cli/commands.js';
import { sharedFolder } from '../folders.js';
import { runHere } from './run-here.js';

const folder = sharedFolder();
writeFileSync(join(folder, 'other.json'), '{"store":"other"}');
writeFileSync(join(folder, 'wrong.json'), '{\n"quiet": false,\n"stroe": "x"}');

const echo = entryOf(
  'echo',
  'print the parsed command line',
  defineCommand({
    arguments: { first: { description: 'one' }, rest: { description: 'more', optional: true, many: true } },
    settings: defineSettings({
      store: {
        type: z.string().default('recal-store'),
        description: 'folder of the store',
        value: 'DIR',
        short: '-s',
      },
      strict: { type: z.boolean().default(true), description: 'be strict' },
      timeUnit: { type: z.enum(['ns', 's']).default('ns'), description: 'unit of times' },
      label: { type: z.array(z.string()).default([]), description: 'a label' },
      rate: { type: z.number().default(1), description: 'a rate', bySet: true },
      folds: { type: z.boolean().default(true), description: 'fold rows', bySet: true },
    }),
    async run(args, settings, { out }) {
      // These lines are the test that the types follow from the declarations.
      const first: string = args.first;
      const rest: readonly string[] = args.rest;
      const unit: 'ns' | 's' = settings.timeUnit;
      if (first === 'fail') throw new RecalError('no-store', 'as asked');
      if (first === 'silent') return EXIT.alerts;
      out.info('working');
      out.result({ first, rest, unit, ...settings }, () => [`${first} ${settings.store}`]);
      return EXIT.done;
    },
  }),
);

const SETTINGS_SUMMARY = 'show settings';
const commands = [echo, entryOf('settings', SETTINGS_SUMMARY, settingsCommand([echo]))];

function entryOf(name: string, summary: string, definition: CommandDefinition): CommandEntry {
  return { name, summary, load: async () => ({ ...definition, name, summary }) };
}

const run = (line: string, env: Record<string, string> = {}, list: readonly CommandEntry[] = commands) =>
  runHere(line === '' ? [] : line.split(' '), { commands: list, cwd: folder, env, version: '1.2.3' });

describe('help', () => {
  test('lists commands, exit codes and settings', async () => {
    const { code, stdout, stderr } = await run('--help');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/echo +print the parsed command line/);
    for (const exit of Object.values(EXIT)) expect(stdout).toMatch(new RegExp(`^ {2}${exit} `, 'm'));
    for (const word of [
      'RECAL_',
      'NO_COLOR',
      'recal.config.json',
      '--quiet',
      '--json',
      '--no-color',
      '--stack',
      '--config',
    ]) {
      expect(stdout).toContain(word);
    }
  });

  test('of one command shows its options, their defaults and the global ones', async () => {
    const { stdout } = await run('echo --help');
    expect(stdout).toMatch(/-s, --store <DIR> +folder of the store \(default: recal-store\)/);
    expect(stdout).toMatch(/--no-strict +be strict/);
    expect(stdout).toMatch(/--time-unit <ns\|s>/);
    expect(stdout).toMatch(/--label <LABEL> +a label \(may be repeated\)/);
    expect(stdout).toMatch(/Global Options:.+--json/s);
    expect((await run('help echo')).stdout).toBe(stdout);
  });

  test('without any command goes to stderr and is a usage error', async () => {
    for (const list of [commands, []]) {
      const { code, stdout, stderr } = await run('', {}, list);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Usage: recal');
    }
  });

  test('every shipped command has its own', async () => {
    for (const { name, summary } of shipped)
      expect((await run(`${name} --help`, {}, shipped)).stdout).toContain(summary);
  });
});

test('--version', async () => {
  expect(await run('--version')).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' });
});

test('a program without commands still knows what to say', async () => {
  expect((await run('--help', {}, [])).code).toBe(0);
  expect(await run('ingest x', {}, [])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'ingest'"),
  });
});

describe('running', () => {
  test('arguments and settings arrive', async () => {
    const { code, stdout } = await run(
      'echo a b c --json -s X --no-strict --time-unit s --label p,q --label r',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      first: 'a',
      rest: ['b', 'c'],
      unit: 's',
      store: 'X',
      strict: false,
      timeUnit: 's',
      label: ['p,q', 'r'],
      rate: 1,
      folds: true,
    });
  });

  test('--set gives settings without an option, and any other setting', async () => {
    const line = 'echo a --json --set rate=2.5 --set folds=false --set timeUnit=s --set label=p,q';
    const { code, stdout } = await run(line);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rate: 2.5, folds: false, timeUnit: 's', label: ['p', 'q'] });
    const { stdout: fromEnv } = await run('echo a --json', { RECAL_RATE: '3' });
    expect(JSON.parse(fromEnv)).toMatchObject({ rate: 3 });
  });

  test.each([
    ['--set rate', 'usage-invalid-argument', 'KEY=VALUE'],
    ['--set raet=1', 'usage-unknown-setting', "did you mean 'rate'?"],
    ['--set rate=x', 'settings-invalid', '--set rate'],
    ['--set rate=1 --set rate=2', 'usage-repeated-setting', 'rate'],
    ['--time-unit s --set timeUnit=ns', 'usage-repeated-setting', 'timeUnit'],
    ['--rate 2', 'usage-moved-option', 'use --set rate=VALUE'],
    ['--no-folds', 'usage-moved-option', 'use --set folds=false'],
  ])('%s is refused', async (words, code, text) => {
    const { code: exit, stdout, stderr } = await run(`echo a --json ${words}`);
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code } });
    expect(stderr).toContain(text);
  });

  test.each([
    ['echo a', {}, 'a recal-store\n', 'working\n'],
    ['echo a --quiet', {}, 'a recal-store\n', ''],
    ['--quiet echo a', {}, 'a recal-store\n', ''],
    ['echo a', { RECAL_QUIET: '1' }, 'a recal-store\n', ''],
    ['echo a --no-quiet', { RECAL_QUIET: '1' }, 'a recal-store\n', 'working\n'],
    ['echo a', { RECAL_STORE: 'E' }, 'a E\n', 'working\n'],
    ['echo a --store F', { RECAL_STORE: 'E' }, 'a F\n', 'working\n'],
    ['echo a --config other.json', {}, 'a other\n', 'working\n'],
    ['echo a', { RECAL_CONFIG: 'other.json' }, 'a other\n', 'working\n'],
  ])('%s %j', async (line, env, stdout, stderr) => {
    expect(await run(line, env as Record<string, string>)).toEqual({ code: 0, stdout, stderr });
  });

  test('recal.config.json in the working directory is found', async () => {
    writeFileSync(join(folder, 'recal.config.json'), '{"store":"T","quiet":true,"echo":{"store":"S"}}');
    try {
      expect(await run('echo a')).toEqual({ code: 0, stdout: 'a S\n', stderr: '' });
    } finally {
      rmSync(join(folder, 'recal.config.json'));
    }
  });

  test('with --json a command without a result still prints an object', async () => {
    expect(await run('echo silent --json')).toEqual({ code: 3, stdout: '{}\n', stderr: '' });
    expect(await run('echo silent')).toEqual({ code: 3, stdout: '', stderr: '' });
  });

  test('a misspelt variable is worth a warning', async () => {
    expect((await run('echo a -q', { RECAL_STROE: 'x' })).stderr).toBe(
      'warning: environment variable RECAL_STROE is not a setting; did you mean RECAL_STORE?\n',
    );
  });
});

describe('errors', () => {
  test('a command that takes only options names one', async () => {
    const { code, stderr } = await run('verify host', {}, shipped);
    expect(code).toBe(2);
    expect(stderr).toBe(
      "error: recal verify takes only options\nhint: give each value with its option, such as --store DIR; 'recal verify --help' lists them\n",
    );
  });

  test.each([
    ['ecoh a', "error: unknown command 'ecoh'\nhint: did you mean 'echo'?\n"],
    ['nosuch --what', "error: unknown command 'nosuch'\nhint: 'recal --help' lists the commands\n"],
    ['echo a --stroe x', "error: unknown option '--stroe'\nhint: did you mean --store?\n"],
    ['echo', "error: missing required argument 'first'\nhint: usage: recal echo FIRST [REST…] [options]\n"],
    ['help ecoh', "error: unknown command 'ecoh'\nhint: did you mean 'echo'?\n"],
    [
      'echo a --time-unit h',
      "error: option --time-unit: expected one of ns, s, not 'h'\nhint: --time-unit: unit of times\n",
    ],
    [
      'echo a --config wrong.json',
      "error: unknown key 'stroe'\nhint: did you mean 'store'?\nat wrong.json:3\n",
    ],
    [
      'echo a --config no.json',
      'error: cannot read the configuration file\nhint: there is no such file\nat no.json\n',
    ],
  ])('%s', async (line, stderr) => {
    expect(await run(line)).toEqual({ code: 2, stdout: '', stderr });
  });

  test('reports a missing value in the usual form', async () => {
    const { code, stderr } = await run('echo a --store');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: option '-s, --store <DIR>' argument missing\nhint: .*\n$/);
  });

  test('of a command', async () => {
    expect(await run('echo fail')).toEqual({ code: 1, stdout: '', stderr: 'error: as asked\n' });
    expect((await run('echo fail --stack')).stderr).toContain('program.test.ts');
  });

  test('with --json, on stdout too', async () => {
    const { code, stdout } = await run('echo a --nosuch --json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage-unknown-option' } });
  });

  test('hostile arguments', async () => {
    expect((await run('\u001b[2J')).stderr).toMatch(/^error: unknown command '\\e\[2J'\n/);
    expect((await run('echo a --\u001b[2J')).stderr).toMatch(/^error: unknown option '--\\e\[2J'\n/);
  });
});

describe('recal settings', () => {
  test('tells where each value comes from', async () => {
    const { stdout } = await run('settings echo --config other.json --json', { RECAL_STRICT: '0' });
    const { settings } = JSON.parse(stdout) as { settings: Record<string, unknown>[] };
    expect(settings.map(({ key, value, from, at }) => [key, value, from, at])).toEqual([
      ['store', 'other', 'file', 'other.json:1'],
      ['strict', false, 'environment', 'RECAL_STRICT'],
      ['timeUnit', 'ns', 'default', undefined],
      ['label', [], 'default', undefined],
      ['rate', 1, 'default', undefined],
      ['folds', true, 'default', undefined],
    ]);
  });

  test('in a table, only what was changed', async () => {
    const { stdout } = await run('settings --changed', { RECAL_STORE: 'x\u202e' });
    expect(stdout).toBe(
      'command  option   value      from         description\necho     --store  x\\u{202e}  RECAL_STORE  folder of the store\n',
    );
  });

  test('marks required settings and describes defaults of profiles', async () => {
    const needy = entryOf(
      'needy',
      'needs a model',
      defineCommand({
        examples: [],
        arguments: {},
        settings: defineSettings({
          model: { type: z.string(), description: 'model file' },
          epochs: { type: z.number().optional(), description: 'passes', defaultText: '50, paper: 200' },
          threads: { type: z.number().optional(), description: 'threads (default: one per core); no limit' },
          report: { type: z.boolean().default(true), description: 'do not write a report' },
        }),
        run: async () => EXIT.done,
      }),
    );
    const { code, stdout } = await run('settings', {}, [
      needy,
      entryOf('settings', SETTINGS_SUMMARY, settingsCommand([needy])),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/needy +--model +required, not set +model file\n/);
    expect(stdout).toMatch(/needy +--epochs +50, paper: 200 +default +passes\n/);
    expect(stdout).toMatch(/needy +--threads +one per core +default +threads; no limit\n/);
    expect(stdout).toMatch(/needy +--no-report +false +default +do not write a report\n/);
  });

  test('refuses an unknown command', async () => {
    expect(await run('settings ehco')).toMatchObject({ code: 2, stderr: expect.stringContaining("'echo'") });
  });
});
