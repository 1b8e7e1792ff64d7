/** A sequence of bytes to read in order. The file, decompressor and archive layers all implement it. */
export interface Bytes {
  /** Fills `target` and returns the number of bytes, which is smaller than the target only at the end. */
  read(target: Uint8Array): Promise<number>;
  /** Closes this layer but not the layer below. Pending reads reject. */
  close(): Promise<void>;
}

/** The first bytes of an input, and the whole input including them. */
export interface Peeked {
  /** Shorter than requested only if the input is. */
  head: Uint8Array;
  bytes: Bytes;
}

/** Returns the first `length` bytes without consuming them. It works on pipes, because it reads nothing twice. */
export async function peek(bytes: Bytes, length: number): Promise<Peeked> {
  const buffer = new Uint8Array(length);
  const head = buffer.subarray(0, await bytes.read(buffer));
  let given = 0;
  return {
    head,
    bytes: {
      async read(target) {
        if (given === head.length) return bytes.read(target);
        const part = head.subarray(given, given + target.length);
        target.set(part);
        given += part.length;
        if (part.length === target.length) return part.length;
        return part.length + (await bytes.read(target.subarray(part.length)));
      },
      close: () => bytes.close(),
    },
  };
}

/** Tells whether every byte is zero. */
export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
