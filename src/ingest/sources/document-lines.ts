import type { ByteSource } from './byte-source.js';
import { peek } from './bytes.js';
import { BYTE_ORDER_MARK, jsonLayout, LAYOUT_BYTES, startsWithMark } from './json-layout.js';
import { RecordFramer } from './record-framer.js';
import { isEventXml, XmlFramer } from './xml-framer.js';

const INPUT_BYTES = 1 << 18;

export interface LineSource extends ByteSource {
  /** True if the lines were made from documents. */
  readonly documents: boolean;
}

/**
 * Returns a source with one record per line. JSON lines and text stay as they are. JSON documents (an object over several
 * lines, an array, a list in an object such as `{"Records":[…]}`) and XML documents of events become lines while they are
 * read, in bounded memory.
 */
export async function inLines(source: ByteSource): Promise<LineSource> {
  const { head, bytes } = await peek(source, LAYOUT_BYTES);
  const layout = jsonLayout(head);
  const xml = isEventXml(startsWithMark(head) ? head.subarray(BYTE_ORDER_MARK.length) : head);
  if (layout.kind === 'lines' && !xml) return withBytes(source, false, (target) => bytes.read(target));
  if (startsWithMark(head)) await bytes.read(new Uint8Array(BYTE_ORDER_MARK.length));
  const framer = layout.kind === 'lines' ? new XmlFramer() : new RecordFramer(layout.list);
  const input = new Uint8Array(INPUT_BYTES);
  let ended = false;
  return withBytes(source, true, async (target) => {
    let filled = 0;
    while (filled < target.length) {
      if (framer.hungry && !ended) {
        const length = await bytes.read(input);
        ended = length < input.length;
        framer.feed(input.subarray(0, length));
      }
      const written = framer.write(target.subarray(filled), ended);
      filled += written;
      if (written === 0 && ended && framer.hungry) break;
    }
    return filled;
  });
}

function withBytes(source: ByteSource, documents: boolean, read: ByteSource['read']): LineSource {
  return {
    documents,
    name: source.name,
    read,
    get consumed() {
      return source.consumed;
    },
    close: () => source.close(),
  };
}
