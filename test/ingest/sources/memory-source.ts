import type { ByteSource } from '../../../src/ingest/sources/byte-source.js';

/** Returns a source with the bytes of an array. */
export function sourceOf(content: Uint8Array): ByteSource {
  let given = 0;
  return {
    name: 'test',
    consumed: 0,
    async read(target) {
      const part = content.subarray(given, given + target.length);
      target.set(part);
      given += part.length;
      return part.length;
    },
    close: async () => {},
  };
}
