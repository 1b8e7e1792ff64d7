import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { RecalError } from '../../../src/base/errors.js';
import { readModelFile, writeModelFile } from '../../../src/model/file/model-file.js';
import { modelId } from '../../../src/model/file/trained-model.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { smallModel } from '../small-models.js';

const model = smallModel();

async function refusal(path: string): Promise<RecalError> {
  const error = await readModelFile(path).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RecalError);
  return error as RecalError;
}

describe('round trip', () => {
  test('reads back everything, and the same model gives the same bytes', async () => {
    const folder = newFolder();
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    const sum = await writeModelFile(one, model);
    expect(await writeModelFile(two, model)).toBe(sum);
    expect(readFileSync(one)).toEqual(readFileSync(two));
    expect(statSync(one).mode & 0o077).toBe(0);
    const { detector, ...back } = await readModelFile(one);
    expect(detector).toBeUndefined();
    expect(back).toEqual(model);
    expect(back.space.parts.vocabulary.numberOf('\u{1f600}')).toBe(3);
  });

  test('calibration does not change the id', async () => {
    const path = join(newFolder(), 'model');
    const detector = {
      meta: { tail: true, tables: ['EVENT_READ'] },
      tensors: [{ name: 'errors', shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) }],
    };
    await writeModelFile(path, model, detector);
    const back = await readModelFile(path);
    expect(back.id).toBe(model.id);
    expect(back.detector).toEqual(detector);
  });

  test('the id depends on weights and vocabularies only', () => {
    const weights = model.weights.map((weight, i) =>
      i === 2 ? { ...weight, data: weight.data.map((x) => x + 1) } : weight,
    );
    expect(modelId({ ...model, weights })).not.toBe(model.id);
    expect(modelId({ ...model, relations: [...model.relations].reverse() })).not.toBe(model.id);
    const frequencies = model.relations.map((relation) => ({ ...relation, frequency: 9 }));
    expect(modelId({ ...model, relations: frequencies })).toBe(model.id);
  });
});

/** Changes the header of a file and corrects its checksum. */
function forge(path: string, change: (header: Record<string, Record<string, unknown>>, meta: never) => void) {
  const bytes = readFileSync(path);
  const length = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString());
  const meta = JSON.parse(header.__metadata__.recal);
  change(header, meta as never);
  header.__metadata__.recal = JSON.stringify(meta);
  const data = bytes.subarray(8 + length);
  writeFileSync(path, assemble(header, data));
}

function assemble(header: Record<string, Record<string, unknown>>, data: Uint8Array): Uint8Array {
  const encode = (sha256: string) => {
    const text = Buffer.from(JSON.stringify({ ...header, __metadata__: { ...header.__metadata__, sha256 } }));
    const padded = Buffer.alloc(8 + Math.ceil(text.length / 8) * 8, ' ');
    padded.writeBigUInt64LE(BigInt(padded.length - 8));
    text.copy(padded, 8);
    return padded;
  };
  const sum = createHash('sha256')
    .update(encode('0'.repeat(64)))
    .update(data)
    .digest('hex');
  return Buffer.concat([encode(sum), data]);
}

