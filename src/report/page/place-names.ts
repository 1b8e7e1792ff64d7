import { shortenMiddle } from './shorten.js';

/** A mark at a position in pixels, and the name to draw beside it. */
export interface NamedPlace {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** An area in pixels. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const LONGEST = 28;
const ADVANCE = 7; // pixels per character at 12 px, a high estimate
const LINE = 15;
const MARK = 7;

/**
 * Places names within the bounds, in the order of the marks: right of the mark, else left, above or below. A name that
 * would cover another name or mark is left out. The result gives the left end of each name, at its middle height.
 */
export function placeNames(marks: readonly NamedPlace[], bounds: Box, most: number): NamedPlace[] {
  const taken: Box[] = marks.map(({ x, y }) => ({
    left: x - MARK,
    right: x + MARK,
    top: y - MARK,
    bottom: y + MARK,
  }));
  const placed: NamedPlace[] = [];
  for (const mark of marks) {
    if (placed.length >= most) break;
    const text = shortenMiddle(mark.text, LONGEST);
    const width = text.length * ADVANCE;
    const starts: [number, number][] = [
      [mark.x + MARK + 3, mark.y],
      [mark.x - MARK - 3 - width, mark.y],
      [mark.x - width / 2, mark.y - LINE],
      [mark.x - width / 2, mark.y + LINE],
    ];
    for (const [x, y] of starts) {
      const box = { left: x, right: x + width, top: y - LINE / 2, bottom: y + LINE / 2 };
      const inside =
        box.left >= bounds.left &&
        box.right <= bounds.right &&
        box.top >= bounds.top &&
        box.bottom <= bounds.bottom;
      if (!inside || taken.some((other) => overlaps(box, other))) continue;
      taken.push(box);
      placed.push({ x, y, text });
      break;
    }
  }
  return placed;
}

export function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
