import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Alert } from '../../../src/detect/alerts/alert.js';
import { renderDetectionReport } from '../../../src/report/detection/detection-report.js';
import { cutInPrint, NO_BROWSER, openBrowser, openTab, titled } from '../../browser.js';
import { makeSmallAlerts, type SmallAlerts } from '../../detect/alerts/small-alerts.js';
import { sharedFolder } from '../../folders.js';
import { smallReport } from '../small-report.js';

describe.skipIf(NO_BROWSER)(titled('a detection report in Chromium'), () => {
  let browser: Browser;
  let tab: Tab;
  let faults: string[];

  beforeAll(async () => {
    const small = await makeSmallAlerts(sharedFolder());
    browser = await openBrowser();
    ({ tab, faults } = await openTab(browser));
    await tab.setContent(renderDetectionReport(smallReport(small, { alerts: wordy(small) })));
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** Alerts with the longest relation name and a long frequency. */
  function wordy({ alerts }: SmallAlerts): Alert[] {
    return alerts.map((alert) => ({
      ...alert,
      evidence: alert.evidence.map((each) => ({
        ...each,
        relation: 'EVENT_MODIFY_FILE_ATTRIBUTES',
        n: 47,
        p: 1 / 48,
        floor: true,
      })),
    }));
  }

  async function show(width: number): Promise<void> {
    await tab.setViewportSize({ width, height: 900 });
    await tab.emulateMedia({ media: 'screen' });
  }

  test.each([1280, 400])('the actions have more room than the root, at %i pixels', async (width) => {
    await show(width);
    const widthOf = (kind: string): Promise<number> =>
      tab.evaluate(`document.querySelector('#incidents tbody .${kind}').getBoundingClientRect().width`);
    expect(await widthOf('sentence')).toBeGreaterThan(1.8 * (await widthOf('brief')));
  });

  test.each([1280, 400])(
    'relations do not wrap, and bars are beside their text, at %i pixels',
    async (width) => {
      await show(width);
      const lines =
        await tab.evaluate(`[...document.querySelectorAll('[id$=-evidence] td.whole')].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      const boxes = [...range.getClientRects()];
      return Math.max(...boxes.map((box) => box.top)) < Math.min(...boxes.map((box) => box.bottom));
    })`);
      expect(lines).toContain(true);
      expect(lines).not.toContain(false);
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(width);
    },
  );

  test('labels of a graph do not overlap', async () => {
    await show(1280);
    const clashes = await tab.evaluate(`[...document.querySelectorAll('.drawing svg')].flatMap((drawing) => {
      const boxes = [...drawing.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
      // The box of a text has room above and below its letters.
      const apart = ([, a], [, b]) =>
        a.right <= b.left || b.right <= a.left || a.bottom - 2 <= b.top + 2 || b.bottom - 2 <= a.top + 2;
      return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => !apart(a, b)).map((b) => a[0] + ' | ' + b[0]));
    })`);
    expect(clashes).toEqual([]);
    expect(await tab.locator('.drawing svg g[text-anchor]').count()).toBeGreaterThan(2);
  });

  test('print cuts no table and wraps no date or id', async () => {
    expect(await cutInPrint(tab, 680)).toEqual([]);
    const heights =
      await tab.evaluate(`[...document.querySelectorAll('#incidents tbody .whole')].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getBoundingClientRect().height;
    })`);
    expect(heights).toHaveLength(2);
    expect(Math.max(...(heights as number[]))).toBeLessThan(20);
    expect(faults).toEqual([]);
  });
});
