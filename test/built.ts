import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The repository's own folder. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The built file to run as a real process. Tests do not build: `npm test` does so first. */
export function built(path: string): string {
  const file = fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${file} is missing: run 'npm run build' first`);
  return file;
}
