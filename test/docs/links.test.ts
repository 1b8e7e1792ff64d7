import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { DETECTION_SETTINGS } from '../../src/detect/detection-config.js';
import { TRAINING_SETTINGS } from '../../src/model/training/training-config.js';
import { built, ROOT } from '../built.js';
import { type Page, pages, readPage } from './pages.js';

const exists = (path: string) => existsSync(join(ROOT, path));

describe('links', () => {
  test.each(pages.map(({ path }) => path))('%s has no dead link', (path) => {
    const page = readPage(path);
    const dead = linksOf(page).filter((link) => !isAlive(page, link));
    expect(dead).toEqual([]);
  });

  test('the index lists every page', () => {
    const index = readPage('docs/README.md');
    const listed = linksOf(index).map((link) => targetOf(index, link).path);
    const wanted = pages
      .map(({ path }) => path)
      .filter((path) => path.startsWith('docs/') && path !== index.path);
    expect(wanted.filter((path) => !listed.includes(path))).toEqual([]);
  });

  test('files that pages name exist', () => {
    const named = pages.flatMap((page) =>
      page.inlineCode
        .filter((code) => /^(src|test|bench|kernels|scripts|schema|examples|docs)\/[\w./-]*$/.test(code))
        .filter((code) => !exists(code))
        .map((code) => `${page.path}: ${code}`),
    );
    expect(named).toEqual([]);
  });
});

describe('pages that the code names', () => {
  test.each(['src', 'bench', 'schema'])('%s names pages that exist', (folder) => {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    const wrong = files
      .filter((name) => /\.(ts|json)$/.test(name))
      .flatMap((name) => {
        const text = readFileSync(join(ROOT, folder, name), 'utf8');
        return [...text.matchAll(/\bdocs\/[\w/-]+\.md/g)].map(([page]) => ({ name, page }));
      })
      .filter(({ page }) => !exists(page));
    expect(wrong).toEqual([]);
  });
});

