import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { printable } from '../../../src/base/printable.js';
import { code, h, render } from '../../../src/report/page/html.js';
import { HOSTILE } from '../hostile.js';

test('an element with any text has exactly one text child with that text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const { document } = parseHTML(`<html><body>${render(h('p', { title: text }, text))}</body></html>`);
      const paragraph = document.querySelector('p');
      expect(paragraph.children.length).toBe(0);
      expect(paragraph.textContent).toBe(printable(text));
      expect(paragraph.getAttribute('title')).toBe(printable(text));
      expect([...paragraph.attributes].length).toBe(1);
    }),
  );
});

test.each(Object.entries(HOSTILE))('%s leaves no markup and no control character', (_, text) => {
  const written = render(h('td', { 'aria-label': text }, code(text)));
  expect(written.replace(/^<td aria-label="[^"<>]*"><code>/, '').replace(/<\/code><\/td>$/, '')).not.toMatch(
    /[<>"']/,
  );
  expect(written).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
});

test('active elements and attributes are refused', () => {
  for (const tag of [
    'script',
    'style',
    'iframe',
    'img',
    'object',
    'form',
    'foreignObject',
    'animate',
    'use',
    'base',
  ]) {
    expect(() => h(tag)).toThrow(TypeError);
  }
  for (const name of ['onclick', 'onload', 'style', 'src', 'srcdoc', 'xlink:href', 'action']) {
    expect(() => h('p', { [name]: 'x' })).toThrow(TypeError);
  }
  for (const href of [
    'javascript:alert(1)',
    'http://a.example/',
    '//a.example',
    'data:text/html,x',
    '#a b',
    ' #a',
    '',
  ]) {
    expect(() => h('a', { href })).toThrow(TypeError);
  }
  expect(() => h('path', { fill: 'url(http://a.example/x)' })).toThrow(TypeError);
  expect(() => h('path', { stroke: 'red URL (#a)' })).toThrow(TypeError);
});

test('writes numbers and lists, and skips null, undefined and false', () => {
  const list = h(
    'ul',
    {},
    [1, 2n].map((n) => h('li', {}, n)),
    null,
    undefined,
    false,
    'end',
  );
  expect(render(list)).toBe('\n<ul>\n<li>1</li>\n<li>2</li>end</ul>');
  expect(render(h('details', { open: true, id: undefined, hidden: false }))).toBe(
    '\n<details open=""></details>',
  );
  expect(render(h('path', { d: 'M0,0' }))).toBe('<path d="M0,0"/>');
});

test('shortens a long text and says so, but never a path', () => {
  expect(render(h('p', {}, 'x'.repeat(5000)))).toContain('x… (5000 characters)');
  expect(render(h('path', { d: 'M0,0'.repeat(5000) }))).toHaveLength('<path d=""/>'.length + 20_000);
});
