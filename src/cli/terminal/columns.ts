// Characters that terminals draw two columns wide: East Asian wide and full-width characters, and most emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const NARROW = /^[\x20-\x7e]*$/;
const COMBINING = /[\p{Mn}\p{Me}]/u;

/** The width of one character in terminal columns. */
function columnsOfChar(char: string): number {
  if (COMBINING.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

/** The width of a text in terminal columns. */
export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let columns = 0;
  for (const char of text) columns += columnsOfChar(char);
  return columns;
}

/** Cuts a text to at most `width` columns. A cut text ends with `ellipsis`. */
export function cutTo(text: string, width: number, ellipsis = '…'): string {
  if (columnsOf(text) <= width) return text;
  const room = Math.max(0, width - ellipsis.length);
  let used = 0;
  let kept = '';
  for (const char of text) {
    used += columnsOfChar(char);
    if (used > room) break;
    kept += char;
  }
  return width < ellipsis.length ? ellipsis.slice(0, Math.max(0, width)) : kept + ellipsis;
}
