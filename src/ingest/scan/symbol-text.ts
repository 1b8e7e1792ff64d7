import { createHash } from 'node:crypto';

/** Relations, hosts and kinds are words of a vocabulary; real ones are far shorter. */
const CHARACTERS = 256;
const DIGEST = 16;
const MARK = '…';

/**
 * A word as we keep it: well-formed, and of bounded length, because the vocabulary stays in memory and goes into models. Of a
 * longer one its beginning and a digest are left, so that different words stay different.
 */
export function symbolText(text: string): string {
  const word = text.toWellFormed();
  if (word.length <= CHARACTERS) return word;
  const digest = createHash('sha256').update(word).digest('hex').slice(0, DIGEST);
  return `${word.slice(0, CHARACTERS - DIGEST - MARK.length).toWellFormed()}${MARK}${digest}`;
}

export function isShortenedSymbol(word: string): boolean {
  return word.length === CHARACTERS && word.at(-DIGEST - 1) === MARK;
}
