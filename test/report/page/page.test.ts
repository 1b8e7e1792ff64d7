import { createHash } from 'node:crypto';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { h } from '../../../src/report/page/html.js';
import { type Page, POLICY, renderPage } from '../../../src/report/page/page.js';
import { HOSTILE } from '../hostile.js';

const page = (over: Partial<Page> = {}): Page => ({
  kind: 'Report',
  title: 'A title',
  generator: 'recal 1.2.3',
  sections: [
    { id: 'one', title: 'One', content: h('p', {}, 'text'), sections: [{ id: 'inner', title: 'Inner' }] },
    { id: 'two', title: 'Two' },
  ],
  ...over,
});

test('the policy allows the style sheet of the page by its hash, and nothing that loads', () => {
  const text = renderPage(page());
  const [, style] = /<style>([\s\S]*)<\/style>/.exec(text) as RegExpExecArray;
  expect(POLICY).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  expect(POLICY).toMatch(/^default-src 'none';/);
  expect(POLICY).not.toMatch(/unsafe|http|\*/);
  // Nothing before the policy is read under no policy.
  expect(text.indexOf('Content-Security-Policy')).toBeLessThan(text.indexOf('<style>'));
});

test('contents link to every section, and headings go down one level at a time', () => {
  const { document } = parseHTML(renderPage(page()));
  const links = [...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'));
  expect(links).toEqual(['#one', '#inner', '#two']);
  for (const link of links) expect(document.querySelector(link)).not.toBeNull();
  const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map((each) => each.tagName);
  expect(levels).toEqual(['H1', 'H2', 'H2', 'H3', 'H2']);
  expect(document.querySelector('footer').textContent).toContain('recal 1.2.3');
  expect(document.querySelector('title').textContent).toBe('A title');
});

test.each(Object.entries(HOSTILE))('%s as a title adds no element', (_, hostile) => {
  const tags = (text: string): string[] => {
    const sections = [
      { id: 'one', title: text, lead: text },
      { id: 'two', title: text },
    ];
    const written = renderPage(
      page({ title: text, kind: text, lead: text, facts: [[text, text]], sections, provenance: text }),
    );
    return [...parseHTML(written).document.querySelectorAll('*')].map((each) => each.tagName);
  };
  expect(tags(hostile)).toEqual(tags('plain'));
});

test('two parts with one address, or an address that is none, are refused', () => {
  expect(() =>
    renderPage(
      page({
        sections: [
          { id: 'a', title: '1' },
          { id: 'a', title: '2' },
        ],
      }),
    ),
  ).toThrow(/address 'a'/);
  expect(() => renderPage(page({ sections: [{ id: 'a b', title: '1' }] }))).toThrow(/cannot be the address/);
});
