import { expect, onTestFinished, test } from 'vitest';
import { summariseSeeds } from '../../../src/evaluate/metrics/summary-statistics.js';
import { FIGURE_NAMES } from '../../../src/evaluate/result-schema.js';
import { cutInPrint, NO_BROWSER, openBrowser, openTab, titled } from '../../browser.js';
import { studyPage } from '../../report/pages.js';
import { resultOf } from './sample-result.js';

test.skipIf(NO_BROWSER)(titled('print cuts no table of an evaluation'), async () => {
  const names = ['recal', 'paper', 'wo-bl', 'wo-cd', 'zscore', 'max', 'mean', 'rarity', 'velox'];
  const result = resultOf(Object.fromEntries(names.map((name) => [name, [0.9, 0.4]])), {
    oracle: false,
    attacks: ['A1-server-exploit', 'A2-living-off-the-land'],
  });
  // Counts with as many digits as on a large host.
  for (const variant of Object.values(result.variants)) {
    const seeds = variant.seeds.map((seed, i) => ({
      ...seed,
      falseIncidents: 1234 + 1000 * i,
      falseIncidentsPerDay: 123.456 + 40 * i,
      fpUntilAllAttacks: 123_456 + 5000 * i,
      incidentsUntilAllAttacks: 1234 + 99 * i,
      nodesUntilAllAttacks: 123_456 + 7000 * i,
    }));
    Object.assign(variant, { seeds, ...summariseSeeds(seeds, FIGURE_NAMES) });
  }
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const { tab } = await openTab(browser);
  await tab.setContent(await studyPage({ title: 'T', runs: [{ name: 'honest', result }] }));
  expect(await tab.locator('#attack-effort').count()).toBe(1);
  expect(await cutInPrint(tab, 680)).toEqual([]);
});
