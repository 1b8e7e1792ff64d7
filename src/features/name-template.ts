/** Paths of Windows, whose case does not matter. */
const WINDOWS = /^[a-zA-Z]:\/|^\/device\/|^\?\?/;
const GUID = /\{?[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F-]{12,}\}?/g;
const SID = /s-1-5-[0-9-]+/giu;
// The lookbehind changes no match. Without it, a long run of digits costs the square of its length.
const VERSION = /(?<!\p{Nd})\p{Nd}+(?:[._-]\p{Nd}+)+/gu;
const HASH = /(?<![g-zG-Z])[0-9a-fA-F]{8,}(?![g-zG-Z])/g;
const NUMBER = /\p{Nd}+/gu;

/**
 * The part of a name that stays when users, versions and random parts change: GUIDs, SIDs, versions, hexadecimal runs
 * and digits become tokens, and Windows paths are lower-cased.
 */
export function nameTemplate(name: string): string {
  const path = name.replaceAll('\\', '/');
  return (WINDOWS.test(path) ? path.toLowerCase() : path)
    .replace(GUID, '<g>')
    .replace(SID, '<sid>')
    .replace(VERSION, '<v>')
    .replace(HASH, '<h>')
    .replace(NUMBER, '<n>');
}
