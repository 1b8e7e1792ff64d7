import { isSpace } from './json-layout.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const NOTHING = -1;

/** The brackets of deeper levels are counted but not compared: readers refuse such records anyway. */
const COMPARED_LEVELS = 64;
/** The names of lists are shorter. */
const LONGEST_KEY = 64;

/** Where the framer is. */
type Place =
  | 'between' // records
  | 'record'
  | 'ended' // a record, without the newline after it
  | 'stray' // text between records, which becomes a line of its own so that it is counted
  | 'lost' // after a string that a newline cuts: the rest of the record is unreliable
  | 'wrapper' // among the members of the object around the list
  | 'key'
  | 'skipped'; // the value of another member of that object

/**
 * Writes the records of JSON documents as lines. A record starts on the line where it starts in the document, if the
 * document has no more than one record per line: blank lines keep the numbers. Damaged records become damaged lines, which
 * readers count.
 */
export class RecordFramer {
  readonly #list: string | undefined;
  #input: Uint8Array = new Uint8Array(0);
  #at = 0;
  #place: Place = 'between';
  #inString = false;
  #escaped = false;
  readonly #open = new Uint8Array(COMPARED_LEVELS);
  #depth = 0;
  /** The key of the member of the wrapper, as far as it is known. */
  #key = '';
  #inList: boolean;
  /** True if the object around had its list. */
  #hadList = false;
  #column = 0;
  /** The column of the last record that began its line. */
  #recordColumn = -1;
  /** True as long as the line has had only white space, commas and opening brackets of lists. */
  #lineBegins = true;
  #inputLine = 0;
  #outputLine = 0;
  /** The last byte written, to tell whether white space separates anything. */
  #last = NEWLINE;

  /** `list` is the member of each document that holds the records, or undefined if they are not wrapped. */
  constructor(list: string | undefined) {
    this.#list = list;
    this.#inList = list === undefined;
  }

  /** True if all input is used. */
  get hungry(): boolean {
    return this.#at === this.#input.length;
  }

  /** Gives the next bytes of the input. They must not change until they are used. */
  feed(input: Uint8Array): void {
    this.#input = input;
    this.#at = 0;
  }

