import { type Content, type Element, h } from '../page/html.js';

/** What distinguishes a series from the others, with and without colour. */
export interface SeriesLook {
  readonly color: string;
  readonly dash: string;
  readonly symbol: 'circle' | 'square' | 'triangle' | 'diamond' | 'cross' | 'star';
}

const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star'] as const;
const DASHES = ['none', '7 3', '2 3', '10 3 2 3', '4 2'];
const TEXTURES = 6;

/** Colours and dashes have different periods, so thirty series differ in at least one of them. */
export function seriesLook(index: number): SeriesLook {
  return {
    color: `var(--series-${(index % 6) + 1})`,
    dash: DASHES[index % DASHES.length],
    symbol: SYMBOLS[index % SYMBOLS.length],
  };
}

/** The fill of series `index`. `textureDefs` with the same id defines it. */
export function textureFill(id: string, index: number): string {
  return `url(#${id}-texture-${index % TEXTURES})`;
}

/** Fills that differ in black and white: solid, stripes, dots, opposite stripes, empty, crosses. */
export function textureDefs(id: string, count: number): Element {
  const all = Array.from({ length: Math.min(count, TEXTURES) }, (_, index) => {
    const stroke = `var(--series-${index + 1})`;
    return h(
      'pattern',
      {
        id: `${id}-texture-${index}`,
        patternUnits: 'userSpaceOnUse',
        width: 6,
        height: 6,
        patternTransform: TURN[index],
      },
      h('rect', { width: 6, height: 6, fill: index === 0 ? stroke : 'var(--paper)' }),
      ink(index, stroke),
    );
  });
  return h('defs', {}, all);
}

const TURN: readonly (string | undefined)[] = [
  undefined,
  'rotate(45)',
  undefined,
  'rotate(-45)',
  undefined,
  'rotate(45)',
];

function ink(index: number, stroke: string): Content {
  if (index === 1) return h('line', { x1: 1.5, x2: 1.5, y1: 0, y2: 6, stroke, 'stroke-width': 3 });
  if (index === 2) return h('circle', { cx: 3, cy: 3, r: 1.4, fill: stroke });
  if (index === 3) return h('line', { x1: 3, x2: 3, y1: 0, y2: 6, stroke, 'stroke-width': 1.2 });
  if (index === 5) return h('path', { d: 'M3,0V6M0,3H6', stroke, 'stroke-width': 1 });
  return null;
}

/** One entry of the key of a chart. */
export interface KeyEntry {
  readonly sample: Element;
  readonly label: Content;
}

export function key(entries: readonly KeyEntry[]): Element {
  return h(
    'ul',
    { class: 'key' },
    entries.map((entry) => h('li', {}, entry.sample, h('span', {}, entry.label))),
  );
}

function sample(width: number, ...content: Content[]): Element {
  return h(
    'svg',
    { width, height: 14, viewBox: `0 0 ${width} 14`, 'aria-hidden': 'true', focusable: 'false' },
    content,
  );
}

/** A sample of the line of series `index`. */
export function lineSample(index: number): Element {
  const look = seriesLook(index);
  return sample(
    34,
    h('line', {
      x1: 0,
      x2: 34,
      y1: 7,
      y2: 7,
      stroke: look.color,
      'stroke-width': 2,
      'stroke-dasharray': look.dash,
    }),
  );
}

/** A sample of the fill of series `index` in the drawing with this id. */
export function textureSample(id: string, index: number): Element {
  return sample(
    22,
    h('rect', {
      x: 0.5,
      y: 0.5,
      width: 21,
      height: 13,
      fill: textureFill(id, index),
      stroke: seriesLook(index).color,
    }),
  );
}

/** A sample of a shape. Its path is centred on the origin. */
export function shapeSample(attributes: Readonly<Record<string, string | number>>): Element {
  return sample(16, h('path', { transform: 'translate(8,7)', ...attributes }));
}
