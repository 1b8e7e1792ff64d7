import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page as Tab } from 'playwright-core';

const EXECUTABLE = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && path !== '' && existsSync(path),
);

const MISSING = 'skipped: install Chromium or set CHROMIUM to its path';

/** True if browser tests cannot run. `titled` adds the reason to their titles. */
export const NO_BROWSER = EXECUTABLE === undefined;

export function titled(title: string): string {
  return NO_BROWSER ? `${title} (${MISSING})` : title;
}

/** Starts headless Chromium without background requests. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  if (EXECUTABLE === undefined) throw new Error(MISSING);
  return await chromium.launch({
    executablePath: EXECUTABLE,
    headless: true,
    args: [
      '--no-sandbox', // containers lack user namespaces, and the tests open only pages of recal
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Opens a tab, and lists everything that a page must not do: log, throw, open a dialog, or load from elsewhere. */
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

/** Returns the captions of the tables that are wider than a printed page of this width. */
export async function cutInPrint(tab: Tab, width: number): Promise<string[]> {
  await tab.setViewportSize({ width, height: 900 });
  await tab.emulateMedia({ media: 'print' });
  return await tab.evaluate(`[...document.querySelectorAll('table')]
    .filter((table) => table.getBoundingClientRect().right > ${width})
    .map((table) => table.caption.textContent)`);
}
