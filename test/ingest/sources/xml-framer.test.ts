import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEventXml, XmlFramer } from '../../../src/ingest/sources/xml-framer.js';
import { readBytes } from '../records.js';

/** Frames a text in pieces of `piece` bytes, writing `room` bytes at a time. */
function frame(text: string, piece = 7, room = 5): string {
  const input = Buffer.from(text);
  const framer = new XmlFramer();
  const out: Uint8Array[] = [];
  const drain = (ended: boolean): void => {
    for (;;) {
      const target = new Uint8Array(room);
      const length = framer.write(target, ended);
      if (length === 0 && framer.hungry) return;
      out.push(target.subarray(0, length));
    }
  };
  for (let at = 0; at < input.length; at += piece) {
    framer.feed(input.subarray(at, at + piece));
    drain(false);
  }
  drain(true);
  return Buffer.concat(out).toString('utf8');
}

const event = (id: number, more = ''): string =>
  `<Event xmlns='x'><System><EventID>${id}</EventID>${more}</System></Event>`;

describe('XmlFramer', () => {
  it('leaves one event per line as it is', () => {
    const lines = `${event(1)}\n${event(2)}\n`;
    expect(frame(lines)).toBe(lines);
  });

  it('separates events on one line, inside an element around them', () => {
    expect(frame(`<?xml version="1.0"?><Events>${event(1)}${event(2)}</Events>`)).toBe(
      `${event(1)}\n${event(2)}\n`,
    );
  });

  it('joins the lines of an event and keeps the line where it starts', () => {
    const text = `Record 1\n<?xml version="1.0"?>\n<Event\n  xmlns="x">\n  <Data Name="a">b\nc</Data>\n</Event>\n\nRecord 2\n${event(2)}\n`;
    expect(frame(text)).toBe(
      `\n\n<Event   xmlns="x">&#10;  <Data Name="a">b&#10;c</Data>&#10;</Event>${'\n'.repeat(7)}${event(2)}\n`,
    );
  });

  it('writes text between events as a line, and an event without its end', () => {
    expect(frame(`${event(1)}junk\nmore${event(2)}<Event><System>`)).toBe(
      `${event(1)}\njunk more\n${event(2)}\n<Event><System>\n`,
    );
  });

  it('does not depend on the pieces', () => {
    const parts = fc.array(
      fc.constantFrom(
        event(1),
        event(2, '\n<X/>\n'),
        '\n',
        '<Events>',
        '</Events>',
        'é',
        '<Event',
        '</Ev',
        ' ',
        'Record 3\n',
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        parts,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (texts, piece, room) => {
          const text = texts.join('');
          expect(frame(text, piece, room)).toBe(frame(text, 1 << 20, 1 << 20));
        },
      ),
    );
  });
});

it('isEventXml tells event logs from other text', () => {
  const is = (text: string): boolean => isEventXml(Buffer.from(text));
  for (const text of [
    '<Event>',
    '<Event xmlns="x">',
    ' <Events>',
    '<?xml version="1.0" ?>\n<Events>',
    'Record 1\n<?xml version="1.0"?>\n<Event x=',
  ])
    expect(is(text)).toBe(true);
  for (const text of ['', '{}', '<14>1 2024 <Event>', '<Eventually>', '<html>', '<?xml version="1.0"?><rss>'])
    expect(is(text)).toBe(false);
});

it('a pretty-printed XML document is read like the same events in lines', async () => {
  const data = (name: string, value: string): string => `<Data Name="${name}">${value}</Data>`;
  const sysmon = (file: string): string =>
    `<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event"><System><Provider Name="Microsoft-Windows-Sysmon"/><EventID>11</EventID><TimeCreated SystemTime="2024-01-25T15:20:00.100Z"/><EventRecordID>5</EventRecordID><Channel>Microsoft-Windows-Sysmon/Operational</Channel><Computer>ws</Computer></System><EventData>${data('UtcTime', '2024-01-25 15:20:00.000')}${data('ProcessGuid', '{5a1c09e2-7c10-65b2-0060-000000000900}')}${data('Image', 'C:\\a.exe')}${data('TargetFilename', file)}</EventData></Event>`;
  const lines = [sysmon('C:\\x'), sysmon('C:\\y')];
  const pretty = `\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<Events>\r\n${lines.join('\r\n').replaceAll('><', '>\r\n  <')}\r\n</Events>\r\n`;
  const [flat] = await readBytes(lines.join('\n'));
  const [read] = await readBytes(pretty);
  expect(flat.events).toHaveLength(2);
  expect(read.events).toEqual(flat.events);
  expect(read.counts.malformed).toBe(0);
  const starts = pretty.split('\n').flatMap((line, i) => (line.includes('<Event ') ? [i + 1] : []));
  expect(read.lines).toEqual(starts);
});
