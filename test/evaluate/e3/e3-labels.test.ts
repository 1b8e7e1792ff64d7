import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { findE3Labels } from '../../../src/evaluate/e3/e3-labels.js';
import { newFolder } from '../../folders.js';

const published = fileURLToPath(new URL('../../../../shared/data/labels', import.meta.url));
const ID = 'AAAAAAAA-0000-4000-8000-00000000000';

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

describe('findE3Labels', () => {
  test('finds both kinds by plain names', async () => {
    writeFileSync(join(folder, 'theia.txt'), `${ID}1\n${ID}2\n`);
    writeFileSync(join(folder, 'E3-THEIA.csv'), `uuid,attack,kind,name\n${ID}3,dropper,file,/x\n`);
    const found = await findE3Labels(folder, 'theia');
    expect(found.map(({ protocol, tier, labels }) => [protocol, tier, labels.labels.length])).toEqual([
      ['paper', 'all', 2],
      ['honest', 'all', 1],
    ]);
  });

  test('finds the files of the simulator: the list with scans, and the core tier', async () => {
    writeFileSync(join(folder, 'labels.scan.txt'), `${ID}1\n${ID}2\n${ID}3\n`);
    writeFileSync(join(folder, 'labels.csv'), `uuid,attack,tier\n${ID}1,a,core\n${ID}2,a,touched\n`);
    const [paper, honest] = await findE3Labels(folder, 'cadets');
    expect(paper.labels.labels).toHaveLength(3);
    expect(honest).toMatchObject({ protocol: 'honest', tier: 'core' });
    expect(honest.labels.labels.map(({ id }) => id)).toEqual([`${ID}1`]);
  });

  test('needs one kind at least, and refuses an empty file', async () => {
    await expect(findE3Labels(folder, 'trace')).rejects.toMatchObject({
      code: 'e3-labels',
      exit: 2,
      hint: expect.stringContaining('trace.txt'),
    });
    mkdirSync(join(folder, 'threatrace'));
    writeFileSync(join(folder, 'threatrace/trace.txt'), `${ID}1\n`);
    expect((await findE3Labels(folder, 'trace')).map(({ protocol }) => protocol)).toEqual(['paper']);
    writeFileSync(join(folder, 'E3-TRACE.csv'), 'uuid,attack\n');
    await expect(findE3Labels(folder, 'trace')).rejects.toMatchObject({ code: 'labels-empty' });
  });

  test.skipIf(!existsSync(published))('finds the published files', async () => {
    const counts = [];
    for (const host of ['cadets', 'theia', 'trace'] as const) {
      const found = await findE3Labels(published, host);
      counts.push(found.map(({ labels }) => labels.labels.length));
    }
    expect(counts).toEqual([
      [12_858, 76],
      [25_358, 118],
      [68_172, 35],
    ]);
  });
});
