import type { Tensor } from '../model/file/tensor-header.js';

/** Packs texts into two tensors: all bytes, and the end of each text. */
export function packTexts(name: string, texts: readonly string[]): Tensor[] {
  const bytes = texts.map((text) => Buffer.from(text, 'utf8'));
  let end = 0;
  const ends = Uint32Array.from(bytes, ({ length }) => {
    end += length;
    return end;
  });
  return [
    { name: `${name}.ends`, shape: [ends.length], data: ends },
    { name: `${name}.bytes`, shape: [end], data: new Uint8Array(Buffer.concat(bytes)) },
  ];
}

/** Unpacks texts. Returns undefined if the tensors do not match. */
export function unpackTexts(ends: Uint32Array, bytes: Uint8Array): string[] | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let start = 0;
  try {
    const texts = Array.from(ends, (end) => {
      if (end < start || end > bytes.length) throw new RangeError('the ends do not ascend');
      const text = decoder.decode(bytes.subarray(start, end));
      start = end;
      return text;
    });
    return start === bytes.length ? texts : undefined;
  } catch {
    return undefined;
  }
}
