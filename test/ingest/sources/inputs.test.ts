import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecalError } from '../../../src/base/errors.js';
import { matchName } from '../../../src/ingest/sources/glob.js';
import { comparePartNames, expandInputs, partOf } from '../../../src/ingest/sources/inputs.js';
import { newFolder } from '../../folders.js';

let folder: string;
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => chmodSync(folder, 0o755));

function put(...names: string[]): string[] {
  return names.map((name) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, name);
    return path;
  });
}

const expand = async (...patterns: string[]) =>
  (await expandInputs(patterns.map((pattern) => join(folder, pattern)))).map((path) =>
    relative(folder, path),
  );

async function failure(...patterns: string[]): Promise<RecalError> {
  const error = await expand(...patterns).then(
    (paths) => new Error(`no error but ${paths}`),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(RecalError);
  return error as RecalError;
}

describe('partOf', () => {
  it.each([
    ['X.json', 'X.json', 0],
    ['X.json.0', 'X.json', 0],
    ['X.json.10', 'X.json', 10],
    ['d/X.json.2.gz', 'd/X.json', 2],
    ['X.json.2.zst', 'X.json', 2],
    ['X.json.tar.gz', 'X.json', 0],
    ['X.json.3.tgz', 'X.json', 3],
    ['X.json.3.tar.gz', 'X.json', 3],
    ['audit.log.1', 'audit.log.1', 0],
    ['audit.log.gz', 'audit.log.gz', 0],
    ['X.json.bak', 'X.json.bak', 0],
    ['7', '7', 0],
  ])('%s', (name, topic, part) => expect(partOf(name)).toEqual({ topic, part }));
});

describe('comparePartNames', () => {
  const ordered = [
    'a/ta1-cadets-e3-official.json',
    'a/ta1-cadets-e3-official.json.1.gz',
    'a/ta1-cadets-e3-official.json.2',
    'a/ta1-cadets-e3-official.json.10.tar.gz',
    'a/ta1-cadets-e3-official-1.json.0',
    'a/ta1-cadets-e3-official-1.json.1',
    'a/ta1-cadets-e3-official-2.json',
    'a/ta1-cadets-e3-official-10.json',
    'a/ta1-theia-e3-official-1r.json',
    'a/b/ta1.json',
    'a-b/ta1.json',
    'a2/audit.log',
    'a10/audit.log',
  ];

  it('orders folders and topics naturally and parts by number', () => {
    expect([...ordered].reverse().sort(comparePartNames)).toEqual(ordered);
  });

  it('gives the same result for every permutation', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ordered, { minLength: ordered.length }), (shuffled) => {
        expect(shuffled.sort(comparePartNames)).toEqual(ordered);
      }),
    );
  });

  it('is a total order on any names', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab019.-/', '.json', '.gz', '.1'), maxLength: 8 });
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(comparePartNames(a, b))).toBe(-Math.sign(comparePartNames(b, a)) + 0);
        expect(comparePartNames(a, b) === 0).toBe(a === b);
        const [x, y, z] = [a, b, c].sort(comparePartNames);
        expect(comparePartNames(x, y)).toBeLessThanOrEqual(0);
        expect(comparePartNames(y, z)).toBeLessThanOrEqual(0);
        expect(comparePartNames(x, z)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('matchName', () => {
  it.each([
    ['*.json*', 'x.json.1', true],
    ['*.json', 'x.json.1', false],
    ['x.json.?', 'x.json.1', true],
    ['x.json.?', 'x.json.10', false],
    ['x.json.[12]', 'x.json.2', true],
    ['x.json.[0-4]', 'x.json.5', false],
    ['x.json.[!0-4]', 'x.json.5', true],
    ['x[]]y', 'x]y', true],
    ['x[', 'x[', true],
    ['*', '.hidden', false],
    ['.h*', '.hidden', true],
    ['?', '😀', true],
    ['*', '', true],
    ['', 'x', false],
  ])('%s on %s: %s', (pattern, name, expected) => expect(matchName(pattern, name)).toBe(expected));

  it('does not blow up on a pattern made to backtrack', () => {
    const start = performance.now();
    expect(matchName('*a'.repeat(40), `${'a'.repeat(5000)}b`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('agrees with a regular expression on short names', () => {
    const symbols = fc.constantFrom('a', 'b', '*', '?');
    const short = fc.string({ unit: symbols, maxLength: 6 });
    fc.assert(
      fc.property(short, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }), (pattern, name) => {
        const regex = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(matchName(pattern, name)).toBe(regex.test(name));
      }),
    );
  });
});

describe('expandInputs', () => {
  const parts = ['t-1.json.gz', 't-1.json.1.gz', 't-1.json.2', 't-1.json.10', 't-2.json.0', 't-2.json.1'];

  it('gives the parts in order whatever the order of arguments', async () => {
    put(...parts);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(parts, { minLength: 1 }), async (some) => {
        expect(await expand(...some)).toEqual(parts.filter((part) => some.includes(part)));
      }),
      { numRuns: 50 },
    );
  });

  it('expands *, ?, [] and **', async () => {
    put(...parts, 'deep/er/t-9.json', 'deep/t-8.json', '.hidden/t-7.json', 'readme.md');
    expect(await expand('*.json*')).toEqual(parts);
    expect(await expand('t-1.json.?')).toEqual(['t-1.json.2']);
    expect(await expand('t-[2-9].json*')).toEqual(['t-2.json.0', 't-2.json.1']);
    expect(await expand('**/t-[789].json')).toEqual(['deep/t-8.json', 'deep/er/t-9.json']);
    expect(await expand('deep/**')).toEqual(['deep/t-8.json', 'deep/er/t-9.json']);
    expect(await expand('d*/e?/**/*.json')).toEqual(['deep/er/t-9.json']);
    expect(await expand('*')).toEqual(['readme.md', ...parts]);
  });

  it('survives many ** over a tree with a link to its own root', async () => {
    put('a/b/c/d/x.json');
    symlinkSync(folder, join(folder, 'a/loop'));
    expect(await expand('**/**/a/**/**/c/**/*.json')).toEqual(['a/b/c/d/x.json']);
  });

  it('takes an existing file literally, even with brackets', async () => {
    put('x[1].json', 'x1.json');
    expect(await expand('x[1].json')).toEqual(['x[1].json']);
  });

  it('counts the same file once, by its real path', async () => {
    put('x.json', 'd/y.log');
    symlinkSync(join(folder, 'x.json'), join(folder, 'd/link-to-x.json'));
    expect(await expand('x.json', 'x.json', '*.json', 'd/link-to-x.json')).toEqual(['x.json']);
    const given = [join(folder, 'x.json'), `${folder}/./x.json`];
    expect(await expandInputs(given)).toEqual([join(folder, 'x.json')]);
    expect(await expandInputs(given.reverse())).toEqual([join(folder, 'x.json')]);
  });

  it('keeps standard input last and once', async () => {
    const [path] = put('x.json');
    expect(await expandInputs(['-', path, '-'])).toEqual([path, '-']);
  });

  it('refuses two spellings of one part, naming both', async () => {
    put('x.json', 'x.json.0', 'x.json.1', 'y.json', 'y.json.gz', 'audit.log', 'audit.log.gz');
    const error = await failure('x.json*');
    expect(error).toMatchObject({ code: 'duplicate-part' });
    expect(error.message).toContain("x.json'");
    expect(error.message).toContain("x.json.0'");
    expect(await failure('y*')).toMatchObject({ code: 'duplicate-part' });
    expect(await expand('audit*')).toEqual(['audit.log', 'audit.log.gz']);
  });

  it('says what is wrong with a missing file, and what there is instead', async () => {
    put('x.json.gz');
    const error = await failure('x.json');
    expect(error).toMatchObject({ code: 'input-not-found', where: { file: join(folder, 'x.json') } });
    expect(error.hint).toContain('x.json.gz');
    expect(await failure('no/such/folder.json')).toMatchObject({ code: 'input-not-found' });
    expect(await failure('x.json.gz/below')).toMatchObject({ code: 'input-not-found' });
  });

  it('says so when a pattern matches nothing', async () => {
    put('d/x.log');
    expect(await failure('*.json')).toMatchObject({ code: 'input-no-match' });
    expect(await failure('nowhere/*.json')).toMatchObject({ code: 'input-no-match' });
    expect(await failure('?')).toMatchObject({ code: 'input-no-match' }); // a folder is no match
  });

  it('refuses a directory with a hint at what is in it', async () => {
    put('json/x.json', 'logs/audit.log', '.empty/x');
    expect(await failure('json')).toMatchObject({ code: 'input-is-directory' });
    expect((await failure('json')).hint).toContain(join('json', '*.json*'));
    expect((await failure('logs')).hint).toContain('audit.log');
    mkdirSync(join(folder, 'void'));
    expect((await failure('void')).hint).toContain('empty');
  });

  it('does not let a file name rewrite the terminal', async () => {
    expect((await failure('a\u001b[2Jb.json')).message).not.toContain('\u001b');
  });

  it.skipIf(process.getuid?.() === 0)('refuses what it may not read', async () => {
    const [path] = put('x.json');
    chmodSync(path, 0);
    expect(await failure('x.json')).toMatchObject({ code: 'input-unreadable' });
  });
});
