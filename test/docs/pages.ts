import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../built.js';

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly lines: readonly string[];
}

/** A Markdown page, taken apart as far as the tests need. */
export interface Page {
  /** Path from the root of the repository. */
  readonly path: string;
  /** Text without fenced blocks. */
  readonly prose: string;
  readonly blocks: readonly Block[];
  /** Inline code, with line breaks as blanks. */
  readonly inlineCode: readonly string[];
}

const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

export const pages: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'examples/README.md',
  ...docs,
]
  .sort()
  .map(readPage);

export function readPage(path: string): Page {
  const blocks: { language: string; lines: string[] }[] = [];
  const prose: string[] = [];
  let open: { language: string; lines: string[] } | undefined;
  for (const line of readFileSync(join(ROOT, path), 'utf8').split('\n')) {
    const fence = /^\s*```(\w*)/.exec(line);
    if (fence === null) (open?.lines ?? prose).push(line);
    else if (open === undefined) {
      open = { language: fence[1], lines: [] };
      blocks.push(open);
    } else open = undefined;
  }
  const text = prose.join('\n');
  const inlineCode = [...text.matchAll(/(`+) ?([^`][\s\S]*?) ?\1(?!`)/g)].map(([, , code]) =>
    code.replace(/\s+/g, ' '),
  );
  return { path, prose: text, blocks, inlineCode };
}
