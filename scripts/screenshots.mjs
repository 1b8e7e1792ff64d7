#!/usr/bin/env node
// Draws docs/images/report.png and docs/images/incident.png from the report of the demo. Run it after a change to the
// report. It needs Chromium (/usr/bin/chromium, or the path in CHROMIUM).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

process.chdir(join(import.meta.dirname, '..'));

const MARGIN = 12;
const folder = mkdtempSync(join(tmpdir(), 'recal-screenshots-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'], // containers lack user namespaces, and the page is our own
});
try {
  execFileSync(process.execPath, ['dist/cli/main.js', 'demo', '--out', join(folder, 'demo'), '--quiet']);
  const tab = await browser.newPage({ viewport: { width: 1200, height: 1000 }, bypassCSP: true });
  await tab.goto(pathToFileURL(join(folder, 'demo/alerts/report.html')).href);
  await shoot(tab, 'report', 0, await endOf(tab.locator('figure .key').first()));
  // The page scrolls a wide graph; the picture shows all of it.
  await tab.setViewportSize({ width: 1380, height: 1000 });
  await tab.addStyleTag({ content: '.sheet { max-width: none; }' });
  const incident = await tab.locator('.incident').first().boundingBox();
  await shoot(
    tab,
    'incident',
    incident.y - MARGIN,
    await endOf(tab.locator('.incident figure .key').first()),
  );
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function endOf(element) {
  const { y, height } = await element.boundingBox();
  return y + height + MARGIN;
}

/** Saves the rows of the page from `top` to `bottom`. */
async function shoot(tab, name, top, bottom) {
  const path = `docs/images/${name}.png`;
  const { width } = tab.viewportSize();
  await tab.screenshot({ path, fullPage: true, clip: { x: 0, y: top, width, height: bottom - top } });
  console.log(`wrote ${path}`);
}
