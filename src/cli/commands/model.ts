import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import { isoTime } from '../../base/time-text.js';
import { decodeDetector } from '../../detect/detector-part.js';
import { describeModelFile, type ModelDescription } from '../../model/file/describe-model.js';
import { readModelFile, type StoredModel } from '../../model/file/model-file.js';
import { signModelFile, writeKeys } from '../../model/file/signature.js';
import { defineCommand } from '../command.js';
import { trustSetting } from '../settings/store-and-model.js';
import { formatBytes, formatCount } from '../terminal/quantities.js';
import { type Look, renderTable } from '../terminal/tables.js';

export const command = defineCommand({
  details:
    'show checks the whole file and prints its contents. key writes a pair of Ed25519 keys to FILE and FILE.pub. ' +
    'sign writes FILE.sig with the private key --key. verify checks FILE.sig with the public key --trust. ' +
    'A model file contains no code.',
  examples: [
    'recal model show cadets.recal',
    'recal model key team.key',
    'recal model sign cadets.recal --key team.key',
    'recal model verify cadets.recal --trust team.key.pub',
  ],
  arguments: {
    action: { description: 'show, key, sign or verify' },
    file: { description: 'model file that recal train wrote; for key, the file of the new private key' },
  },
  settings: defineSettings({
    key: { type: z.string().min(1).optional(), description: 'private key to sign with', value: 'FILE' },
    trust: trustSetting,
  }),
  async run({ action, file }, { key, trust }, { out }) {
    if (action === 'show') {
      await checkModel(file, trust);
      const description = await describeModelFile(file);
      out.result(description, () => render(description, out));
    } else if (action === 'key') {
      const written = await writeKeys(file);
      out.result(written, () => [
        `wrote the private key ${printable(written.privateKey)} and the public key ${printable(written.publicKey)}`,
      ]);
    } else if (action === 'sign') {
      await checkModel(file, undefined);
      const signed = await signModelFile(file, required(key, '--key'));
      out.result(signed, () => [`wrote ${printable(signed.signature)}`]);
    } else if (action === 'verify') {
      const { id } = await checkModel(file, required(trust, '--trust'));
      out.result({ trusted: true, id }, () => [
        `${printable(file)} is intact and signed with the trusted key`,
      ]);
    } else {
      throw new RecalError('usage-invalid-argument', `unknown action '${printable(action, 40)}'`, {
        hint: 'use recal model show, key, sign or verify',
        exit: EXIT.usage,
      });
    }
    return EXIT.done;
  },
});

/** Checks all of a model, including what only detection reads. */
async function checkModel(path: string, trust: string | undefined): Promise<StoredModel> {
  const model = await readModelFile(path, trust);
  if (model.detector !== undefined) decodeDetector(model, model.detector);
  return model;
}

function required(value: string | undefined, option: string): string {
  if (value !== undefined) return value;
  throw new RecalError('settings-missing', `${option} is required`, {
    hint: `add ${option} FILE`,
    exit: EXIT.usage,
  });
}

/** One row per tensor. Numbered tensors of the same shape share a row: `without.0…31.above`. */
function tensorRows(tensors: ModelDescription['tensors']): string[][] {
  const series = new Map<string, { first: string; last: string; rest: string[]; size: string }>();
  for (const { name, dtype, shape, bytes } of tensors) {
    const [, number] = NUMBERED.exec(name) ?? [];
    const rest = [dtype, shape.join(' × ')];
    const key = [name.replace(NUMBERED, '.….'), ...rest].join(' ');
    const before = number === undefined ? undefined : series.get(key);
    if (before === undefined) series.set(key, { first: name, last: '', rest, size: formatBytes(bytes) });
    else before.last = number ?? '';
  }
  return Array.from(series.values(), ({ first, last, rest, size }) =>
    last === '' ? [first, ...rest, size] : [first.replace(NUMBERED, `.$1…${last}.`), ...rest, `${size} each`],
  );
}

const NUMBERED = /\.(\d+)\./;

function* render(model: ModelDescription, look: Look): Generator<string> {
  const { training, config, text } = model;
  const bold = look.bold ?? ((text: string) => text);
  const { split, host, from, to } = training.selection;
  const asked = Object.entries({ split, host, from, to }).flatMap(([key, value]) =>
    value === null ? [] : [`${key} ${printable(value, 80)}`],
  );
  const { done, asked: epochs } = training.epochs;
  const lines: (readonly [string, string])[] = [
    ['id', model.id],
    ['file', `${formatBytes(model.bytes)}, version ${model.version}, SHA-256 ${model.sha256}`],
    ['trained on', `${countOf(training.events, 'event')}, ${asked.join(', ') || 'the whole store'}`],
    ['hosts', training.hosts.map((name) => printable(name, 80)).join(', ')],
    ['span', `${isoTime(BigInt(training.firstTs))} to ${isoTime(BigInt(training.lastTs))}`],
    [
      'graphs',
      `${formatCount(training.graphs)}, ${countOf(training.nodes, 'node')}, ${countOf(training.neighbours, 'neighbour')}`,
    ],
    ...(training.inParts === undefined
      ? []
      : ([
          [
            'divided',
            `${countOf(training.inParts.graphs, 'graph')}, into ${countOf(training.inParts.parts, 'part')}`,
          ],
        ] as const)),
    [
      'epochs',
      `${done} of ${epochs}${done < epochs ? ' (stopped early)' : ''}, ${countOf(training.steps, 'step')}`,
    ],
    [
      'loss',
      training.loss === null
        ? '-'
        : `${training.loss.toFixed(4)}, ${((training.masked ?? 0) * 100).toFixed(0)} % of the nodes masked`,
    ],
    ['calibrated', model.calibrated ? 'yes' : 'no; run recal calibrate before recal detect'],
    ['device', `${training.device.kind}, ${training.device.build}`],
    [
      'features',
      `${formatCount(model.features)}: ${model.entityTypes.length} types, ${config.textDimension} text, ${formatCount((model.relations.length + 1) ** 2)} transitions`,
    ],
    [
      'tokens',
      `${formatCount(text.tokens)}, such as ${text.frequent.map(({ token }) => printable(token, 40)).join(' ')}`,
    ],
    [
      'direction',
      `${model.direction.name}, ${countOf(model.direction.reversed.length, 'relation')} reversed`,
    ],
    ['data', training.data],
  ];
  for (const [label, value] of lines) yield `${label.padEnd(11)} ${value}`;
  yield '';
  yield* renderTable(
    ['relation', 'events', 'mask rate', 'loss'],
    model.relations.map(({ name, frequency, maskRate, loss }) => [
      name,
      frequency,
      maskRate === null ? '-' : maskRate.toFixed(4),
      loss === null ? '-' : loss.toFixed(4),
    ]),
    look,
  );
  yield '';
  yield bold('configuration');
  for (const [key, value] of Object.entries(config)) yield `${key.padEnd(15)} ${value}`;
  yield '';
  yield* renderTable(['tensor', 'type', 'shape', 'size'], tensorRows(model.tensors), look);
  yield '';
  yield* renderTable(
    ['log file', 'split', 'SHA-256'],
    training.files.map(({ name, split, sha256 }) => [name, split ?? '-', sha256]),
    look,
  );
}
