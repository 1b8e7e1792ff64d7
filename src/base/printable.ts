// Control and format characters (including bidi and zero-width ones), line and paragraph separators, and lone
// surrogates: with these, a process name could rewrite the terminal or forge a log line.
export const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Cs}/gu;

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

function escapeChar(char: string): string {
  const short = SHORT[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) as number;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/**
 * Escapes text from a log for a terminal or a log line. Attackers choose process names, arguments and paths, so every
 * such text must pass through here before it is shown.
 *
 * Backslashes stay as they are, to keep Windows paths readable: the result is for people, not for parsing.
 */
export function printable(text: string, maxLength = 4096): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}… (${text.length} characters)` : text;
  return cut.replace(UNSAFE, escapeChar);
}
