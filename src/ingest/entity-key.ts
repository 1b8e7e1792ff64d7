import { hash } from 'node:crypto';

/**
 * The 128-bit key of an entity. A UUID is its own key, so that labels and SQL can use it, in any case and with or without
 * braces. The key of any other identifier is the first half of its SHA-256: attackers can choose identifiers, and with a
 * weaker hash they could hide an entity behind another.
 *
 * A key is four 32-bit words, most significant first. All zeros mean "absent", as in the logs.
 */
export class EntityKey {
  w0 = 0;
  w1 = 0;
  w2 = 0;
  w3 = 0;

  get absent(): boolean {
    return (this.w0 | this.w1 | this.w2 | this.w3) === 0;
  }

  clear(): void {
    this.w0 = this.w1 = this.w2 = this.w3 = 0;
  }

  /** Sets the key of an identifier that is not a UUID. */
  hash(id: Uint8Array): void {
    const digest = hash('sha256', id, 'buffer');
    this.w0 = digest.readInt32BE(0);
    this.w1 = digest.readInt32BE(4);
    this.w2 = digest.readInt32BE(8);
    this.w3 = digest.readInt32BE(12);
  }

  /** Sets the words from the 32 hexadecimal digits of a text. */
  #setHex(id: string): void {
    this.clear();
    let digits = 0;
    for (let i = 0; i < id.length; i++) {
      const code = id.charCodeAt(i);
      if (code === 0x2d || code === 0x7b || code === 0x7d) continue;
      const digit = digitOf(code);
      if (digits < 8) this.w0 = (this.w0 << 4) | digit;
      else if (digits < 16) this.w1 = (this.w1 << 4) | digit;
      else if (digits < 24) this.w2 = (this.w2 << 4) | digit;
      else this.w3 = (this.w3 << 4) | digit;
      digits++;
    }
  }

  /** Sets the key of any identifier. Returns true if it is a UUID. */
  fromText(id: string): boolean {
    if (id.length <= BRACED_LENGTH && UUID_TEXT.test(id)) {
      this.#setHex(id);
      return true;
    }
    // UTF-8 would turn different lone surrogates into the same U+FFFD.
    this.hash(Buffer.from(id, id.isWellFormed() ? 'utf8' : 'utf16le'));
    return false;
  }
}

/** The value of a hexadecimal digit. */
function digitOf(code: number): number {
  return code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57;
}

const BARE_UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const UUID_TEXT = new RegExp(`^(?:[0-9a-f]{32}|${BARE_UUID}|\\{${BARE_UUID}\\})$`, 'i');
/** The length of a UUID in braces, as Windows writes GUIDs. */
const BRACED_LENGTH = 38;

/** Tells whether an identifier of this length and first character may be a GUID in braces. */
export function mayBeBraced(length: number, first: number): boolean {
  return length === BRACED_LENGTH && first === 0x7b;
}

/** Tells whether an identifier is a UUID: in any case, with or without dashes, or in braces. */
export function isUuidText(id: string): boolean {
  return UUID_TEXT.test(id);
}

/** Formats a key as a UUID in upper case, as in the E3 release and its label lists. */
export function formatKey(w0: number, w1: number, w2: number, w3: number): string {
  const hex = [w0, w1, w2, w3]
    .map((w) => (w >>> 0).toString(16).padStart(8, '0'))
    .join('')
    .toUpperCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
