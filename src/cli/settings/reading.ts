import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { FORMATS } from '../../ingest/formats/known-formats.js';
import { DEFAULT_MAX_LINE } from '../../ingest/formats/reader.js';
import { TIME_UNITS } from '../../ingest/time.js';
import type { StagingOptions } from '../../store/stage-files.js';
import type { CommandContext } from '../command.js';

/** The settings of every command that reads logs. */
export const readingSettings = {
  format: {
    type: z.enum(['auto', ...FORMATS.map(({ name }) => name)]).default('auto'),
    description: 'log format; auto detects it from the content',
  },
  host: {
    type: z.string().min(1).max(255).optional(),
    description: 'host name to use instead of the one in the log',
    value: 'NAME',
  },
  timeUnit: {
    type: z.enum(TIME_UNITS).optional(),
    description: 'unit of the times in the log (default: the one that fits most events of a file)',
  },
  maxLine: {
    type: z.coerce
      .number()
      .int()
      .min(1024)
      .max(512 << 20)
      .default(DEFAULT_MAX_LINE),
    description: 'longest line in bytes; longer lines count as malformed',
    value: 'BYTES',
  },
  strict: { type: z.boolean().default(false), description: 'stop at the first malformed line' },
  threads: {
    type: z.coerce.number().int().min(0).max(64).optional(),
    description: 'parse threads (default: one per core); 0 uses the main thread',
    value: 'N',
  },
} as const;

interface ReadingValues {
  format: string;
  host?: string | undefined;
  timeUnit?: (typeof TIME_UNITS)[number] | undefined;
  maxLine: number;
  strict: boolean;
  threads?: number | undefined;
}

/** Runs work that reads files, with a progress line over their bytes. */
export async function withReading<T>(
  files: readonly string[],
  settings: ReadingValues,
  { signal, progress }: CommandContext,
  work: (options: StagingOptions) => Promise<T>,
): Promise<T> {
  const sizes = await Promise.all(
    files.map(async (file) => (file === '-' ? undefined : (await stat(file)).size)),
  );
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const bar = progress('reading', { total });
  try {
    const { format, host, timeUnit, maxLine, strict, threads } = settings;
    return await work({
      format,
      host,
      timeUnit,
      maxLine,
      strict,
      threads,
      signal,
      onProgress: ({ bytes, events }) => bar.update(bytes, events),
    });
  } finally {
    bar.finish();
  }
}
