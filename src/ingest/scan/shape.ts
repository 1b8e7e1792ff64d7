/** The number of a field in a row. */
export type Slot = number;

const FLAG_UNION = 1;
const FLAG_RAW = 2;
const FLAG_UUID = 4;
const FLAG_INTEGER = 8;
const FLAG_SYMBOL = 16;

const NODE_BYTES = 40;
const KEY_BYTES = 12;
const TABLE_BYTES = 256;
/** At most half of a node's hash table is used, so that linear probing stays short. */
const MAX_KEYS = 128;

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
 * The fields of a JSON record that a reader needs, as dotted paths; `*` is any key, and `\.` is a dot in a key. It is
 * compiled to tables for kernels/json-scan.ts. Several paths may share a slot, because logs have the same information in
 * different places.
 *
 * Every field may be bare, null or in an Avro union (`{"string": …}`), because exports of the same format differ.
 */
export class Shape {
  readonly #root = node();
  #slots = 0;

  get slots(): number {
    return this.#slots;
  }

  /** Adds a string, number or boolean. */
  scalar(...paths: string[]): Slot {
    return this.#add(paths, FLAG_UNION);
  }

  /** Adds an identifier. The row has the 128 bits of a UUID. */
  uuid(...paths: string[]): Slot {
    return this.#add(paths, FLAG_UNION | FLAG_UUID);
  }

  /** Adds a 64-bit integer, written as a number or as a string of digits. */
  integer(...paths: string[]): Slot {
    return this.#add(paths, FLAG_UNION | FLAG_INTEGER);
  }

  /** Adds a symbol, which is a string that recurs, such as a relation or a host. The row has its number. */
  symbol(...paths: string[]): Slot {
    return this.#add(paths, FLAG_UNION | FLAG_SYMBOL);
  }

  /** Adds a whole object or array, as text. */
  raw(...paths: string[]): Slot {
    return this.#add(paths, FLAG_RAW);
  }

  /** Adds the key that the last `*` of a path matches, as a symbol. */
  key(path: string): Slot {
    const parts = partsOf(path);
    if (parts.pop() !== '*') throw new RangeError(`the path ${path} must end in *`);
    const parent = this.#walk(parts);
    parent.any ??= node();
    parent.anySlot = this.#slots;
    return this.#slots++;
  }

  #add(paths: readonly string[], flags: number): Slot {
    for (const path of paths) {
      const leaf = this.#walk(partsOf(path));
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
        if (at.keys.size > MAX_KEYS)
          throw new RangeError(`more than ${MAX_KEYS} keys at the level of ${part}`);
      }
      at = child;
    }
    return at;
  }

  /** Writes the tables to memory at `address`. Returns the address of the root and the first byte after the tables. */
  compile(memory: ArrayBufferLike, address: number): { root: number; end: number } {
    const view = new DataView(memory);
    const bytes = new Uint8Array(memory);
    let free = address;
    const allocate = (length: number): number => {
      const at = free;
      free = (free + length + 15) & ~15;
      return at;
    };
    const emit = (n: Node): number => {
      const at = allocate(NODE_BYTES);
      // The kernel writes to the last four fields of a node.
      for (const offset of [24, 28, 32, 36]) view.setUint32(at + offset, 0, true);
      view.setInt32(at, n.slot, true);
      view.setUint32(at + 4, n.flags, true);
      view.setUint32(at + 8, n.any === undefined ? 0 : emit(n.any), true);
      view.setInt32(at + 12, n.anySlot, true);
      // The memory may still hold the tables of another shape.
      view.setUint32(at + 16, 0, true);
      view.setUint32(at + 20, 0, true);
      if (n.keys.size === 0) return at;
      const keys = allocate(n.keys.size * KEY_BYTES);
      const table = allocate(TABLE_BYTES);
      bytes.fill(0, table, table + TABLE_BYTES);
      view.setUint32(at + 16, keys, true);
      view.setUint32(at + 20, table, true);
      let number = 0;
      for (const [key, child] of n.keys) {
        const text = new TextEncoder().encode(key);
        const textAt = allocate(text.length + 8); // the kernel compares eight bytes at a time
        bytes.set(text, textAt);
        const entry = keys + number * KEY_BYTES;
        view.setUint32(entry, textAt, true);
        view.setUint32(entry + 4, text.length, true);
        view.setUint32(entry + 8, emit(child), true);
        number++;
        // The hash is the same as hashOf in the kernel.
        let slot = (text[0] + text[text.length - 1] * 3 + text.length * 5) & 255;
        while (bytes[table + slot] !== 0) slot = (slot + 1) & 255;
        bytes[table + slot] = number;
      }
      return at;
    };
    const root = emit(this.#root);
    return { root, end: free };
  }
}

function partsOf(path: string): string[] {
  return path.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'));
}
