import type { Random } from '../../base/random.js';

/** Four upper-case hexadecimal digits for every 16-bit number. A table, because ids are a third of all bytes written. */
const HEX = Array.from({ length: 0x10000 }, (_, value) => value.toString(16).toUpperCase().padStart(4, '0'));
const HEX_DASH = HEX.map((digits) => `${digits}-`);

/** How one performer's audit system builds its ids. */
export interface UuidScheme {
  process(pid: number, startedAt: number): string;
  file(inode: number): string;
  flow(): string;
  pipe(): string;
  memory(pid: number, address: number): string;
  principal(uid: number): string;
  event(): string;
}

/** 128 random bits, as in TRACE. `version` sets the UUID version digit (5 in the hashed ids of CADETS). */
export function randomUuid(random: Random, version?: number): string {
  const a = random.u32();
  const b = random.u32();
  const c = random.u32();
  const d = random.u32();
  const third = version === undefined ? b & 0xffff : (b & 0x0fff) | (version << 12);
  const fourth = version === undefined ? c >>> 16 : ((c >>> 16) & 0x3fff) | 0x8000;
  return (
    (HEX[a >>> 16] as string) +
    (HEX_DASH[a & 0xffff] as string) +
    (HEX_DASH[b >>> 16] as string) +
    (HEX_DASH[third] as string) +
    (HEX_DASH[fourth] as string) +
    (HEX[c & 0xffff] as string) +
    (HEX[d >>> 16] as string) +
    (HEX[d & 0xffff] as string)
  );
}

/** CADETS: time-based (version 1) for processes, sockets and pipes; name-based (version 5) for files and events. */
export function cadetsUuids(random: Random): UuidScheme {
  const events = random.stream('events');
  const node = `11E8-${HEX_DASH[0x8000 | (random.u32() & 0x3fff)]}${HEX[random.below(0x10000)]}${HEX[random.below(0x10000)]}${HEX[random.below(0x10000)]}`;
  let tick = 0;
  // As in real logs, consecutive ids of a boot differ only in their low time bits.
  const timeBased = (): string => {
    tick += 1 + random.below(1 << 20);
    const low = tick % 0x1_0000_0000;
    const mid = 0x3600 + Math.floor(tick / 0x1_0000_0000);
    return `${HEX[low >>> 16]}${HEX_DASH[low & 0xffff]}${HEX_DASH[mid & 0xffff]}${node}`;
  };
  const named = () => randomUuid(random, 5);
  return {
    process: timeBased,
    file: named,
    flow: timeBased,
    pipe: timeBased,
    memory: named,
    principal: named,
    event: () => randomUuid(events, 5),
  };
}

/** THEIA: little-endian numbers from the left and a two-digit tag for the record kind at the right. */
export function theiaUuids(random: Random): UuidScheme {
  let sequence = 0;
  let flows = 0;
  const swapped = (value: number) => {
    const low = value & 0xffff;
    return HEX[((low & 0xff) << 8) | (low >>> 8)] as string;
  };
  const pack = (low: number, high: number, tag: string) =>
    `${swapped(low)}${swapped(low >>> 16)}-${swapped(high)}-${swapped(high >>> 16)}-0000-0000000000${tag}`;
  const device = `${HEX[random.below(0x10000)]}D00F`;
  return {
    // The start time distinguishes processes that reuse a pid.
    process: (pid, startedAt) => pack(pid, Math.floor(startedAt / 1e6) >>> 0, '20'),
    file: (inode) => `${device}-${swapped(inode)}-${swapped(inode >>> 16)}-0000-000005000030`,
    flow: () => pack(++flows, random.u32(), '40'),
    pipe: () => pack(++flows, 0x0c, '30'),
    memory: (pid, address) =>
      `${swapped(pid)}${swapped(address / 0x1000)}-${swapped(address / 0x1000_0000)}-${swapped(address / 0x1000_0000_0000)}-${HEX[++sequence & 0xffff]}-${HEX[(sequence >>> 16) & 0xffff]}00000050`,
    principal: (uid) => pack(uid, 0, '60'),
    event: () => pack(random.u32(), ++sequence, '10'),
  };
}

/** TRACE: hashes for everything. */
export function traceUuids(random: Random): UuidScheme {
  const events = random.stream('events');
  const any = () => randomUuid(random);
  return {
    process: any,
    file: any,
    flow: any,
    pipe: any,
    memory: any,
    principal: any,
    event: () => randomUuid(events),
  };
}
