const ENTRIES = 1 << 10;
const ENTRY_WORDS = 5;

/**
 * The folders that were learned last, as numbers. Most calls name the folder that others have named, and this tells so
 * without making texts. One folder has one place, so that an entry is never older than what the host knows.
 */
export class RecentFolders {
  readonly #words = new Int32Array(ENTRIES * ENTRY_WORDS);

  /** Tells whether this folder was learned last with this text of the batch of this generation. */
  has(device: number, high: number, low: number, generation: number, text: number): boolean {
    const words = this.#words;
    const at = placeOf(low);
    return (
      words[at] === low &&
      words[at + 1] === text &&
      words[at + 2] === generation &&
      words[at + 3] === device &&
      words[at + 4] === high
    );
  }

  add(device: number, high: number, low: number, generation: number, text: number): void {
    const words = this.#words;
    const at = placeOf(low);
    words[at] = low;
    words[at + 1] = text;
    words[at + 2] = generation;
    words[at + 3] = device;
    words[at + 4] = high;
  }

  /** Forgets all. Generations start at 1. */
  clear(): void {
    this.#words.fill(0);
  }
}

function placeOf(low: number): number {
  return ((low ^ (low >>> 10)) & (ENTRIES - 1)) * ENTRY_WORDS;
}
