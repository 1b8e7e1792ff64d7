import { printable } from '../../base/printable.js';

// Only these elements and attributes can be written: no script, frame, form or image.
const HTML_TAGS =
  words(`html head meta link title body header footer main nav section article h1 h2 h3 h4 p ul ol li
  dl dt dd div span a b em strong code pre small sub sup br time table caption thead tbody tr th td figure figcaption
  details summary`);
const SVG_TAGS = words(
  'svg g path rect circle line text tspan desc defs pattern clipPath marker polygon polyline',
);
const ATTRIBUTES =
  words(`id class lang title href download colspan rowspan scope open tabindex charset name content
  http-equiv rel datetime hidden start role aria-label aria-labelledby aria-describedby aria-hidden focusable viewBox
  width height x y x1 x2 y1 y2 dx dy cx cy r rx ry d points transform rotate fill fill-opacity fill-rule opacity stroke
  stroke-width stroke-dasharray stroke-dashoffset stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit
  text-anchor font-size font-weight font-style font-variant paint-order clip-path marker-start marker-mid marker-end
  orient refX refY markerWidth markerHeight markerUnits patternUnits patternTransform clipPathUnits`);

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Only `h` makes elements, so the text of every element is escaped. */
export class Element {
  private constructor(
    readonly tag: string,
    readonly attributes: Attributes,
    readonly children: readonly Content[],
  ) {}

  /** @internal Use `h`. */
  static make(tag: string, attributes: Attributes, children: readonly Content[]): Element {
    return new Element(tag, attributes, children);
  }
}

/** The content of an element. Strings are text, never markup. */
export type Content = Element | string | number | bigint | null | undefined | false | readonly Content[];

const VOID = words('meta link br');
const LINK =
  /^(#[\w.:-]+|data:text\/csv;charset=utf-8;base64,[\w+/]*={0,2}|data:image\/svg\+xml;base64,[\w+/]*={0,2})$/;
const OWN_REFERENCE = /^url\(#[\w.:-]+\)$/;

/**
 * An element of a report. Tags and attribute names come from our code and are checked against a list. Text and attribute
 * values may come from an attacker and are escaped when written.
 */
export function h(tag: string, attributes: Attributes = {}, ...children: Content[]): Element {
  if (!HTML_TAGS.has(tag) && !SVG_TAGS.has(tag)) throw new TypeError(`h: <${tag}> is not allowed`);
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTES.has(name)) throw new TypeError(`h: attribute '${name}' is not allowed`);
    if (typeof value !== 'string') continue;
    if (name === 'href' && !LINK.test(value)) {
      throw new TypeError('h: href must be a fragment or an allowed data URL');
    }
    if (isReference(name) && /url\s*\(/i.test(value) && !OWN_REFERENCE.test(value)) {
      throw new TypeError(`h: '${name}' must refer to this page`);
    }
  }
  if (VOID.has(tag) && children.length > 0) throw new TypeError(`h: <${tag}> cannot have children`);
  return Element.make(tag, attributes, children);
}

/** True if the value is read as CSS, where `url()` could load something. */
function isReference(name: string): boolean {
  return name === 'fill' || name === 'stroke' || name === 'clip-path' || name.startsWith('marker-');
}

/** A name from a log. Its style isolates its writing direction from the text around it. */
export function code(text: string): Element {
  return h('code', {}, text);
}

/** Returns HTML. The same content gives the same bytes. */
export function render(content: Content): string {
  const parts: string[] = [];
  write(content, parts);
  return parts.join('');
}

function write(content: Content, parts: string[]): void {
  if (content === null || content === undefined || content === false) return;
  if (content instanceof Element) writeElement(content, parts);
  else if (Array.isArray(content)) for (const each of content) write(each, parts);
  else parts.push(escapeText(printable(String(content))));
}

// Each block starts a new line, so that `diff` can compare two reports.
const BLOCKS =
  words(`meta link title body header footer main nav section article h1 h2 h3 h4 p ul ol li dl dt div table
  thead tbody tr figure figcaption details svg g desc defs`);

function writeElement(element: Element, parts: string[]): void {
  const { tag } = element;
  if (BLOCKS.has(tag)) parts.push('\n');
  parts.push('<', tag);
  for (const [name, value] of Object.entries(element.attributes)) {
    if (value === undefined || value === false) continue;
    if (value === true) parts.push(' ', name, '=""');
    else parts.push(' ', name, '="', escapeText(attributeText(name, value)), '"');
  }
  if (VOID.has(tag)) {
    parts.push('>');
    return;
  }
  if (SVG_TAGS.has(tag) && element.children.length === 0) {
    parts.push('/>');
    return;
  }
  parts.push('>');
  write(element.children, parts);
  parts.push('</', tag, '>');
}

// Text for people may be shortened; a shortened path or link would be wrong.
function attributeText(name: string, value: string | number | true): string {
  const forPeople = name === 'title' || name === 'aria-label' || name === 'content' || name === 'download';
  return printable(String(value), forPeople ? undefined : Number.POSITIVE_INFINITY);
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char]);
}
