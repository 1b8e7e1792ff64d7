import { zeros } from './whole-input.js';

// Writes archives by hand, so that any field of a header can be wrong.

interface Entry {
  name: string;
  data?: Uint8Array;
  type?: string;
  /** The raw size field, which replaces the octal one. */
  size?: Uint8Array;
}

export function tarEntry({ name, data = zeros(0), type = '0', size }: Entry): Buffer {
  const header = zeros(512);
  header.write(name.slice(0, 100), 0);
  header.write('0000644\0', 100);
  header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  if (size !== undefined) header.set(size, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, data, zeros((512 - (data.length % 512)) % 512)]);
}

export const tar = (...entries: Entry[]) => Buffer.concat([...entries.map(tarEntry), zeros(1024)]);

export function pax(key: string, value: string): Entry {
  const body = ` ${key}=${value}\n`;
  let length = body.length;
  while (`${length}${body}`.length !== length) length = `${length}${body}`.length;
  return { name: 'PaxHeader', type: 'x', data: Buffer.from(`${length}${body}`) };
}
