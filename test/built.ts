import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Returns the path of a built file, to run it as a process. Tests do not build; `npm test` builds first. */
export function built(path: string): string {
  const file = fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${file} is missing: run 'npm run build' first`);
  return file;
}
