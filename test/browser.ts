import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page as Tab } from 'playwright-core';

const EXECUTABLE = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && path !== '' && existsSync(path),
);

const MISSING = 'Chromium was not found: install it or set CHROMIUM to its path to run the browser tests';

/** True where browser tests cannot run; `titled` says why in their titles. */
export const NO_BROWSER = EXECUTABLE === undefined;

export function titled(title: string): string {
  return NO_BROWSER ? `${title} (${MISSING})` : title;
}

/** Chromium without a window and without any request of its own. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  if (EXECUTABLE === undefined) throw new Error(MISSING);
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

/** A tab, and the list in which it notes whatever a page of ours must not do: complain, ask, or load from elsewhere. */
export async function openTab(
  browser: Browser,
  mayLoad: (url: string) => boolean = (url) => /^(file|data):/.test(url),
): Promise<{ tab: Tab; faults: string[] }> {
  const tab = await browser.newPage();
  const faults: string[] = [];
  tab.on('console', (message) => faults.push(`console: ${message.text()}`));
  tab.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  tab.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  tab.on('request', (request) => {
    if (!mayLoad(request.url())) faults.push(`request: ${request.url()}`);
  });
  return { tab, faults };
}

/** Tables that reach beyond the page as it is printed at this width, by their captions: paper does not scroll. */
export async function cutInPrint(tab: Tab, width: number): Promise<string[]> {
  await tab.setViewportSize({ width, height: 900 });
  await tab.emulateMedia({ media: 'print' });
  return await tab.evaluate(`[...document.querySelectorAll('table')]
    .filter((table) => table.getBoundingClientRect().right > ${width})
    .map((table) => table.caption.textContent)`);
}
