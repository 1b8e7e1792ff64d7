import type { ByteSource, InputFile } from '../../ingest/sources/byte-source.js';

/** Whole lines of a log that grows. */
export interface LogChunk {
  /** Identifies the log, also after it was renamed or compressed. */
  readonly log: string;
  /** For people: the path. */
  readonly name: string;
  /** The number of lines of the log before these. */
  readonly linesBefore: number;
  readonly bytes: Uint8Array;
}

/** What one source read, and the position after it. */
export interface SourcePart {
  readonly source: string;
  readonly chunks: readonly LogChunk[];
  /** Any JSON value. */
  readonly position: unknown;
  /** True if nothing more comes for now: records that wait for others are complete. */
  readonly idle: boolean;
}

/** The lines of a chunk, as a reader wants them. */
export function inputOf({ name, bytes }: LogChunk): InputFile {
  let at = 0;
  const source: ByteSource = {
    name,
    get consumed() {
      return at;
    },
    async read(target) {
      const part = bytes.subarray(at, at + target.length);
      target.set(part);
      at += part.length;
      return part.length;
    },
    async close() {},
  };
  return {
    path: name,
    size: undefined,
    compression: 'none',
    archive: false,
    async *sources() {
      yield source;
    },
    sha256: async () => '',
    content: () => undefined,
    async close() {},
  };
}
