import { type Content, code } from '../page/html.js';

/**
 * A sentence of an alert, its names in fixed width. Names stand between backticks there and hold none themselves
 * (`quote`); whatever else comes, each piece is text.
 */
export function sentenceContent(sentence: string): Content {
  const pieces = sentence.split('`');
  // Without its partner a backtick is only a character.
  if (pieces.length % 2 === 0) return sentence;
  return pieces.map((piece, i) => (i % 2 === 1 ? code(piece) : piece));
}
