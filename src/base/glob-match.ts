// Node 20 has no glob, and a regular expression made from a pattern can take exponential time.

/** Matches exactly one character. */
type CharMatcher = { accepts: (char: string) => boolean };
type Token = '*' | CharMatcher;

function parseClass(body: string[]): CharMatcher {
  const negated = body[0] === '!' || body[0] === '^';
  const chars = negated ? body.slice(1) : body;
  const ranges: [string, string][] = [];
  for (let i = 0; i < chars.length; i++) {
    if (chars[i + 1] === '-' && i + 2 < chars.length) {
      ranges.push([chars[i], chars[i + 2]]);
      i += 2;
    } else ranges.push([chars[i], chars[i]]);
  }
  return { accepts: (char) => ranges.some(([low, high]) => char >= low && char <= high) !== negated };
}

function parsePattern(pattern: string, classes: boolean): Token[] {
  const chars = [...pattern];
  const tokens: Token[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i];
    if (char === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (char === '?') tokens.push({ accepts: () => true });
    else {
      // A `]` right after `[`, `[!` or `[^` belongs to the class. A `[` without an end is a plain character.
      const first = chars[i + 1] === '!' || chars[i + 1] === '^' ? i + 2 : i + 1;
      const end = classes && char === '[' ? chars.indexOf(']', first + 1) : -1;
      if (end > 0) {
        tokens.push(parseClass(chars.slice(i + 1, end)));
        i = end;
      } else tokens.push({ accepts: (other) => other === char });
    }
  }
  return tokens;
}

/**
 * Returns a function that tells whether a text matches a pattern of `*` and `?`, and with `classes` also of `[a-z]` and
 * `[!a-z]`. Only the last star is tried again, so the time is at most pattern × text.
 */
export function globMatcher(
  pattern: string,
  { classes = false }: { classes?: boolean } = {},
): (text: string) => boolean {
  const tokens = parsePattern(pattern, classes);
  return (text) => matchTokens(tokens, [...text]);
}

function matchTokens(tokens: readonly Token[], chars: readonly string[]): boolean {
  let t = 0;
  let c = 0;
  let star = -1;
  let resume = 0;
  while (c < chars.length) {
    const token = tokens[t];
    if (token === '*') {
      star = t++;
      resume = c;
    } else if (token?.accepts(chars[c])) {
      t++;
      c++;
    } else if (star >= 0) {
      t = star + 1;
      c = ++resume;
    } else return false;
  }
  while (tokens[t] === '*') t++;
  return t === tokens.length;
}
