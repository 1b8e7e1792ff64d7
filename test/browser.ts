import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const EXECUTABLE = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && path !== '' && existsSync(path),
);

/** Why browser tests do not run here, or undefined where they do. */
export const NO_BROWSER =
  EXECUTABLE === undefined
    ? 'Chromium was not found: install it or set CHROMIUM to its path to run the browser tests'
    : undefined;

/** Chromium without a window and without any request of its own. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  if (EXECUTABLE === undefined) throw new Error(NO_BROWSER);
  return await chromium.launch({
    executablePath: EXECUTABLE,
    headless: true,
    args: [
      '--no-sandbox', // containers have no user namespaces; what is opened is our own output
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
