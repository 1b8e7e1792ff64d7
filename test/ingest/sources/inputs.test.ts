import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecalError } from '../../../src/base/errors.js';
import { expandInputs } from '../../../src/ingest/sources/inputs.js';
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
    (paths) => new Error(`no error, but ${paths}`),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(RecalError);
  return error as RecalError;
}

describe('expandInputs', () => {
  const parts = ['t-1.json.gz', 't-1.json.1.gz', 't-1.json.2', 't-1.json.10', 't-2.json.0', 't-2.json.1'];

  it('returns the parts in order for any order of arguments', async () => {
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
    expect(await expand('*/t-?.json')).toEqual(['deep/t-8.json']);
    expect(await expand('.h*/*')).toEqual(['.hidden/t-7.json']);
  });

  it('handles many ** in a tree with a link to its root', async () => {
    put('a/b/c/d/x.json');
    symlinkSync(folder, join(folder, 'a/loop'));
    expect(await expand('**/**/a/**/**/c/**/*.json')).toEqual(['a/b/c/d/x.json']);
  });

  it('takes the path of an existing file literally, even with brackets', async () => {
    put('x[1].json', 'x1.json');
    expect(await expand('x[1].json')).toEqual(['x[1].json']);
  });

  it('returns a file once, by its real path', async () => {
    put('x.json', 'd/y.log');
    symlinkSync(join(folder, 'x.json'), join(folder, 'd/link-to-x.json'));
    expect(await expand('x.json', 'x.json', '*.json', 'd/link-to-x.json')).toEqual(['x.json']);
    const given = [join(folder, 'x.json'), `${folder}/./x.json`];
    expect(await expandInputs(given)).toEqual([join(folder, 'x.json')]);
    expect(await expandInputs(given.reverse())).toEqual([join(folder, 'x.json')]);
  });

  it('returns standard input last and once', async () => {
    const [path] = put('x.json');
    expect(await expandInputs(['-', path, '-'])).toEqual([path, '-']);
  });

  it('rejects two files of the same part and names both', async () => {
    put('x.json', 'x.json.0', 'x.json.1', 'y.json', 'y.json.gz', 'audit.log', 'audit.log.gz');
    const error = await failure('x.json*');
    expect(error).toMatchObject({ code: 'duplicate-part' });
    expect(error.message).toContain("x.json'");
    expect(error.message).toContain("x.json.0'");
    expect(await failure('y*')).toMatchObject({ code: 'duplicate-part' });
    expect(await expand('audit*')).toEqual(['audit.log', 'audit.log.gz']);
  });

  it('rejects a missing file and suggests similar names', async () => {
    put('x.json.gz');
    const error = await failure('x.json');
    expect(error).toMatchObject({ code: 'input-not-found', where: { file: join(folder, 'x.json') } });
    expect(error.hint).toContain('x.json.gz');
    expect(await failure('no/such/folder.json')).toMatchObject({ code: 'input-not-found' });
    expect(await failure('x.json.gz/below')).toMatchObject({ code: 'input-not-found' });
  });

  it('rejects a pattern without matches', async () => {
    put('d/x.log');
    expect(await failure('*.json')).toMatchObject({ code: 'input-no-match' });
    expect(await failure('nowhere/*.json')).toMatchObject({ code: 'input-no-match' });
    expect(await failure('?')).toMatchObject({ code: 'input-no-match' }); // a folder is no match
  });

  it('rejects a directory and lists files in it', async () => {
    put('json/x.json', 'logs/audit.log', '.empty/x');
    expect(await failure('json')).toMatchObject({ code: 'input-is-directory' });
    expect((await failure('json')).hint).toContain(join('json', '*.json*'));
    expect((await failure('logs')).hint).toContain('audit.log');
    mkdirSync(join(folder, 'void'));
    expect((await failure('void')).hint).toContain('empty');
  });

  it('escapes file names in errors', async () => {
    expect((await failure('a\u001b[2Jb.json')).message).not.toContain('\u001b');
  });

  it.skipIf(process.getuid?.() === 0)('rejects a file without read permission', async () => {
    const [path] = put('x.json');
    chmodSync(path, 0);
    expect(await failure('x.json')).toMatchObject({ code: 'input-unreadable' });
  });
});
