import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printable } from '../../src/base/printable.js';
import { barChart } from '../../src/report/charts/bar-chart.js';
import { scorePlot } from '../../src/report/charts/score-plot.js';
import { incidentGraph } from '../../src/report/graph/incident-graph.js';
import { code, h } from '../../src/report/page/html.js';
import { renderPage } from '../../src/report/page/page.js';
import { dataTable } from '../../src/report/page/tables.js';
import { NO_BROWSER, openBrowser, openTab, titled } from '../browser.js';
import { HOSTILE } from './hostile.js';
import { PAGES } from './pages.js';

const names = Object.values(HOSTILE);

function hostileReport(): string {
  return renderPage({
    kind: HOSTILE.svg,
    title: HOSTILE.script,
    lead: HOSTILE.direction,
    generator: HOSTILE.quote,
    provenance: HOSTILE.comment,
    facts: names.map((text) => [text, text]),
    sections: [
      {
        id: 'texts',
        title: HOSTILE.image,
        content: h(
          'ul',
          {},
          names.map((text) => h('li', {}, code(text))),
        ),
      },
      {
        id: 'parts',
        title: HOSTILE.style,
        content: [
          dataTable({
            id: 'table',
            title: HOSTILE.script,
            columns: [{ heading: HOSTILE.image, value: (text: string) => text, as: 'name' }],
            rows: names,
            download: true,
          }),
          barChart({
            id: 'bars',
            title: HOSTILE.svg,
            measure: HOSTILE.script,
            bars: names.map((label, i) => ({ label, value: i })),
          }),
          scorePlot({
            id: 'scores',
            title: HOSTILE.script,
            threshold: 2,
            points: names.map((name, i) => ({ name, score: i, alert: i > 2, time: BigInt(i) })),
          }),
          incidentGraph({
            id: 'incident',
            title: HOSTILE.image,
            most: 40,
            nodes: names.map((label, i) => ({
              id: String(i),
              kind: 'process',
              label,
              alert: true,
              score: i,
            })),
            edges: names.map((relation, i) => ({ from: '0', to: String(i), relation })),
          }),
        ],
      },
    ],
  });
}

describe.skipIf(NO_BROWSER)(titled('reports in Chromium'), () => {
  let browser: Browser;
  let html = '';
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  let address = '';

  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/report.html`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((done) => server.close(done));
  });

  /** Loads the page over HTTP, opens all details, and records what a page must not do. */
  async function open(text: string): Promise<{ tab: Tab; faults: string[] }> {
    html = text;
    asked.length = 0;
    const { tab, faults } = await openTab(
      browser,
      (url) => url === address || url.startsWith('data:image/svg+xml'),
    );
    await tab.goto(address, { waitUntil: 'load' });
    for (const details of await tab.locator('details > summary').all()) await details.click();
    return { tab, faults };
  }

  test('shows hostile names as text, runs nothing and loads nothing', async () => {
    const { tab, faults } = await open(hostileReport());
    expect(await tab.locator('#texts li').allTextContents()).toEqual(names.map((text) => printable(text)));
    expect(await tab.title()).toBe(HOSTILE.script);
    const found = await tab.evaluate(`({
      scripts: document.scripts.length,
      images: document.images.length,
      frames: window.frames.length,
      sheets: document.styleSheets.length,
      handlers: [...document.querySelectorAll('*')].filter((each) => [...each.attributes].some((a) => /^on|^style$|^src/.test(a.name))).length,
      links: [...document.querySelectorAll('[href]')].map((each) => each.getAttribute('href')).filter((href) => !/^(#|data:(text.csv|image.svg))/.test(href)),
    })`);
    expect(found).toEqual({ scripts: 0, images: 0, frames: 0, sheets: 1, handlers: 0, links: [] });
    expect(faults).toEqual([]);
    expect(asked).toEqual(['/report.html']);
    await tab.close();
  });

  test('a link saves the data of a table as a file', async () => {
    const { tab } = await open(hostileReport());
    const [download] = await Promise.all([
      tab.waitForEvent('download'),
      tab.locator('#table a[download]').click(),
    ]);
    expect(download.suggestedFilename()).toBe('table.csv');
    await tab.close();
  });

  test.each(Object.entries(PAGES))(
    'the %s page is styled, fits a phone and has no faults',
    async (_, write) => {
      const { tab, faults } = await open(await write());
      expect(await tab.evaluate(`getComputedStyle(document.querySelector('.drawing')).overflowX`)).toBe(
        'auto',
      );
      await tab.setViewportSize({ width: 390, height: 800 });
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      // Dark mode has light text.
      await tab.emulateMedia({ colorScheme: 'dark' });
      expect(await tab.evaluate(`getComputedStyle(document.body).color`)).toBe('rgb(231, 234, 238)');
      await tab.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await tab.evaluate(`getComputedStyle(document.body).color`)).toBe('rgb(0, 0, 0)');
      expect(faults).toEqual([]);
      await tab.close();
    },
  );
});
