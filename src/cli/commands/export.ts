import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import { systemProblem } from '../../base/system-problem.js';
import { exportEvents } from '../../store/export.js';
import { Store } from '../../store/store.js';
import { defineCommand } from '../command.js';
import { selectionOf, selectionSettings } from '../settings/selection.js';
import { storeSetting } from '../settings/store-and-model.js';
import { warnOfStore } from '../terminal/store-notes.js';

export const command = defineCommand({
  details:
    'Writes one line per event, in order of time. Each event has the entity names that were known at its time. ' +
    'A file that ends in .gz is compressed.',
  examples: [
    'recal export --store /data/recal --split test --out test.ndjson.gz',
    'recal export --store /data/recal --from 2018-04-06 --to 2018-04-07 --out day.ndjson',
  ],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    ...selectionSettings,
    out: { type: z.string().min(1), description: 'file to write', value: 'FILE', short: '-o' },
  }),
  async run(_args, { store: folder, out: path, ...selection }, { out, signal, progress }) {
    const store = await Store.open(folder);
    await warnOfStore(folder, out);
    const bar = progress('writing', { unit: 'events' });
    let events = 0;
    async function* lines(): AsyncGenerator<string> {
      for await (const line of exportEvents(store, selectionOf(selection))) {
        signal.throwIfAborted();
        bar.update(++events);
        yield line;
      }
    }
    const draft = `${path}.new`;
    try {
      const stages = path.endsWith('.gz') ? [createGzip()] : [];
      await pipeline([Readable.from(inBlocks(lines())), ...stages, createWriteStream(draft)]);
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw explainWrite(error, path);
    } finally {
      bar.finish();
    }
    out.result({ events, file: path }, () => [`${countOf(events, 'event')} written to ${printable(path)}`]);
    return EXIT.done;
  },
});

const BLOCK = 1 << 16;

/** Joins short lines, because a stream has a cost per piece. */
async function* inBlocks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let block = '';
  for await (const line of lines) {
    block += line;
    if (block.length < BLOCK) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}

function explainWrite(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || error instanceof RecalError) return error;
  return new RecalError(
    'out-place',
    `cannot write ${printable(path)}: ${systemProblem(code)?.meaning ?? code}`,
    {
      hint: 'choose a file in a folder that exists and can be written',
      cause: error,
    },
  );
}
