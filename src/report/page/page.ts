import { createHash } from 'node:crypto';
import { RecalError } from '../../base/errors.js';
import { type Content, Element, h, render } from './html.js';
import { STYLE } from './style.js';

/** The name that every command gives to its page. */
export const REPORT_FILE = 'report.html';

export interface Section {
  /** Its address in the page: lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** One or two sentences that say what the section shows. */
  readonly lead?: string;
  readonly content?: Content;
  readonly sections?: readonly Section[];
}

/** A figure to know before reading: what it is, and its value. */
export type Fact = readonly [label: string, value: Content];

export interface Page {
  readonly title: string;
  /** What kind of report this is, above the title. */
  readonly kind: string;
  readonly lead?: string;
  readonly facts?: readonly Fact[];
  readonly sections: readonly Section[];
  /** What made the page, for example `recal 0.1.0`. */
  readonly generator: string;
  /** The words of the footer: the command, the seed, when. Given by the caller, because a page has no clock. */
  readonly provenance?: Content;
}

const hash = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded, nothing runs, and only the page's own style sheet applies. Images: the icon below. */
export const POLICY = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;

// Without an icon of its own, a page read from a server makes the browser ask for one.
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 12 8 4l5 8" fill="none" stroke="#1c4f91" stroke-width="1.5"/><circle cx="3" cy="12" r="2.2"/><circle cx="13" cy="12" r="2.2"/><path d="M8 1.2 11 6.4H5z" fill="#b02318"/></svg>`;

/** One file that needs nothing else: no script, no network, no font. The same page gives the same bytes. */
export function renderPage(page: Page): string {
  const body = h(
    'body',
    {},
    h('a', { class: 'skip', href: '#content' }, 'Skip to the content'),
    h(
      'div',
      { class: 'sheet' },
      h(
        'header',
        {},
        h('p', { class: 'eyebrow' }, page.kind),
        h('h1', {}, page.title),
        page.lead !== undefined && h('p', { class: 'lead' }, page.lead),
        page.facts !== undefined && factList(page.facts),
      ),
      page.sections.length > 1 &&
        h(
          'nav',
          { 'aria-labelledby': 'contents' },
          h('h2', { id: 'contents' }, 'Contents'),
          contents(page.sections),
        ),
      h(
        'main',
        { id: 'content' },
        page.sections.map((section) => renderSection(section, 2)),
      ),
      h('footer', {}, h('p', {}, `Written by ${page.generator}. `, page.provenance)),
    ),
  );
  checkAddresses(body);
  const icon = `data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}`;
  const head = [
    h('meta', { charset: 'utf-8' }),
    h('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
    h('meta', { name: 'referrer', content: 'no-referrer' }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'generator', content: page.generator }),
    h('title', {}, page.title),
    h('link', { rel: 'icon', href: icon }),
  ];
  return `<!doctype html>\n<html lang="en">\n<head>${render(head)}\n<style>${STYLE}</style>\n</head>${render(body)}\n</html>\n`;
}

/** Labelled figures side by side. */
export function factList(facts: readonly Fact[]): Element {
  return h(
    'dl',
    { class: 'facts' },
    facts.map(([label, value]) => h('div', {}, h('dt', {}, label), h('dd', {}, value))),
  );
}

function contents(sections: readonly Section[]): Element {
  return h(
    'ol',
    {},
    sections.map((section) =>
      h(
        'li',
        {},
        h('a', { href: `#${section.id}` }, section.title),
        section.sections !== undefined && section.sections.length > 0 && contents(section.sections),
      ),
    ),
  );
}

function renderSection(section: Section, level: 2 | 3 | 4): Element {
  const below = level === 2 ? 3 : 4;
  return h(
    'section',
    { id: section.id, 'aria-labelledby': `${section.id}-title` },
    h(`h${level}`, { id: `${section.id}-title` }, section.title),
    section.lead !== undefined && h('p', {}, section.lead),
    section.content,
    section.sections?.map((each) => renderSection(each, below)),
  );
}

/** Two elements with one address would make links, labels and textures point to the wrong one. */
function checkAddresses(body: Element): void {
  const seen = new Set<string>();
  const pending: Content[] = [body];
  while (pending.length > 0) {
    const content = pending.pop();
    if (Array.isArray(content)) for (const each of content) pending.push(each);
    if (!(content instanceof Element)) continue;
    const { id } = content.attributes;
    if (id !== undefined) {
      if (!/^[a-z][\w.-]*$/i.test(String(id)))
        throw misplaced(`'${id}' cannot be the address of a part of a page`);
      if (seen.has(String(id))) throw misplaced(`two parts of the page have the address '${id}'`);
      seen.add(String(id));
    }
    pending.push(content.children);
  }
}

function misplaced(message: string): RecalError {
  return new RecalError('report-address', message, {
    hint: 'give each section, table and figure an id of its own',
  });
}
