import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { built, ROOT } from '../built.js';
import { pages } from './pages.js';

/** The generated reference shows declarations, not programs. */
const REFERENCE = 'docs/reference/api.md';

/** The TypeScript of all pages, as files beside package.json, so that `recal-ids` is this package. */
const sources = new Map(
  pages
    .filter(({ path }) => path !== REFERENCE)
    .flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language }) => language === 'ts')
        .map(({ lines }, n) => [
          join(ROOT, `${path.replaceAll('/', '-')}-${n}.ts`),
          `${lines.join('\n')}\nexport {};\n`,
        ]),
    ),
);

test('the TypeScript in the docs compiles against the built package', () => {
  built('index.d.ts');
  expect(sources.size).toBeGreaterThan(5);
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.getSourceFile = (name, language, ...rest) => {
    const text = sources.get(name);
    if (text === undefined) return getSourceFile.call(host, name, language, ...rest);
    return ts.createSourceFile(name, text, language);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  const problems = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({
    file: file?.fileName,
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }));
  expect(problems).toEqual([]);
});