  /** Writes to `target` until it is full or the input is used. Returns the number of bytes. */
  write(target: Uint8Array, ended: boolean): number {
    const input = this.#input;
    let filled = 0;
    while (this.#at < input.length && filled < target.length) {
      if (this.#inString && !this.#escaped && this.#place === 'record') {
        const run = endOfRun(input, this.#at, this.#at + target.length - filled);
        target.set(input.subarray(this.#at, run), filled);
        filled += run - this.#at;
        this.#column += run - this.#at;
        this.#at = run;
        if (run === input.length || filled === target.length) break;
      }
      const byte = input[this.#at];
      if (this.#place === 'ended' || (this.#place === 'stray' && endsStray(byte))) {
        target[filled++] = this.#last = NEWLINE;
        this.#outputLine++;
        this.#place = 'between';
        continue;
      }
      const starts = this.#starts(byte);
      if (this.#outputLine < this.#inputLine && (starts || (this.#place === 'lost' && this.#column === 0))) {
        target[filled++] = NEWLINE;
        this.#outputLine++;
        continue;
      }
      if (starts) this.#begin(byte);
      this.#at++;
      const written = this.#take(byte);
      if (written !== NOTHING) {
        target[filled++] = this.#last = written;
        if (written === NEWLINE) this.#outputLine++;
      }
      this.#countLine(byte);
    }
    while (ended && this.hungry && this.#outputLine < this.#inputLine && filled < target.length) {
      target[filled++] = NEWLINE;
      this.#outputLine++;
    }
    return filled;
  }

  /** Tells whether a record or stray text starts with this byte. */
  #starts(byte: number): boolean {
    if (this.#place === 'lost') {
      const column = this.#recordColumn < 0 ? this.#column : this.#recordColumn;
      return byte === OPEN_OBJECT && this.#lineBegins && this.#column <= column;
    }
    if (this.#place !== 'between' || (!this.#inList && byte === OPEN_OBJECT)) return false;
    return !isSpace(byte) && byte !== COMMA && byte !== OPEN_LIST && byte !== CLOSE_LIST;
  }

  #begin(byte: number): void {
    this.#place = byte === OPEN_OBJECT ? 'record' : 'stray';
    this.#inString = this.#escaped = false;
    this.#depth = 0;
    if (byte === OPEN_OBJECT && this.#lineBegins) this.#recordColumn = this.#column;
  }

  #countLine(byte: number): void {
    if (byte === NEWLINE) {
      this.#inputLine++;
      this.#column = 0;
      this.#lineBegins = true;
    } else {
      this.#column++;
      if (!isSpace(byte) && byte !== COMMA && byte !== OPEN_LIST) this.#lineBegins = false;
    }
  }

  /** Takes a byte and returns the byte to write, or NOTHING. */
  #take(byte: number): number {
    if (this.#place === 'record') return this.#takeRecord(byte);
    if (this.#place === 'stray' || this.#place === 'lost') return byte;
    return this.#list === undefined ? NOTHING : this.#takeAround(byte);
  }

  #takeRecord(byte: number): number {
    if (this.#inString) {
      if (byte === NEWLINE) {
        this.#inString = this.#escaped = false;
        this.#place = 'lost';
      } else this.#passString(byte);
      return byte;
    }
    // White space between two scalars must stay, or `1 2` would become a number.
    if (isSpace(byte)) return isPunctuation(this.#last) ? NOTHING : SPACE;
    if (byte === QUOTE) this.#inString = true;
    else if (!this.#passBracket(byte) || this.#depth === 0) this.#place = 'ended';
    return byte;
  }

  #passString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  /** Follows brackets. Returns false if a closing bracket does not match. */
  #passBracket(byte: number): boolean {
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (this.#depth < COMPARED_LEVELS) this.#open[this.#depth] = byte;
      this.#depth++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      this.#depth--;
      // In ASCII, a closing bracket comes two after its opening one.
      return this.#depth >= COMPARED_LEVELS || this.#open[this.#depth] === byte - 2;
    }
    return true;
  }

  /** Takes a byte of the object around the list of records. */
  #takeAround(byte: number): number {
    switch (this.#place) {
      case 'between':
        if (!this.#inList && byte === OPEN_OBJECT) {
          this.#place = 'wrapper';
          this.#hadList = false;
        }
        if (this.#inList && byte === CLOSE_LIST) {
          this.#inList = false;
          this.#place = 'wrapper';
        }
        break;
      case 'wrapper':
        if (byte === QUOTE) {
          this.#key = '';
          this.#place = 'key';
        } else if (byte === COLON) {
          this.#place = 'skipped';
          this.#depth = 0;
          this.#inString = this.#escaped = false;
        } else if (byte === CLOSE_OBJECT) return this.#closeWrapper();
        break;
      case 'key':
        if (byte === QUOTE) this.#place = 'wrapper';
        else if (this.#key.length < LONGEST_KEY) this.#key += String.fromCharCode(byte);
        break;
      case 'skipped':
        return this.#skip(byte);
    }
    return NOTHING;
  }

  /** Takes a byte of the value of a member of the wrapper. The list itself ends the skipping. */
  #skip(byte: number): number {
    if (this.#inString) this.#passString(byte);
    else if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_LIST && this.#depth === 0 && this.#key === this.#list) {
      this.#inList = this.#hadList = true;
      this.#place = 'between';
    } else if (this.#depth === 0 && byte === CLOSE_OBJECT) return this.#closeWrapper();
    else if (this.#depth === 0 && byte === COMMA) this.#place = 'wrapper';
    else if (!this.#passBracket(byte)) this.#place = 'wrapper';
    return NOTHING;
  }

  /** Ends the object around the list. Without a list it becomes a line that readers count as malformed. */
  #closeWrapper(): number {
    this.#place = this.#hadList ? 'between' : 'ended';
    return this.#hadList ? NOTHING : CLOSE_OBJECT;
  }
}

function isPunctuation(byte: number): boolean {
  switch (byte) {
    case QUOTE:
    case COMMA:
    case COLON:
    case OPEN_OBJECT:
    case OPEN_LIST:
    case CLOSE_OBJECT:
    case CLOSE_LIST:
    case NEWLINE:
    case SPACE:
      return true;
    default:
      return false;
  }
}

/** Returns the position of the first byte of a string, from `at` to `limit`, that needs a decision. */
function endOfRun(bytes: Uint8Array, from: number, limit: number): number {
  const stop = Math.min(bytes.length, limit);
  let at = from;
  while (at < stop && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH && bytes[at] !== NEWLINE) at++;
  return at;
}

function endsStray(byte: number): boolean {
  return byte === NEWLINE || byte === COMMA || byte === OPEN_OBJECT || byte === CLOSE_LIST;
}
