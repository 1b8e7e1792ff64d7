import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unescapeXml } from '../../../../src/ingest/formats/sysmon/unescape-xml.js';
import { findEvent, readXml, XmlError } from '../../../../src/ingest/formats/sysmon/xml-event.js';

const wrap = (data: string): string =>
  `<Event><System><Provider Name="Linux-Sysmon"/><EventID Qualifiers="0">11</EventID><TimeCreated SystemTime='2024-01-25T15:20:00Z'/></System><EventData>${data}</EventData></Event>`;

describe('readXml', () => {
  it('reads the fields of an event', () => {
    const text = `prefix ${wrap('<Data Name="Image">/bin/a&amp;b</Data><Data Name="User"/>')} suffix`;
    const { fields, end, cut } = readXml(text, findEvent(text, 0));
    expect(
      ['EventID', 'Provider', 'TimeCreated', 'Image', 'User'].map((name) => fields.text(name as 'User')),
    ).toEqual(['11', 'Linux-Sysmon', '2024-01-25T15:20:00Z', '/bin/a&b', '']);
    expect(text.slice(end)).toBe(' suffix');
    expect(cut).toBe(false);
  });

  it('reads CDATA and skips comments', () => {
    const { fields } = readXml(wrap('<!-- x --><Data Name="Image"><![CDATA[<a&b>]]>c</Data>'), 0);
    expect(fields.text('Image')).toBe('<a&b>c');
  });

  it('takes event data only from Data elements in EventData', () => {
    const { fields } = readXml(
      '<Event><EventData><Image>x</Image></EventData><Data Name="User">y</Data></Event>',
      0,
    );
    expect(fields.text('Image')).toBe('');
    expect(fields.text('User')).toBe('');
  });

  it('reads a cut event as far as it goes', () => {
    const whole = wrap('<Data Name="Image">/bin/a</Data><Data Name="CommandLine">one two</Data>');
    const { fields, cut } = readXml(whole.slice(0, whole.indexOf(' two')), 0);
    expect(cut).toBe(true);
    expect(fields.text('Image')).toBe('/bin/a');
    expect(fields.text('CommandLine')).toBe('one');
    expect(() => readXml(whole.slice(0, whole.indexOf('<EventData')), 0)).toThrow(XmlError);
  });

  it.each([
    '<Event><!DOCTYPE x [<!ENTITY a "b">]></Event>',
    '<Event><?xml version="1.0"?></Event>',
    '<Event></System></Event>',
    '<Event><System x=y></System></Event>',
    `<Event>${'<a>'.repeat(40)}`,
    `<Event><a ${'b="c" '.repeat(40)}/></Event>`,
  ])('refuses %s', (text) => {
    expect(() => readXml(text, 0)).toThrow(XmlError);
  });

  it('never throws anything else, and reads no character twice', () => {
    const parts = fc.array(
      fc.constantFrom(
        '<Event>',
        '</Event>',
        '<Data Name="Image">',
        '</Data>',
        '<EventData>',
        '<![CDATA[',
        ']]>',
        '<!--',
        '&lt;',
        '&',
        '"',
        "'",
        '<',
        '>',
        '/',
        'a',
        ' ',
        '\n',
        '\u0000',
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(parts, (texts) => {
        try {
          const { end } = readXml(`<Event>${texts.join('')}`, 0);
          expect(end).toBeLessThanOrEqual(texts.join('').length + 7);
        } catch (error) {
          expect(error).toBeInstanceOf(XmlError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('gives back any text that was escaped', () => {
    const escaped = (text: string): string =>
      text.replace(/[<>&"']/g, (mark) => `&#x${mark.charCodeAt(0).toString(16)};`);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 2 }), (text) => {
        fc.pre(text !== '(null)');
        expect(readXml(wrap(`<Data Name="Image">${escaped(text)}</Data>`), 0).fields.text('Image')).toBe(
          text,
        );
      }),
    );
  });
});

it('unescapeXml knows five entities and character references only', () => {
  expect(unescapeXml('&lt;&gt;&amp;&quot;&apos;&#65;&#x42;')).toBe(`<>&"'AB`);
  expect(unescapeXml('&lt unknown process&gt ')).toBe('<unknown process>');
  expect(unescapeXml('a && b &c; &nbsp; &ltd &#0; &#xD800; &#x110000;')).toBe(
    'a && b &c; &nbsp; &ltd \ufffd \ufffd \ufffd',
  );
  expect(unescapeXml('&amp;lt;')).toBe('&lt;');
});
