import { type PlotOptions, plot } from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { ChartText } from '../page/figure.js';
import { type Attributes, type Content, type Element, h } from '../page/html.js';

/** The width of a drawing over the whole column. */
export const FULL_WIDTH = 920;

/** A centred axis label without an arrow. */
export function axisLabel(label: string) {
  return { label, labelAnchor: 'center', labelArrow: 'none' } as const;
}

/** The part of a DOM node that is read back from a drawing. */
interface DrawnNode {
  readonly nodeType: number;
  readonly localName: string;
  readonly textContent: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly childNodes: Iterable<DrawnNode>;
}

const ELEMENT = 1;
const TEXT = 3;

// The page sets fonts and styles. The drawing as a whole has an accessible name; its groups need none.
const DROPPED = new Set([
  'class',
  'style',
  'font-family',
  'aria-label',
  'aria-description',
  'aria-hidden',
  'xmlns',
]);

const { document } = parseHTML('<!doctype html><html><body></body></html>');

/**
 * Draws with Observable Plot and rebuilds the result with `h`, so that everything is escaped. Clip paths are named after
 * the drawing and coordinates keep two decimals, so the same data gives the same bytes whatever was drawn before.
 */
export function drawPlot(
  text: ChartText & { readonly description: string },
  options: PlotOptions,
  /** Drawn first, so below the marks of the plot. */
  ...beneath: Content[]
): Element {
  const drawn = plot({
    width: FULL_WIDTH,
    style: { fontSize: '12px' },
    ...options,
    document: document as never,
    figure: false,
  } as PlotOptions) as unknown as DrawnNode;
  const names = new Map<string, string>();
  const rename = (old: string): string => {
    const known = names.get(old) ?? `${text.id}-clip-${names.size + 1}`;
    names.set(old, known);
    return known;
  };
  const { attributes, children } = convert(drawn, rename);
  return h(
    'svg',
    {
      ...attributes,
      'font-size': 12,
      role: 'img',
      'aria-labelledby': `${text.id}-name`,
      'aria-describedby': `${text.id}-description`,
    },
    h('title', { id: `${text.id}-name` }, text.title),
    h('desc', { id: `${text.id}-description` }, text.description),
    beneath,
    children,
  );
}

function convert(
  node: DrawnNode,
  rename: (id: string) => string,
): { attributes: Attributes; children: Content[] } {
  const attributes: Record<string, string> = {};
  for (const { name, value } of node.attributes) {
    if (DROPPED.has(name)) continue;
    attributes[name] = convertValue(name, value, rename);
  }
  const children: Content[] = [];
  for (const child of node.childNodes) {
    if (child.nodeType === TEXT) children.push(child.textContent);
    else if (child.nodeType === ELEMENT && child.localName !== 'style') {
      const inner = convert(child, rename);
      // Plot writes an empty text for a tick without a label.
      if (child.localName === 'text' && inner.children.length === 0) continue;
      children.push(h(child.localName, inner.attributes, inner.children));
    }
  }
  return { attributes, children };
}

function convertValue(name: string, value: string, rename: (id: string) => string): string {
  if (name === 'id') return rename(value);
  const clip = name === 'clip-path' ? /^url\(#(.+)\)$/.exec(value) : null;
  if (clip !== null) return `url(#${rename(clip[1])})`;
  return value.replace(/-?\d+\.\d{3,}(e-?\d+)?/g, (digits) => String(Math.round(Number(digits) * 100) / 100));
}
