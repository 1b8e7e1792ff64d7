import { NONE } from '../../kernel/act.js';

/** A text that recurs from block to block, with its number in the block that had it last. */
export class KnownText {
  readonly text: string | undefined;
  number: number = NONE;
  block = 0;

  constructor(text: string | undefined) {
    this.text = text;
  }
}
