const EVENT_START = /<Event(?=[\s>])/g;
const EVENT_END = '</Event>';
/** The longest beginning of a tag that may be cut at the end of a piece. */
const LONGEST_MARK = EVENT_END.length;
/** Text between events is written in lines of at most this length. */
const LONGEST_STRAY = 4096;
/** What exporters write around events: a prolog, the element around all events, and the captions of evtx_dump. */
const AROUND = /<\?xml[^>]*\?>|<\/?Events(?:\s[^>]*)?>|^\s*Record \d+\s*$/gm;
const HEAD = /^\s*(?:Record \d+\s+)?<(?:\?xml[^>]*\?>\s*<)?Events?[\s>]/;

/** Tells whether an input starts with events of the Windows event log as XML. */
export function isEventXml(head: Uint8Array): boolean {
  return HEAD.test(Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 4096)).toString('latin1'));
}

/**
 * Writes each `<Event>` of an XML document as a line. An event starts on the line where it starts in the document, if no
 * line has more than one: blank lines keep the numbers. Line breaks inside an event become spaces in tags, and character
 * references in text. Anything between events becomes a line of its own, so that it is counted.
 */
export class XmlFramer {
  #text = '';
  #out = Buffer.alloc(0);
  #written = 0;
  #inside = false;
  #inTag = false;
  #stray = '';
  #inputLine = 0;
  #outputLine = 0;

  /** True if all input is written. */
  get hungry(): boolean {
    return this.#written === this.#out.length;
  }

  /** Gives the next bytes of the input, once all before are written. */
  feed(input: Uint8Array): void {
    // Latin-1 keeps every byte as it is.
    this.#text += Buffer.from(input.buffer, input.byteOffset, input.length).toString('latin1');
    this.#frame(false);
  }

  /** Writes to `target` until it is full or the input is used. Returns the number of bytes. */
  write(target: Uint8Array, ended: boolean): number {
    if (ended && this.hungry && (this.#text !== '' || this.#stray !== '')) this.#frame(true);
    const length = Math.min(target.length, this.#out.length - this.#written);
    target.set(this.#out.subarray(this.#written, this.#written + length));
    this.#written += length;
    return length;
  }

  #frame(ended: boolean): void {
    const text = this.#text;
    const pieces: string[] = [];
    // A mark may be cut at the end: it is looked at again with the next piece.
    const safe = ended ? text.length : Math.max(0, text.length - LONGEST_MARK);
    let at = 0;
    while (at < safe) {
      if (this.#inside) {
        const end = text.indexOf(EVENT_END, at);
        const stop = end < 0 ? safe : end + EVENT_END.length;
        this.#pass(text.slice(at, stop), pieces);
        if (end >= 0) this.#endLine(pieces);
        at = Math.max(at, stop);
      } else {
        EVENT_START.lastIndex = at;
        const start = EVENT_START.exec(text)?.index ?? -1;
        const stop = start < 0 ? safe : start;
        this.#skip(text.slice(at, stop), pieces);
        if (start >= 0) this.#begin(pieces);
        at = stop;
        if (start >= safe) break;
      }
    }
    this.#text = text.slice(at);
    if (ended) {
      this.#flushStray(pieces);
      if (this.#inside) this.#endLine(pieces);
    }
    this.#out = Buffer.from(pieces.join(''), 'latin1');
    this.#written = 0;
  }

  #begin(pieces: string[]): void {
    this.#flushStray(pieces);
    if (this.#outputLine < this.#inputLine) pieces.push('\n'.repeat(this.#inputLine - this.#outputLine));
    this.#outputLine = Math.max(this.#outputLine, this.#inputLine);
    this.#inside = true;
    this.#inTag = false;
  }

  #endLine(pieces: string[]): void {
    pieces.push('\n');
    this.#outputLine++;
    this.#inside = false;
  }

  /** Passes a part of an event on. */
  #pass(part: string, pieces: string[]): void {
    const marks = /[<>\n]/g;
    let from = 0;
    for (let mark = marks.exec(part); mark !== null; mark = marks.exec(part)) {
      if (mark[0] !== '\n') {
        this.#inTag = mark[0] === '<';
        continue;
      }
      pieces.push(part.slice(from, mark.index), this.#inTag ? ' ' : '&#10;');
      this.#inputLine++;
      from = mark.index + 1;
    }
    pieces.push(part.slice(from));
  }

  /** Takes text between events. */
  #skip(part: string, pieces: string[]): void {
    this.#stray += part;
    this.#inputLine += part.split('\n').length - 1;
    if (this.#stray.length > LONGEST_STRAY) this.#flushStray(pieces);
  }

  #flushStray(pieces: string[]): void {
    const stray = this.#stray.replace(AROUND, '').trim();
    this.#stray = '';
    if (stray === '') return;
    for (let at = 0; at < stray.length; at += LONGEST_STRAY) {
      pieces.push(stray.slice(at, at + LONGEST_STRAY).replaceAll('\n', ' '), '\n');
      this.#outputLine++;
    }
  }
}
