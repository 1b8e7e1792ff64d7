const SECOND = 1_000_000_000;
/** The last second whose nanoseconds fit 63 bits. */
const LAST_SECOND = 9_223_372_035;
const WORD = 2 ** 32;

/** Reads the identifier of an audit event: `SECONDS.FRACTION:SERIAL`. */
export class EventId {
  timeLow = 0;
  timeHigh = 0;
  serial = 0;
  #end = 0;
  /** The last second, and the words of its start. */
  #second = -1;
  #startLow = 0;
  #startHigh = 0;

  /** Reads ASCII bytes. Returns false if they are not an identifier. */
  read(bytes: Uint8Array, start: number, stop: number): boolean {
    const second = this.#digits(bytes, start, stop, 10);
    if (second < 0 || second > LAST_SECOND || bytes[this.#end] !== 0x2e) return false;
    const at = this.#end + 1;
    let fraction = this.#digits(bytes, at, stop, 9);
    if (fraction < 0 || this.#end === stop || bytes[this.#end] !== 0x3a) return false;
    for (let digits = this.#end - at; digits < 9; digits++) fraction *= 10;
    const serial = this.#digits(bytes, this.#end + 1, stop, 10);
    if (serial < 0 || serial >= WORD || this.#end !== stop) return false;
    this.serial = serial;
    this.#setTime(second, fraction);
    return true;
  }

  #setTime(second: number, fraction: number): void {
    if (second !== this.#second) {
      const start = BigInt(second) * BigInt(SECOND);
      this.#second = second;
      this.#startLow = Number(start & 0xffffffffn);
      this.#startHigh = Number(start >> 32n);
    }
    const low = this.#startLow + fraction;
    this.timeLow = low | 0;
    this.timeHigh = (this.#startHigh + (low >= WORD ? 1 : 0)) | 0;
  }

  /** Reads 1 to `most` digits and sets the end. Returns -1 if there are none or more. */
  #digits(bytes: Uint8Array, start: number, stop: number, most: number): number {
    let value = 0;
    let at = start;
    for (; at < stop; at++) {
      const digit = bytes[at] - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.#end = at;
    return at > start && at - start <= most ? value : -1;
  }
}