describe('refused', () => {
  let whole: Buffer;
  beforeAll(async () => {
    const path = join(sharedFolder(), 'model');
    await writeModelFile(path, model);
    whole = readFileSync(path);
  });
  const written = (bytes: Uint8Array = whole) => {
    const path = join(newFolder(), 'model');
    writeFileSync(path, bytes);
    return path;
  };

  test('not a file that the forge left unchanged', async () => {
    const path = written();
    forge(path, () => {});
    expect((await readModelFile(path)).id).toBe(model.id);
  });

  test('any changed byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bytes = Buffer.from(whole);
        bytes[at] ^= flip;
        const path = written(bytes);
        expect(['model-damaged', 'not-a-model', 'model-version']).toContain((await refusal(path)).code);
      }),
      { numRuns: 200 },
    );
  });

  test('a file cut off anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
        const path = written();
        truncateSync(path, length);
        await refusal(path);
      }),
      { numRuns: 60 },
    );
  });

  test('trailing bytes', async () => {
    const path = written(Buffer.concat([whole, Buffer.of(0)]));
    expect((await refusal(path)).code).toBe('model-damaged');
  });

  test('random bytes, an empty file, a folder, a missing file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await refusal(written(bytes));
      }),
      { numRuns: 50 },
    );
    expect((await refusal(written(new Uint8Array(0)))).code).toBe('model-damaged');
    const folder = join(newFolder(), 'folder');
    mkdirSync(folder);
    expect((await refusal(folder)).code).toBe('model-damaged');
    expect((await refusal(join(folder, 'none'))).code).toBe('no-model');
  });

  test('a header that is longer than the file', async () => {
    const bytes = Buffer.from(whole);
    bytes.writeBigUInt64LE(2n ** 63n);
    expect((await refusal(written(bytes))).code).toBe('model-damaged');
  });

  test('a header that is too long to parse', async () => {
    const path = written(Buffer.alloc(8));
    truncateSync(path, 64 << 20); // sparse: no disk is used
    const start = Buffer.alloc(8);
    start.writeBigUInt64LE(BigInt(48 << 20));
    writeFileSync(path, start, { flag: 'r+' });
    expect((await refusal(path)).message).toContain('50331648');
  });

  test('a file larger than any model', async () => {
    const path = written();
    truncateSync(path, 5 * 2 ** 30); // sparse: no disk is used
    expect((await refusal(path)).message).toContain(String(5 * 2 ** 30));
  });

  test('a duplicate key', async () => {
    const bytes = Buffer.from(whole);
    const length = Number(bytes.readBigUInt64LE(0));
    const text = bytes
      .subarray(8, 8 + length)
      .toString()
      .trimEnd();
    const twice = Buffer.from(`${text.slice(0, -1)},"slope":1,"slope":1}`);
    const header = Buffer.alloc(8);
    header.writeBigUInt64LE(BigInt(twice.length));
    await refusal(written(Buffer.concat([header, twice, bytes.subarray(8 + length)])));
  });

  test('an ordinary safetensors file', async () => {
    const path = written(
      assemble({ x: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, new Uint8Array(4)),
    );
    const { code, hint } = await refusal(path);
    expect([code, hint]).toEqual(['not-a-model', expect.stringContaining('recal train')]);
  });

  type Header = Record<string, Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: forged metadata have no type
  type Meta = any;
  const slope = 'weights.layer0.slope';
  const DAMAGED = 'model-damaged';
  // The code, and a name that the message must contain.
  test.each<[string, string, string, (header: Header, meta: Meta) => void]>([
    ['another version', 'model-version', '2', (h) => Object.assign(h.__metadata__, { version: '2' })],
    [
      'an earlier form of the encoder rgat',
      'model-version',
      'rgat',
      (_, m) => Object.assign(m.config, { encoder: 'rgat' }),
    ],
    ['another format', 'not-a-model', 'pickle', (h) => Object.assign(h.__metadata__, { format: 'pickle' })],
    ['more metadata', DAMAGED, 'code', (h) => Object.assign(h.__metadata__, { code: 'x' })],
    ['a huge shape', DAMAGED, slope, (h) => Object.assign(h[slope], { shape: [2 ** 40, 2 ** 10] })],
    ['a negative side', DAMAGED, 'shape', (h) => Object.assign(h[slope], { shape: [-2, -1] })],
    ['overlapping tensors', DAMAGED, slope, (h) => Object.assign(h[slope], { data_offsets: [0, 8] })],
    ['another type', DAMAGED, 'dtype', (h) => Object.assign(h[slope], { dtype: 'I64' })],
    ['an unknown tensor', DAMAGED, 'extra', (h) => Object.assign(h, empty('extra', h))],
    ['a missing tensor', DAMAGED, 'text.ends', (h) => Object.assign(h, renamed(h, 'text.ends', 'weights.x'))],
    [
      'more relations than weights',
      DAMAGED,
      'weights.token',
      (_, m) => m.relations.push({ name: 'X', frequency: 1 }),
    ],
    ['more layers than weights', DAMAGED, 'weights.layer1', (_, m) => Object.assign(m.config, { layers: 3 })],
    ['another width', DAMAGED, 'config.hidden', (_, m) => Object.assign(m.config, { hidden: 1024 })],
    ['a duplicate relation', DAMAGED, 'relation', (_, m) => Object.assign(m.relations[1], m.relations[0])],
    ['an unknown setting', DAMAGED, 'config', (_, m) => Object.assign(m.config, { extra: 1 })],
    ['a setting out of range', DAMAGED, 'config.maskMax', (_, m) => Object.assign(m.config, { maskMax: 7 })],
    ['other entity types', DAMAGED, 'entityTypes', (_, m) => m.entityTypes.reverse()],
    ['another id', DAMAGED, 'id', (_, m) => Object.assign(m, { id: 'b'.repeat(64) })],
    ['a renamed relation', DAMAGED, 'id', (_, m) => Object.assign(m.relations[0], { name: 'EVENT_WRITE' })],
    ['an unknown field', DAMAGED, 'training', (_, m) => Object.assign(m.training, { note: 'x' })],
    ['too many losses', DAMAGED, 'losses', (_, m) => m.training.losses.push(1)],
    [
      'a period that ends before it begins',
      DAMAGED,
      'period',
      (_, m) => Object.assign(m.training, { lastTs: '-1' }),
    ],
    ['too many epochs', DAMAGED, 'epochs', (_, m) => Object.assign(m.training.epochs, { done: 5e15 })],
    [
      'a tensor called __proto__',
      DAMAGED,
      'header',
      (h) => own(h, '__proto__', Object.values(empty('x', h))[0]),
    ],
    ['a field called __proto__', DAMAGED, 'metadata', (_, m) => own(m.training, '__proto__', {})],
  ])('%s', async (_what, code, name, change) => {
    const path = written();
    forge(path, change);
    expect(await refusal(path)).toMatchObject({ code, message: expect.stringContaining(name) });
  });

  test('not metadata nested a million levels deep, which do no harm', async () => {
    const path = written();
    forge(path, (_, meta: Meta) => {
      meta.detector = 'DEEP';
    });
    const bytes = readFileSync(path);
    const length = Number(bytes.readBigUInt64LE(0));
    const header = JSON.parse(bytes.subarray(8, 8 + length).toString());
    const deep = '['.repeat(1e6) + ']'.repeat(1e6);
    header.__metadata__.recal = header.__metadata__.recal.replace('"DEEP"', deep);
    writeFileSync(path, assemble(header, bytes.subarray(8 + length)));
    const read = await readModelFile(path).catch((error: unknown) => error);
    if (read instanceof Error) expect(read).toBeInstanceOf(RecalError);
    else expect((read as { id: string }).id).toBe(model.id);
  });

  test('weights that are not numbers', async () => {
    const weights = model.weights.map((weight, i) =>
      i === 2 ? { ...weight, data: weight.data.map((x, at) => (at === 3 ? Number.NaN : x)) } : weight,
    );
    const path = join(newFolder(), 'model');
    await writeModelFile(path, model);
    const before = readFileSync(path);
    // The write is refused, and the old file stays.
    const writing = writeModelFile(path, { ...model, weights, id: modelId({ ...model, weights }) });
    await expect(writing).rejects.toMatchObject({ code: 'not-a-number' });
    expect(readFileSync(path)).toEqual(before);
    const length = Number(before.readBigUInt64LE(0));
    const body = Buffer.from(before.subarray(8 + length));
    body.writeFloatLE(Number.NaN, 12);
    writeFileSync(path, assemble(JSON.parse(before.subarray(8, 8 + length).toString()), body));
    expect((await refusal(path)).message).toContain('not a number');
  });

  test('a pipe, without waiting for a writer', async () => {
    const path = join(newFolder(), 'model');
    execFileSync('mkfifo', [path]);
    expect((await refusal(path)).code).toBe('model-damaged');
  });
});

/** Defines an own property, also for `__proto__`. */
function own(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true });
}

/** An empty tensor after the last one. */
function empty(name: string, header: Record<string, Record<string, unknown>>) {
  const last = Object.keys(header).length - 1;
  const [, end] = Object.values(header)[last].data_offsets as number[];
  return { [name]: { dtype: 'U8', shape: [0], data_offsets: [end, end] } };
}

/** Renames an entry of the header. */
function renamed(header: Record<string, Record<string, unknown>>, from: string, to: string) {
  const entries = Object.entries(header);
  for (const key of Object.keys(header)) delete header[key];
  return Object.fromEntries(entries.map(([key, value]) => [key === from ? to : key, value]));
}
