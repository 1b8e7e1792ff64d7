import { parseRfc3339 } from '../../time.js';

const NANOSECONDS = 1_000_000n;
const ZONE = /(?:[Zz]|[+-]\d\d:?\d\d)$/;

/** Parses times of Sysmon and of the programs that carry it. Times and dates repeat, so the last ones are kept. */
export class UtcTimes {
  #date = '';
  #midnight = 0;
  #text = '';
  #time: bigint | undefined;

  /** Returns nanoseconds since 1970, or undefined. A time without a zone is UTC. */
  parse(text: string): bigint | undefined {
    if (text === '') return undefined;
    if (text === this.#text) return this.#time;
    const milliseconds = this.#parseMilliseconds(text);
    this.#text = text;
    this.#time =
      milliseconds !== undefined
        ? BigInt(milliseconds) * NANOSECONDS
        : parseRfc3339(ZONE.test(text) ? text : `${text}Z`);
    return this.#time;
  }

  /** Parses `2023-08-16 04:53:46.060`, also with `T` and `Z`: nearly all times of a log. */
  #parseMilliseconds(text: string): number | undefined {
    if (text.length !== 23 && !(text.length === 24 && text[23] === 'Z')) return undefined;
    if (text[13] !== ':' || text[16] !== ':' || text[19] !== '.') return undefined;
    if (text[10] !== ' ' && text[10] !== 'T') return undefined;
    const hour = digits(text, 11, 13);
    const minute = digits(text, 14, 16);
    const second = digits(text, 17, 19);
    const fraction = digits(text, 20, 23);
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || fraction < 0)
      return undefined;
    const date = text.slice(0, 10);
    if (date !== this.#date) {
      const midnight = parseRfc3339(`${date}T00:00:00Z`);
      if (midnight === undefined) return undefined;
      this.#date = date;
      this.#midnight = Number(midnight / NANOSECONDS);
    }
    return this.#midnight + ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  }
}

/** Returns the number that these digits form, or -1. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
