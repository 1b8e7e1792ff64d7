const SLASH = 0x2f;
const DOT = 0x2e;

/** Tells whether bytes are an absolute path without empty, `.` or `..` parts and without a slash at the end. */
export function isCleanPath(bytes: Uint8Array, start: number, stop: number): boolean {
  if (start === stop || bytes[start] !== SLASH) return false;
  if (stop === start + 1) return true;
  for (let i = start; i < stop; i++) {
    if (bytes[i] !== SLASH) continue;
    const next = bytes[i + 1];
    if (i + 1 === stop || next === SLASH) return false;
    if (next !== DOT) continue;
    const second = i + 2 === stop ? SLASH : bytes[i + 2];
    const third = i + 3 >= stop ? SLASH : bytes[i + 3];
    if (second === SLASH || (second === DOT && third === SLASH)) return false;
  }
  return true;
}

/** Joins a name to a folder, and removes empty, `.` and `..` parts. Symbolic links are not followed. */
export function joinPath(folder: string, name: string): string {
  const parts: string[] = [];
  for (const part of (name.startsWith('/') ? name : `${folder}/${name}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
