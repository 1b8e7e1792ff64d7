const ENTITIES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};
const REFERENCE = /&(?:#(\d{1,7});|#x([0-9A-Fa-f]{1,6});|(lt|gt|amp|quot|apos)(?:[; ]|$|(?=[^\w])))/g;

/**
 * Replaces the five named entities and character references. Nothing else is a reference, so nothing can expand further.
 * A space may stand for the semicolon: some exports of Sentinel replace semicolons.
 */
export function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name];
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const invalid = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
    return invalid ? '\ufffd' : String.fromCodePoint(code);
  });
}
