import type { TextSink } from '../../../src/cli/terminal/output.js';

/** A stream that remembers; a terminal when it is given columns. */
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

  /** What a terminal shows in the end: each line after its last carriage return. */
  get screen(): string[] {
    return this.text.split('\n').map((line) => {
      let shown = '';
      for (const part of line.split('\r')) shown = part + shown.slice(part.length);
      return shown.trimEnd();
    });
  }
}
