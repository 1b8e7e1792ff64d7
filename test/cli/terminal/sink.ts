import type { TextSink } from '../../../src/cli/terminal/output.js';

/** A stream that keeps its text. With `columns` it is a terminal. */
export class Sink implements TextSink {
  text = '';
  readonly isTTY: boolean;

  constructor(readonly columns?: number) {
    this.isTTY = columns !== undefined;
  }

  write(text: string): void {
    this.text += text;
  }

  get lines(): string[] {
    return this.text.split('\n').slice(0, -1);
  }

  /** The lines as a terminal shows them, after all carriage returns. */
  get screen(): string[] {
    return this.text.split('\n').map((line) => {
      let shown = '';
      for (const part of line.split('\r')) shown = part + shown.slice(part.length);
      return shown.trimEnd();
    });
  }
}