describe('commands', () => {
  const options = new Map<string, Set<string>>();
  const globals = new Set<string>();
  let commands: string[] = [];

  beforeAll(async () => {
    const help = await recalHelp();
    const list = help.slice(help.indexOf('\nCommands:'));
    commands = [...list.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name);
    for (const option of optionsIn(help)) globals.add(option);
    await Promise.all(
      commands.map(async (command) => options.set(command, optionsIn(await recalHelp(command)))),
    );
  });

  test('the help lists the commands', () => {
    expect(commands).toContain('detect');
    expect(options.get('detect')).toContain('--threshold');
  });

  test('every recal command and option exists', () => {
    const wrong = eachLine(recalLines).flatMap(({ where, line }) => {
      const [command, ...rest] = line.replace(/^(npx )?recal /, '').split(' ');
      if (command.startsWith('-')) return globals.has(command) ? [] : [`${where}: ${line}`];
      if (/^[A-Z]+$/.test(command)) return []; // a placeholder
      if (!commands.includes(command)) return [`${where}: no command ${command}: ${line}`];
      return rest
        .filter((word) => word.startsWith('--') && word.length > 2)
        .map((word) => word.replace(/=.*/, ''))
        .filter((option) => !knows(options.get(command), option) && !globals.has(option))
        .map((option) => `${where}: no option ${option}: ${line}`);
    });
    expect(wrong).toEqual([]);
  });

  test('every option named alone is an option of some command or bench', () => {
    const known = new Set([...options.values()].flatMap((all) => [...all]));
    const benches = readdirSync(join(ROOT, 'bench'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, 'bench', name), 'utf8'));
    const wrong = pages.flatMap((page) =>
      page.inlineCode
        .flatMap((code) => /^--[a-z][a-z-]*/.exec(code) ?? [])
        .filter((option) => !knows(known, option) && !globals.has(option))
        .filter((option) => !benches.some((text) => text.includes(option)))
        .map((option) => `${page.path}: ${option}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every setting given with --set or to recal sweep exists', () => {
    const keys = new Set([
      ...Object.keys(TRAINING_SETTINGS),
      ...Object.keys(DETECTION_SETTINGS),
      'calibrationShare',
    ]);
    const wrong = eachLine(recalLines).flatMap(({ where, line }) => {
      const given = [...line.matchAll(/--set ([A-Za-z]+)=/g)].map(([, key]) => key);
      if (line.includes('recal sweep ')) {
        given.push(...[...line.matchAll(/ ([A-Za-z]+)=[^ ]/g)].map(([, key]) => key));
      }
      return given
        .filter((key) => !keys.has(key) && key !== 'key' && key !== 'KEY')
        .map((key) => `${where}: ${key}`);
    });
    expect(wrong).toEqual([]);
  });

  test('every npm script and bench exists', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const lines = eachLine(npmLines);
    expect(lines.length).toBeGreaterThan(0);
    const wrong = lines.filter(({ line }) => {
      const [, run, script, , bench] = /^npm (run )?([\w:-]+)( -- ([a-z-]+))?/.exec(line) ?? [];
      if (run === undefined && script !== 'start' && script !== 'test') return false;
      if (scripts[script] === undefined) return true;
      return script === 'bench' && bench !== undefined && !exists(`bench/${bench}.ts`);
    });
    expect(wrong).toEqual([]);
  });

  test('test files that commands name exist', () => {
    const wrong = eachLine((text) => [text]).flatMap(({ where, line }) =>
      [...line.matchAll(/(?:vitest run|test:unit --) (test\/[\w./-]+)/g)]
        .filter(([, path]) => !exists(path))
        .map(([, path]) => `${where}: ${path}`),
    );
    expect(wrong).toEqual([]);
  });
});

function linksOf({ prose }: Page): string[] {
  const text = prose.replace(/(`+)[^`][\s\S]*?\1(?!`)/g, 'code');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function targetOf({ path }: Page, link: string): { path: string; anchor: string | undefined } {
  const [file, anchor] = link.split('#');
  return { path: file === '' ? path : relative(ROOT, join(ROOT, dirname(path), file)), anchor };
}

function isAlive(page: Page, link: string): boolean {
  const { path, anchor } = targetOf(page, link);
  if (path.startsWith('..')) return false;
  if (!exists(path)) return false;
  if (anchor === undefined) return true;
  return path.endsWith('.md') && statSync(join(ROOT, path)).isFile() && anchorsOf(readPage(path)).has(anchor);
}

/** The anchors that GitHub gives to headings, and those that a page sets itself. */
function anchorsOf({ prose }: Page): Set<string> {
  const anchors = new Set([...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id));
  for (const [, heading] of prose.matchAll(/^#{1,6} +(.+)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}\p{Pc} -]/gu, '').replace(/ /g, '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Commands of all pages: of inline code, of shell blocks, and of transcripts, whose commands follow a `$`. */
function eachLine(pick: (text: string) => string[]): { where: string; line: string }[] {
  return pages.flatMap((page) => {
    const shell = page.blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ lines }) => lines.map((line) => line.replace(/(^|\s)#.*/, '')));
    const transcripts = page.blocks.flatMap(({ lines }) =>
      lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)),
    );
    return [...page.inlineCode, ...shell, ...transcripts]
      .flatMap(pick)
      .map((line) => ({ where: page.path, line }));
  });
}

const commandsIn = (text: string) => text.split(/\s*(?:&&|\|\||[|;])\s*/).map((part) => part.trim());
const recalLines = (text: string) => commandsIn(text).filter((part) => /^(npx )?recal [a-zA-Z-]/.test(part));
const npmLines = (text: string) => commandsIn(text).filter((part) => /^npm (run|start|test)\b/.test(part));

async function recalHelp(...command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    built('cli/main.js'),
    ...command,
    '--help',
  ]);
  return stdout;
}

function optionsIn(help: string): Set<string> {
  return new Set([...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option));
}

/** The help shows a switch the way that changes something; the other way exists too. */
function knows(options: Set<string> | undefined, option: string): boolean {
  const other = option.startsWith('--no-') ? option.replace('--no-', '--') : option.replace('--', '--no-');
  return options !== undefined && (options.has(option) || options.has(other));
}
