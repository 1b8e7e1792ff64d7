import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CHUNK_BYTES, type Source } from '../../../src/live/sources/source.js';

/** A sender for the contract: what it gives must come out of the source. */
export interface SourceSetup {
  /** A new source on the same place, as after a restart. */
  open(): Promise<Source>;
  /** Gives whole lines to the place that the source reads from. Resolves when the sender may forget them. */
  send(lines: string): Promise<void>;
}

/** Reads until the source has been idle for a while. */
export async function readAll(
  source: Source,
  most = CHUNK_BYTES,
): Promise<{ text: string; position: unknown }> {
  let text = '';
  let position: unknown;
  for (let idle = 0; idle < 3; ) {
    const read = await source.read(most);
    position = read.position;
    for (const { bytes } of read.chunks) text += Buffer.from(bytes).toString('utf8');
    if (read.chunks.length > 0) idle = 0;
    else {
      idle++;
      await sleep(300);
    }
  }
  return { text, position };
}

/** What every source promises. */
export function sourceContract(title: string, setup: () => Promise<SourceSetup>): void {
  describe(`${title} as a source`, () => {
    it('gives lines in order, whole and once', async () => {
      const { open, send } = await setup();
      const source = await open();
      await source.open(undefined);
      await send('a 1\nb 2\n');
      const first = await readAll(source);
      await send('c 3\n');
      const second = await readAll(source);
      await source.close();
      expect(first.text).toBe('a 1\nb 2\n');
      expect(second.text).toBe('c 3\n');
    });

    it('goes on after a committed position, and repeats what was not committed', async () => {
      const { open, send } = await setup();
      const source = await open();
      await source.open(undefined);
      await send('a 1\n');
      const { position } = await readAll(source);
      await source.commit(position);
      await send('b 2\n');
      expect((await readAll(source)).text).toBe('b 2\n');
      await source.close();
      const again = await open();
      await again.open(JSON.parse(JSON.stringify(position)));
      expect((await readAll(again)).text).toBe('b 2\n');
      await again.close();
    });

    it('counts lines, so that an event can be found in its log', async () => {
      const { open, send } = await setup();
      const source = await open();
      await source.open(undefined);
      await send('a\nb\n');
      await readAll(source);
      await send('c\n');
      for (;;) {
        const { chunks } = await source.read(CHUNK_BYTES);
        if (chunks.length > 0) {
          expect(chunks[0].linesBefore).toBe(2);
          break;
        }
        await sleep(100);
      }
      await source.close();
    });

    it('is idle without lines, and tells no loss', async () => {
      const { open } = await setup();
      const source = await open();
      await source.open(undefined);
      const { chunks, idle } = await source.read(CHUNK_BYTES);
      expect(chunks).toEqual([]);
      expect(idle).toBe(true);
      expect([...source.losses]).toEqual([]);
      expect((await source.lag()).bytes).toBe(0);
      await source.close();
    });

    it('cuts between lines when less is asked for', async () => {
      const { open, send } = await setup();
      const source = await open();
      await source.open(undefined);
      const lines = Array.from({ length: 2000 }, (_, i) => `line ${i} ${'x'.repeat(100)}\n`).join('');
      await send(lines);
      expect((await readAll(source, 70_000)).text).toBe(lines);
      await source.close();
    });
  });
}
