import fc from 'fast-check';

// Generates valid JSON texts: values of any kind, and records for the shape of scanning.ts.

const space = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.array(fc.constantFrom(' ', '\t', '\r'), { maxLength: 20 }).map((parts) => parts.join('')),
);
const hex = (value: number): string => value.toString(16).padStart(4, '0');
const character = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }) },
);
/** A JSON string with its quotes, with any text and any escapes. */
export const stringText = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: character.map((text) => JSON.stringify(text).slice(1, -1)) },
      fc.constantFrom('\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '/', '\u2028', '\u007f'),
      fc.nat(0xffff).map((unit) => `\\u${hex(unit)}`),
      fc.nat(0xffff).map((unit) => `\\u${hex(unit).toUpperCase()}`),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `"${parts.join('')}"`);
const someDigits = fc.stringMatching(/^\d{1,25}$/);
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,21}$/)),
    fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      someDigits.map((digits) => `.${digits}`),
    ),
    fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      fc
        .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), someDigits)
        .map((parts) => parts.join('')),
    ),
  )
  .map((parts) => parts.join(''));
export const scalarText = fc.oneof(
  { weight: 3, arbitrary: stringText },
  { weight: 2, arbitrary: numberText },
  fc.constantFrom('true', 'false', 'null', '""', '0', '-0'),
);

const around = (open: string, close: string, inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(space, fc.array(fc.tuple(inner, space, space), { maxLength: 4 }), space)
    .map(
      ([before, items, after]) =>
        `${open}${before}${items.map(([item, a, b]) => `${a}${item}${b}`).join(',')}${after}${close}`,
    );
const member = (key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(key, space, space, value).map(([k, a, b, v]) => `${k}${a}:${b}${v}`);
/** Any JSON value, as text. */
const { valueText } = fc.letrec<{ valueText: string }>((tie) => ({
  valueText: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalarText,
    around('[', ']', tie('valueText')),
    around('{', '}', member(stringText, tie('valueText'))),
  ),
}));
const arrayText = around('[', ']', valueText);
/** A value for a field, bare or in a union with exactly one member. */
export const fieldText = fc.oneof(
  { weight: 4, arbitrary: scalarText },
  { weight: 3, arbitrary: member(stringText, scalarText).map((inner) => `{${inner}}`) },
  { weight: 1, arbitrary: member(stringText, arrayText).map((inner) => `{ ${inner} }`) },
  { weight: 1, arbitrary: arrayText },
);
const uuidText = fc
  .tuple(
    fc.uuid(),
    fc.constantFrom(
      (id: string) => id,
      (id: string) => id.toUpperCase(),
      (id: string) => id.replaceAll('-', ''),
      (id: string) => `${id.slice(0, -1)}g`,
      (id: string) => id.slice(1),
      (id: string) => id.replace('-', '0'),
      (id: string) => `${id}0`,
      (id: string) => `${id.slice(0, 7)}-${id.slice(7)}`,
    ),
  )
  .map(([id, change]) => JSON.stringify(change(id)));
const integerText = fc.oneof(
  numberText,
  numberText.map((text) => `"${text}"`),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map((value) => `"${value}"`),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map(String),
  fc.constantFrom('"+1"', '"01"', '"-"', '" 1"', '"0x1"', '01e'.slice(0, 1)),
);
const anyOf = (...texts: fc.Arbitrary<string>[]): fc.Arbitrary<string> => fc.oneof(...texts);
const knownMembers: readonly [string, fc.Arbitrary<string>][] = [
  ['"a"', fieldText],
  ['"id"', anyOf(uuidText, fieldText)],
  ['"n"', anyOf(integerText, fieldText)],
  ['"w"', anyOf(fc.constantFrom('"EVENT_READ"', '"EVENT_WRITE"', '"\\u0041"'), fieldText)],
  ['"raw"', valueText],
  [
    '"b"',
    member(
      fc.constant('"c"'),
      member(fc.constant('"d"'), fieldText).map((d) => `{${d}}`),
    ).map((c) => `{${c}}`),
  ],
];
/** Keys that the shape does not have, including similar ones. */
const otherKey = fc.oneof(
  stringText,
  fc.constantFrom('""', '"aa"', '"A"', '"i"', '"idd"', '"ra"', '"raww"', '"__proto__"', '"constructor"'),
);
const wanted = new Set(['a', 'id', 'n', 'w', 'raw', 'b', 'any']);
const unknownMember = member(
  otherKey.filter((key) => !wanted.has(JSON.parse(key) as string)),
  valueText,
);
const knownMember = fc.oneof(
  ...knownMembers.map(([key, value]) => member(fc.constant(key), value).map((text) => ({ key, text }))),
);
/** A record with each known field at most once, and unknown fields. */
export const recordText = fc
  .tuple(
    fc.uniqueArray(knownMember, { selector: ({ key }) => key, maxLength: 6 }),
    fc.array(unknownMember, { maxLength: 3 }),
    fc.infiniteStream(fc.nat()),
    fc.array(space, { minLength: 4, maxLength: 4 }),
  )
  .map(([known, unknown, order, [before, inside, end, after]]) => {
    const members = [...known.map(({ text }) => text), ...unknown]
      .map((text) => ({ text, order: order.next().value as number }))
      .sort((x, y) => x.order - y.order);
    return `${before}{${inside}${members.map(({ text }) => text).join(`${end},`)}${inside}}${after}`;
  });
