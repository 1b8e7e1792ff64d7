import { createHash } from 'node:crypto';

/** Real relations, hosts and kinds are far shorter. */
const MAX_LENGTH = 256;
const DIGEST_LENGTH = 16;
const ELLIPSIS = '…';

/**
 * Returns a well-formed text of bounded length, because symbols stay in memory and in models. A long text is replaced by
 * its beginning and a digest, so that different texts stay different.
 */
export function symbolText(text: string): string {
  const symbol = text.toWellFormed();
  if (symbol.length <= MAX_LENGTH) return symbol;
  const digest = createHash('sha256').update(symbol).digest('hex').slice(0, DIGEST_LENGTH);
  const beginning = symbol.slice(0, MAX_LENGTH - DIGEST_LENGTH - ELLIPSIS.length).toWellFormed();
  return `${beginning}${ELLIPSIS}${digest}`;
}

export function isShortenedSymbol(symbol: string): boolean {
  return symbol.length === MAX_LENGTH && symbol.at(-DIGEST_LENGTH - 1) === ELLIPSIS;
}
