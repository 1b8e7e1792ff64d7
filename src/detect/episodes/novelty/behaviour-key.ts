import { createHash } from 'node:crypto';
import { finishMix, mixWord } from '../../../base/integer-mix.js';

/**
 * 64 bits that stand for something a program may do. A model keeps keys instead of texts: they are small, and no path or
 * address of the training host can be read from them. Attackers choose names, so texts are hashed by SHA-256.
 */
export interface BehaviourKey {
  readonly high: number;
  readonly low: number;
}

export function keyOfText(...texts: readonly string[]): BehaviourKey {
  const digest = createHash('sha256').update(JSON.stringify(texts)).digest();
  return { high: digest.readInt32BE(0), low: digest.readInt32BE(4) };
}

/** The key of a pair, such as a program and what it does. */
export function joinKeys(a: BehaviourKey, b: BehaviourKey): BehaviourKey {
  return { high: mixAll(0x2545f491, a, b), low: mixAll(0x7f4a7c15, a, b) };
}

function mixAll(seed: number, a: BehaviourKey, b: BehaviourKey): number {
  return finishMix(mixWord(mixWord(mixWord(mixWord(seed, a.high), a.low), b.high), b.low));
}

/** A key as 16 hexadecimal digits. */
export function formatBehaviour({ high, low }: BehaviourKey): string {
  return word(high) + word(low);
}

/** Reads what `formatBehaviour` wrote. */
export function parseBehaviour(text: string): BehaviourKey {
  return { high: Number.parseInt(text.slice(0, 8), 16) | 0, low: Number.parseInt(text.slice(8), 16) | 0 };
}

function word(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
