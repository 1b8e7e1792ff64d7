import { parseRfc3339 } from '../../time.js';

/** The length of `2024-10-18T22:12:37`. */
const SECONDS_LENGTH = 19;
const FRACTION = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

/** Parses RFC 3339 times to nanoseconds. Times of the same second, which follow each other in logs, are parsed once. */
export class TimeReader {
  #second = '';
  #start = 0n;

  /** Returns undefined if the text is not a time. */
  read(text: string): bigint | undefined {
    const stop = text.length - 1;
    const digits = stop - SECONDS_LENGTH - 1;
    if (text.charCodeAt(stop) === 0x5a && digits >= 1 && digits <= 9 && text.startsWith(this.#second)) {
      if (this.#second !== '' && text.charCodeAt(SECONDS_LENGTH) === 0x2e) {
        let fraction = 0;
        for (let i = SECONDS_LENGTH + 1; i < stop; i++) {
          const digit = text.charCodeAt(i) - 0x30;
          if (digit < 0 || digit > 9) return undefined;
          fraction = fraction * 10 + digit;
        }
        return this.#start + BigInt(fraction * FRACTION[9 - digits]);
      }
    }
    const time = parseRfc3339(text);
    if (time !== undefined && text.charCodeAt(stop) === 0x5a && text.length > SECONDS_LENGTH) {
      this.#second = text.slice(0, SECONDS_LENGTH);
      this.#start = time - (((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n);
    }
    return time;
  }
}
