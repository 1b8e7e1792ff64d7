import { parseRfc3339 } from '../../time.js';

/** The length of `2024-10-18T22:12:37`. */
const SECONDS_LENGTH = 19;
const LONGEST_ZONE = 6;
const ZONE = /(?:[Zz]|[+-]\d\d:?\d\d)$/;
/** The length of the zone before the first time. */
const NONE = -1;
const FRACTION = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
const DATE_LENGTH = 10;
const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;
/** Days near the ends of the range are parsed each time, so that a time of the day cannot exceed it. */
const RANGE = 2n ** 63n - 2n * DAY;

/** Parses RFC 3339 times to nanoseconds. The second and the day of the last time are known: times of a log follow each other. */
export class TimeReader {
  /** The bytes of the last second and of its zone. */
  readonly #second = new Uint8Array(SECONDS_LENGTH);
  readonly #zone = new Uint8Array(LONGEST_ZONE);
  #zoneLength = NONE;
  #start = 0n;
  /** The start of the day of the last second, in its zone. */
  #midnight = 0n;
  readonly #defaultZone: string;

  /** Times without a zone are of the default zone, if there is one. */
  constructor(defaultZone = '') {
    this.#defaultZone = defaultZone;
  }

  /** Parses ASCII bytes. Returns undefined if they are not a time. */
  readBytes(bytes: Uint8Array, start: number, stop: number): bigint | undefined {
    let fraction = this.#fractionOf(bytes, start, stop);
    if (fraction < 0 && this.#nextSecond(bytes, start, stop)) fraction = this.#fractionOf(bytes, start, stop);
    if (fraction >= 0) return this.#start + BigInt(fraction);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, stop - start).toString('latin1');
    return this.read(text);
  }

  /** Returns undefined if the text is not a time. */
  read(text: string): bigint | undefined {
    const time = parseRfc3339(ZONE.test(text) ? text : `${text}${this.#defaultZone}`);
    if (time !== undefined && time < RANGE && time > -RANGE) this.#keep(text, time);
    return time;
  }

  /** Returns the nanoseconds since the last second, or -1 if the time is of another second or zone. */
  #fractionOf(bytes: Uint8Array, start: number, stop: number): number {
    const zone = stop - this.#zoneLength;
    let at = start + SECONDS_LENGTH;
    if (this.#zoneLength === NONE || zone < at) return -1;
    for (let i = SECONDS_LENGTH - 1; i >= 0; i--) if (bytes[start + i] !== this.#second[i]) return -1;
    for (let i = 0; i < this.#zoneLength; i++) if (bytes[zone + i] !== this.#zone[i]) return -1;
    if (at === zone) return 0;
    if (bytes[at] !== 0x2e) return -1;
    const digits = zone - ++at;
    if (digits < 1 || digits > 9) return -1;
    let fraction = 0;
    for (; at < zone; at++) {
      const digit = bytes[at] - 0x30;
      if (digit < 0 || digit > 9) return -1;
      fraction = fraction * 10 + digit;
    }
    return fraction * FRACTION[9 - digits];
  }

  /** Goes to another second of the same day and zone. Returns false if the time must be parsed as a whole. */
  #nextSecond(bytes: Uint8Array, start: number, stop: number): boolean {
    if (this.#zoneLength === NONE || stop - start < SECONDS_LENGTH + this.#zoneLength) return false;
    for (let i = DATE_LENGTH; i >= 0; i--) if (bytes[start + i] !== this.#second[i]) return false;
    if (bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return false;
    const hour = twoDigits(bytes, start + 11);
    const minute = twoDigits(bytes, start + 14);
    const second = twoDigits(bytes, start + 17);
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false;
    this.#start = this.#midnight + BigInt((hour * 60 + minute) * 60 + second) * SECOND;
    for (let i = DATE_LENGTH; i < SECONDS_LENGTH; i++) this.#second[i] = bytes[start + i];
    return true;
  }

  #keep(text: string, time: bigint): void {
    let zone = SECONDS_LENGTH;
    if (text.charCodeAt(zone) === 0x2e) while (isDigit(text.charCodeAt(zone + 1))) zone++;
    if (zone > SECONDS_LENGTH) zone++;
    this.#start = time - (((time % SECOND) + SECOND) % SECOND);
    this.#zoneLength = text.length - zone;
    const [hour, minute, second] = [11, 14, 17].map((at) => Number(text.slice(at, at + 2)));
    this.#midnight = this.#start - BigInt((hour * 60 + minute) * 60 + second) * SECOND;
    for (let i = 0; i < SECONDS_LENGTH; i++) this.#second[i] = text.charCodeAt(i);
    for (let i = 0; i < this.#zoneLength; i++) this.#zone[i] = text.charCodeAt(zone + i);
  }
}

/** Returns the number that two digits form, or a negative number. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] - 0x30;
  const ones = bytes[at + 1] - 0x30;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
