import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LineSink } from '../../src/simulate/audit/line-sink.js';

describe('LineSink', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'recal-sink-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('writes every line, even one longer than its buffer, and counts bytes', async () => {
    const path = join(directory, 'lines');
    const sink = new LineSink(path);
    const lines = [
      'short\n',
      `${'x'.repeat(3_000_000)}\n`,
      ...Array.from({ length: 40_000 }, (_, i) => `line ${i}\n`),
    ];
    for (const line of lines) sink.write(line);
    sink.close();
    const text = await readFile(path, 'latin1');
    expect(text === lines.join('')).toBe(true);
    expect(sink.bytes).toBe(text.length);
  });

  it('makes an empty file if nothing is written', async () => {
    const sink = new LineSink(join(directory, 'empty'));
    sink.close();
    expect(await readFile(join(directory, 'empty'), 'utf8')).toBe('');
    expect(sink.bytes).toBe(0);
  });
});
