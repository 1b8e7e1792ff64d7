import { expect, test } from 'vitest';
import { PAGES } from './pages.js';

test.each(Object.entries(PAGES))('the %s page is complete, reproducible and small', async (_, write) => {
  const text = await write();
  expect(await write()).toBe(text);
  expect(text).not.toMatch(/NaN|undefined|\[object/);
  expect(text.length).toBeLessThan(600_000);
  const count = (tag: string): number => text.match(new RegExp(`<${tag}[ >]`, 'g'))?.length ?? 0;
  expect(count('figure')).toBeGreaterThan(1);
  expect(count('figcaption')).toBe(count('figure'));
  expect(count('caption')).toBe(count('table'));
});

test.each(Object.entries(PAGES))('every link of the %s page has a target', async (_, write) => {
  const text = await write();
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.length).toBeGreaterThan(1);
  expect(links.filter((id) => !ids.has(id))).toEqual([]);
});
