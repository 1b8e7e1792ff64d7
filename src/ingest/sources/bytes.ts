/** Bytes to be pulled in order: the one shape that disk, decompressor and archive layers stack in. */
export interface Bytes {
  /** Fills `target` as far as it can (only short at the end), returns bytes written, 0 at the end. */
  read(target: Uint8Array): Promise<number>;
  /** Ends the layer itself; the layer below stays open, its owner closes it. Pending reads reject. */
  close(): Promise<void>;
}

/** The first bytes of an input, and the input as if they had never been taken. */
export interface Peeked {
  /** Shorter than asked for only if the input is. */
  head: Uint8Array;
  bytes: Bytes;
}

/** Looks at the first `length` bytes; works on pipes too, because nothing is read twice. */
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

/** True if every byte is zero: padding. */
export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
