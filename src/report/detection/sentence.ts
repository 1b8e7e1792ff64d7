import { type Content, code } from '../page/html.js';

/** Shows a sentence of an alert. Names in it are between backticks, and `quote` ensures that they contain none. */
export function sentenceContent(sentence: string): Content {
  const pieces = sentence.split('`');
  // An unpaired backtick is plain text.
  if (pieces.length % 2 === 0) return sentence;
  return pieces.map((piece, i) => (i % 2 === 1 ? code(piece) : piece));
}
