import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { built, ROOT } from './built.js';
import { filesBelow, sharedFolder } from './folders.js';

// Packs the package, unpacks it in an empty folder and uses it there. The dependencies come from the repository, so that
// the test needs no network.
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
  dependencies: Record<string, string>;
};
const folder = sharedFolder();
const modules = join(folder, 'node_modules');
const installed = join(modules, manifest.name);
let files: string[] = [];

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

function link(name: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction');
}

beforeAll(() => {
  built('index.js');
  // Without scripts: `prepare` would rebuild dist/ while other tests use it.
  execFileSync(npm, ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: ROOT });
  mkdirSync(installed, { recursive: true });
  // Relative names, because tar takes a drive letter for a host.
  const tarball = `${manifest.name}-${manifest.version}.tgz`;
  execFileSync('tar', ['-xzf', tarball, '-C', `node_modules/${manifest.name}`, '--strip-components=1'], {
    cwd: folder,
  });
  files = filesBelow(installed).map((path) => path.replaceAll('\\', '/'));
  for (const name of Object.keys(manifest.dependencies)) link(name);
  // npm does this for "bin".
  mkdirSync(join(modules, '.bin'));
  chmodSync(join(installed, 'dist/cli/main.js'), 0o755);
  symlinkSync(join(installed, 'dist/cli/main.js'), join(modules, '.bin/recal'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
});

describe('the tarball', () => {
  test('holds the built program and no development files', () => {
    expect(files).toContain('dist/index.js');
    expect(files).toContain('dist/cli/main.js');
    expect(files).toContain('LICENSE');
    // The README and the help of the commands name these pages.
    expect(files).toContain('docs/reference/alerts.md');
    const tops = new Set(files.map((file) => file.split('/')[0]));
    const allowed = [
      'dist',
      'docs',
      'examples',
      'schema',
      'README.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'LICENSE',
      'package.json',
    ];
    expect([...tops].filter((top) => !allowed.includes(top))).toEqual([]);
    expect(files.filter((file) => /\.test\.|\.tsbuildinfo$|node_modules/.test(file))).toEqual([]);
  });

  test('has every file that its pages link to', () => {
    const pages = files.filter((file) => file.endsWith('.md'));
    expect(pages).toContain('README.md');
    const dead = pages.flatMap((page) => {
      const text = readFileSync(join(installed, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
      return [...text.matchAll(/\]\(([^)#\s]+)[^)\s]*\)/g)]
        .filter(([, target]) => !/^[a-z]+:/.test(target))
        .filter(([, target]) => !existsSync(join(installed, dirname(page), target)))
        .map(([, target]) => `${page}: ${target}`);
    });
    expect(dead).toEqual([]);
  });

  test('has a file behind every export, with its types', () => {
    const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      exports: Record<string, string | { types: string; default: string }>;
    };
    for (const target of Object.values(exports)) {
      if (typeof target === 'string') {
        if (!target.includes('*')) expect(files).toContain(target.slice(2));
        continue;
      }
      expect(files).toContain(target.types.slice(2));
      expect(files).toContain(target.default.slice(2));
    }
  });

  test('holds no files of deleted sources (if it does, run: npm run build)', () => {
    // Only the compiler writes maps; other build steps may add files without a source.
    const orphans = files
      .filter((file) => file.startsWith('dist/') && file.endsWith('.js.map'))
      .filter((file) => !existsSync(join(ROOT, file.replace(/^dist\/(.*)\.js\.map$/, 'src/$1.ts'))));
    expect(orphans).toEqual([]);
  });
});

describe('installed', () => {
  test.skipIf(process.platform === 'win32')('the command runs', () => {
    const help = execFileSync(join(modules, '.bin/recal'), ['--help'], { cwd: folder, encoding: 'utf8' });
    expect(help).toContain('Usage: recal');
  });

  test('the library can be imported', () => {
    const script = `import(${JSON.stringify(manifest.name)}).then((m) => console.log(m.printable('a\\n'), m.EXIT.usage))`;
    expect(execFileSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' })).toBe(
      'a\\n 2\n',
    );
  });

  test('a strict TypeScript program compiles against its types', () => {
    writeFileSync(
      join(folder, 'consumer.ts'),
      [
        `import { EXIT, type Event, type ExitCode, printable, RecalError } from '${manifest.name}';`,
        "export const event: Event = { ts: 1523037672123456789n, host: 'h', rel: 'EVENT_READ', subj: { id: 'a' } };",
        "export const code: ExitCode = new RecalError('usage', printable(event.host)).exit;",
        'export const usage: 2 = EXIT.usage;',
        '// @ts-expect-error: a time is a bigint',
        "export const wrong: Event = { ts: 1, host: 'h', rel: 'r' };",
      ].join('\n'),
    );
    expect(compile(['--noEmit', '--skipLibCheck', 'false', 'consumer.ts'])).toBe('');
  });
});

describe('the examples', () => {
  const names = ['detect-incidents', 'explain-and-recalibrate', 'evaluate-variants'];

  test('compile and run, in the order of their README', { timeout: 300_000 }, () => {
    const sources = names.map((name) => join(installed, 'examples', `${name}.ts`));
    for (const [i, source] of sources.entries()) {
      writeFileSync(join(folder, `${names[i]}.ts`), readFileSync(source));
    }
    expect(compile(['--skipLibCheck', ...names.map((name) => `${name}.ts`)])).toBe('');
    const [detected, explained, evaluated] = names.map((name) =>
      run(process.execPath, [`${name}.js`, name === 'evaluate-variants' ? 'evaluated' : 'detected']),
    );
    expect(detected).toMatch(/^trained on \d+ events, model [0-9a-f]{12}\n1\. score [\d.]+: .+/);
    expect(detected).toMatch(/open detected.alerts.report\.html\n$/);
    expect(explained).toMatch(/compared with \d+ benign values/);
    expect(explained).toMatch(/\d+ incidents after recalibration\n$/);
    expect(evaluated).toMatch(/^recal: average precision 0\.\d{3}, AUROC 0\.\d{3}\nrarity: /);
  });
});

function compile(args: string[]): string {
  const options = [
    '--strict',
    '--target',
    'es2023',
    '--lib',
    'es2023',
    '--module',
    'nodenext',
    '--types',
    'node',
  ];
  for (const name of ['@types/node', 'undici-types']) {
    if (!existsSync(join(modules, name))) link(name);
  }
  return run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, ...args]);
}

/** Returns the output of the program, also if it fails: the output explains the failure. */
function run(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { cwd: folder, encoding: 'utf8' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr?: string };
    return `${stdout}${stderr ?? ''}`;
  }
}
