import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeDetector } from '../../dist/detect/detector-part.js';
import { readModelFile } from '../../dist/model/file/model-file.js';
import { TensorFile } from '../../dist/model/file/tensor-file.js';
import { describeHeader, MODEL_FILE, NO_SUM, type Tensor } from '../../dist/model/file/tensor-header.js';
import { train } from '../../dist/pipeline/train.js';
import { ingestFiles } from '../../dist/store/ingest.js';
import type { Target } from './targets.js';

const HOUR = 3_600_000_000_000n;
const PROGRAMS = ['cron', 'nginx', 'sshd'];

/** Ten hours of a few programs with three relations. */
function* lines(): Generator<string> {
  for (let i = 0; i < 300; i++) {
    const ts = 1_522_972_800_000_000_000n + (BigInt(i) * HOUR) / 30n;
    const name = PROGRAMS[i % PROGRAMS.length];
    const subj = { id: `p${i % 40}`, type: 'process', name };
    for (const [n, rel] of ['EVENT_OPEN', 'EVENT_READ', 'EVENT_WRITE'].entries()) {
      const obj = { id: `f${(i * 7 + n) % 25}`, type: 'file', name: `/srv/${name}/${n}` };
      yield `${JSON.stringify({ ts: String(ts + BigInt(n)), host: 'h', rel, subj, obj })}\n`;
    }
  }
}

/** The smallest calibrated model. The same bytes each time. */
export async function makeModel(folder: string): Promise<Buffer> {
  const [log, store, model] = ['model.ndjson', 'model-store', 'made.recal'].map((name) => join(folder, name));
  writeFileSync(log, [...lines()].join(''));
  await ingestFiles([log], { store, threads: 0 });
  const training = { epochs: 1, textEpochs: 1, textDimension: 4 };
  const detection = { rounds: 2, reference: 200 };
  await train({ store, model, training, detection, threads: 1, portable: true });
  return readFileSync(model);
}

/**
 * A model as it is, which must not be read with any change; and its metadata and its tensors under a new checksum, so that
 * the checks behind the checksum are reached.
 */
export async function modelTargets(folder: string, model: Buffer): Promise<Target[]> {
  const path = join(folder, 'model.recal');
  writeFileSync(path, model);
  const file = await TensorFile.open(path, MODEL_FILE);
  const tensors = [...(await file.read()).values()];
  const meta = JSON.stringify(file.meta);
  await file.close();
  const read = async (bytes: Buffer) => {
    writeFileSync(path, bytes);
    const stored = await readModelFile(path);
    if (stored.detector !== undefined) decodeDetector(stored, stored.detector);
  };
  const body = Buffer.concat(tensors.map(bytesOf));
  return [
    {
      name: 'model',
      corpus: [model],
      async run(bytes) {
        await read(bytes);
        if (!bytes.equals(model)) throw new Error('a damaged model was read');
      },
    },
    {
      name: 'model-meta',
      corpus: [Buffer.from(meta)],
      run: (bytes) => read(seal(bytes.toString('utf8'), tensors)),
    },
    {
      name: 'model-tensors',
      corpus: [body],
      run: (bytes) => read(seal(meta, refill(tensors, bytes))),
    },
  ];
}

/** A model file whose checksum holds. */
function seal(meta: string, tensors: readonly Tensor[]): Buffer {
  const { format, version } = MODEL_FILE;
  const head = (sha256: string) =>
    describeHeader({ format, version: String(version), sha256, recal: meta }, tensors);
  const body = tensors.map(bytesOf);
  const hash = createHash('sha256').update(head(NO_SUM));
  for (const bytes of body) hash.update(bytes);
  return Buffer.concat([head(hash.digest('hex')), ...body]);
}

/** The same tensors with other bytes; zeros where there are too few. */
function refill(tensors: readonly Tensor[], given: Buffer): Tensor[] {
  let at = 0;
  return tensors.map((tensor) => {
    const bytes = new Uint8Array(tensor.data.byteLength);
    bytes.set(given.subarray(at, at + bytes.length));
    at += bytes.length;
    const Numbers = tensor.data.constructor as new (buffer: ArrayBuffer) => Tensor['data'];
    return { ...tensor, data: new Numbers(bytes.buffer) };
  });
}

function bytesOf({ data }: Tensor): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
