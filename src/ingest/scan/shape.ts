/** A field's place in a row: the number the shape gave it. */
export type Slot = number;

const FLAG_UNION = 1;
const FLAG_RAW = 2;
const FLAG_UUID = 4;
const FLAG_INTEGER = 8;
const FLAG_SYMBOL = 16;

const NODE_BYTES = 40;
const KEY_BYTES = 12;
const TABLE_BYTES = 64;
/** Half of a node's hash table: linear probing stays short. */
const MAX_KEYS = 32;

interface Node {
  slot: number;
  flags: number;
  anySlot: number;
  any: Node | undefined;
  keys: Map<string, Node>;
}

function node(): Node {
  return { slot: -1, flags: 0, anySlot: -1, any: undefined, keys: new Map() };
}

/**
 * Which fields of a JSON record a reader wants, by dotted path; `*` is any key. Compiled into the tables that
 * kernels/json-scan.ts walks. Several paths may feed one slot where logs put the same thing in different places.
 *
 * Every field may be wrapped in an Avro union (`{"string": …}`), bare or null, because exports of one format differ.
 */
export class Shape {
  readonly #root = node();
  #slots = 0;

  get slots(): number {
    return this.#slots;
  }

  /** A string, number or boolean. */
  scalar(...paths: string[]): Slot {
    return this.#add(paths, FLAG_UNION);
  }

  /** An identifier: its 128 bits are taken where it is a UUID. */
  uuid(...paths: string[]): Slot {
    return this.#add(paths, FLAG_UNION | FLAG_UUID);
  }

  /** A 64-bit integer, as a number or a string of digits, exactly. */
  integer(...paths: string[]): Slot {
    return this.#add(paths, FLAG_UNION | FLAG_INTEGER);
  }

  /** One of a small vocabulary, such as relations or hosts: known by its number in the scan's dictionary. */
  symbol(...paths: string[]): Slot {
    return this.#add(paths, FLAG_UNION | FLAG_SYMBOL);
  }

  /** A whole object or array, as text. */
  raw(...paths: string[]): Slot {
    return this.#add(paths, FLAG_RAW);
  }

  /** The key that a path's last `*` stood for, as a word. */
  key(path: string): Slot {
    const parts = path.split('.');
    if (parts.pop() !== '*') throw new RangeError(`${path}: a key is taken where the path ends in *`);
    const parent = this.#walk(parts);
    parent.any ??= node();
    parent.anySlot = this.#slots;
    return this.#slots++;
  }

  #add(paths: readonly string[], flags: number): Slot {
    for (const path of paths) {
      const leaf = this.#walk(path.split('.'));
      leaf.slot = this.#slots;
      leaf.flags = flags;
    }
    return this.#slots++;
  }

  #walk(parts: readonly string[]): Node {
    let at = this.#root;
    for (const part of parts) {
      if (part === '*') {
        at.any ??= node();
        at = at.any;
        continue;
      }
      let child = at.keys.get(part);
      if (child === undefined) {
        child = node();
        at.keys.set(part, child);
        if (at.keys.size > MAX_KEYS) throw new RangeError(`over ${MAX_KEYS} keys beside ${part}`);
      }
      at = child;
    }
    return at;
  }

  /** Writes the tables into memory from `address` on; gives the root's address and the first byte after them. */
  compile(memory: ArrayBufferLike, address: number): { root: number; end: number } {
    const view = new DataView(memory);
    const bytes = new Uint8Array(memory);
    let free = address;
    const take = (length: number): number => {
      const at = free;
      free = (free + length + 15) & ~15;
      return at;
    };
    const emit = (n: Node): number => {
      const at = take(NODE_BYTES);
      for (const learned of [24, 28, 32, 36]) view.setUint32(at + learned, 0, true);
      view.setInt32(at, n.slot, true);
      view.setUint32(at + 4, n.flags, true);
      view.setUint32(at + 8, n.any === undefined ? 0 : emit(n.any), true);
      view.setInt32(at + 12, n.anySlot, true);
      // Cleared, because the memory may still hold the tables of another format's shape.
      view.setUint32(at + 16, 0, true);
      view.setUint32(at + 20, 0, true);
      if (n.keys.size === 0) return at;
      const keys = take(n.keys.size * KEY_BYTES);
      const table = take(TABLE_BYTES);
      bytes.fill(0, table, table + TABLE_BYTES);
      view.setUint32(at + 16, keys, true);
      view.setUint32(at + 20, table, true);
      let number = 0;
      for (const [key, child] of n.keys) {
        const text = new TextEncoder().encode(key);
        const textAt = take(text.length + 8); // the kernel compares eight bytes at a time
        bytes.set(text, textAt);
        const entry = keys + number * KEY_BYTES;
        view.setUint32(entry, textAt, true);
        view.setUint32(entry + 4, text.length, true);
        view.setUint32(entry + 8, emit(child), true);
        number++;
        // The same sum as hashOf in the kernel.
        let slot = (text[0] + text[text.length - 1] * 3 + text.length * 5) & 63;
        while (bytes[table + slot] !== 0) slot = (slot + 1) & 63;
        bytes[table + slot] = number;
      }
      return at;
    };
    const root = emit(this.#root);
    return { root, end: free };
  }
}
