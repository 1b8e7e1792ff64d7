import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clearOutput } from '../../src/simulate/output-folder.js';
import { simulate } from '../../src/simulate/simulate.js';
import { filesBelow, newFolder } from '../folders.js';

const DEMO = { scenario: 'demo', events: 20_000 } as const;
const LABELS = ['labels.csv', 'labels.scan.txt', 'labels.txt'];

/** A folder whose manifest lists these files of one host. */
function listing(directory: string, ...names: string[]): string {
  const folder = join(newFolder(), 'world');
  mkdirSync(folder);
  const hosts = [{ directory, files: names.map((name) => ({ name })) }];
  writeFileSync(join(folder, 'scenario.json'), JSON.stringify({ version: 1, scenario: 'demo', hosts }));
  return folder;
}

describe('the output folder', () => {
  it('keeps no file of an earlier simulation with another format or number of hosts', async () => {
    const out = newFolder();
    await simulate({ ...DEMO, hosts: 2, out });
    writeFileSync(join(out, 'host-01', 'own.txt'), 'kept');
    writeFileSync(join(out, 'own.txt'), 'kept');
    await simulate({ ...DEMO, format: 'ndjson', out });
    expect(filesBelow(out)).toEqual([
      'calibrate.ndjson',
      'host-01/own.txt',
      ...LABELS,
      'own.txt',
      'scenario.json',
      'test.ndjson',
      'train.ndjson',
      'unusual.csv',
    ]);
    expect(existsSync(join(out, 'host-02'))).toBe(false);
  });

  it('is empty after a stopped simulation, and can be used again', async () => {
    const out = newFolder();
    await simulate({ ...DEMO, out });
    const stop = new AbortController();
    const seen: string[][] = [];
    const watch = () => {
      seen.push(readdirSync(out));
      stop.abort();
    };
    const options = { ...DEMO, events: 60_000, seed: 2, out };
    await expect(simulate(options, watch, stop.signal)).rejects.toThrow(/abort/i);
    // The labels of the earlier simulation are removed first.
    expect(seen[0]).toEqual(['train.json']);
    expect(readdirSync(out)).toEqual([]);
    expect(await simulate({ ...DEMO, out })).toMatchObject({ seed: 1 });
  });

  it('is rejected if it has other files, such as logs of the same name', async () => {
    const out = newFolder();
    const log = join(out, 'ta1-cadets-e3-official.json');
    writeFileSync(log, 'real');
    await expect(
      simulate({ scenario: 'freebsd-server', layout: 'e3', events: 36_000, out }),
    ).rejects.toMatchObject({ code: 'out-not-empty', exit: 2, hint: expect.stringContaining('--out') });
    expect(readFileSync(log, 'utf8')).toBe('real');
  });

  it.each([
    ['not JSON', '{'],
    ['null', 'null'],
    ['another program’s', '{"version":1,"scenario":"rain"}'],
  ])('is rejected if its manifest is %s', async (_, text) => {
    const out = newFolder();
    writeFileSync(join(out, 'scenario.json'), text);
    await expect(clearOutput(out)).rejects.toMatchObject({ code: 'out-not-empty' });
    expect(readFileSync(join(out, 'scenario.json'), 'utf8')).toBe(text);
  });

  it.each([
    ['', '../outside.json'],
    ['..', 'outside.json'],
    ['', '..'],
    ['/', 'etc'],
  ])('is rejected if its manifest names files outside it: %j, %j', async (directory, name) => {
    const folder = listing(directory, name);
    writeFileSync(join(folder, '../outside.json'), 'kept');
    await expect(clearOutput(folder)).rejects.toMatchObject({ code: 'out-not-empty' });
    expect(existsSync(join(folder, '../outside.json'))).toBe(true);
  });
});
