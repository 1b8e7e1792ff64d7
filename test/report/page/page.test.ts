import { createHash } from 'node:crypto';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { h } from '../../../src/report/page/html.js';
import { type Page, renderPage } from '../../../src/report/page/page.js';
import { HOSTILE } from '../hostile.js';

const page = (over: Partial<Page> = {}): Page => ({
  kind: 'Report',
  title: 'A title',
  generator: 'recal 1.2.3',
  sections: [
    { id: 'one', title: 'One', content: h('p', {}, 'text') },
    { id: 'two', title: 'Two' },
  ],
  ...over,
});

test('the policy allows the style sheet of the page by its hash, and loads nothing', () => {
  const text = renderPage(page());
  const policy: string = parseHTML(text)
    .document.querySelector('meta[http-equiv=Content-Security-Policy]')
    .getAttribute('content');
  const [, style] = /<style>([\s\S]*)<\/style>/.exec(text) as RegExpExecArray;
  expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).not.toMatch(/unsafe|http|\*/);
  // A policy does not apply to what comes before it.
  expect(text.indexOf('Content-Security-Policy')).toBeLessThan(text.indexOf('<style>'));
});

test('the contents link to every section', () => {
  const { document } = parseHTML(renderPage(page()));
  const links = [...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'));
  expect(links).toEqual(['#one', '#two']);
  for (const link of links) expect(document.querySelector(link)).not.toBeNull();
  const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map((each) => each.tagName);
  expect(levels).toEqual(['H1', 'H2', 'H2', 'H2']);
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

test('duplicate and invalid ids are refused', () => {
  expect(() =>
    renderPage(
      page({
        sections: [
          { id: 'a', title: '1' },
          { id: 'a', title: '2' },
        ],
      }),
    ),
  ).toThrow(TypeError);
  expect(() => renderPage(page({ sections: [{ id: 'a b', title: '1' }] }))).toThrow(TypeError);
});
