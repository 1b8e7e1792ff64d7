/** Returns the bytes of a text in which `%41` stands for a byte, as laurel writes bytes that are not printable ASCII. */
export function percentDecoded(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const decoded = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const pair = bytes[at] === 0x25 ? bytes.toString('latin1', at + 1, at + 3) : '';
    if (/^[0-9A-Fa-f]{2}$/.test(pair)) {
      decoded[length++] = Number.parseInt(pair, 16);
      at += 2;
    } else decoded[length++] = bytes[at];
  }
  return decoded.subarray(0, length);
}
