import { createHash } from 'node:crypto';

/** The JSON text of a manifest, with a checksum over everything else in it. */
export function sealManifest(manifest: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 1)}\n`;
}

/** Compares the checksum of a parsed manifest with its content. Space between the values does not count. */
export function checkSeal({ checksum, ...rest }: Readonly<Record<string, unknown>>): boolean {
  return checksum === checksumOf(rest);
}

function checksumOf(content: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
