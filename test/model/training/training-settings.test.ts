import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { type TrainModelOptions, trainModel } from '../../../src/model/training/train.js';
import {
  resolveTrainingConfig,
  TRAINING_SETTINGS,
  type TrainingConfig,
} from '../../../src/model/training/training-config.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { Store } from '../../../src/store/store.js';
import { sharedFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from '../../store/small-logs.js';

type Key = keyof typeof TRAINING_SETTINGS;

/** Values for settings whose type does not enumerate or bound them. */
const SAMPLES: Partial<Record<Key, readonly unknown[]>> = {
  halfLife: [0, 0.001, 1e9],
  clip: [0, 1e-6, 1e6],
  textRate: [1e-6, 1],
  learningRate: [1e-6, 1],
};

/** Other settings that a value needs. */
const COMPANIONS: Partial<Record<Key, Partial<TrainingConfig>>> = {
  maskMin: { maskMax: 1 },
  maskMax: { maskMin: 0 },
  maskBase: { maskMin: 0.05 },
};

/** Values that the companions cannot make valid: nothing would be masked. */
const EXCLUDED: Partial<Record<Key, unknown>> = { maskMax: 0 };

/** All values of an enumeration, a flag or a short range of integers; bounds, middle and default of other numbers. */
function valuesOf(key: Key): unknown[] {
  const inner = (TRAINING_SETTINGS[key].type as unknown as z.ZodDefault<z.ZodType>).unwrap() as z.ZodType & {
    options?: readonly string[];
    minValue?: number;
    maxValue?: number;
    format?: string | null;
  };
  if (inner.def.type === 'enum') return [...(inner.options ?? [])];
  if (inner.def.type === 'boolean') return [true, false];
  const { minValue: low = 0, maxValue: high = 0 } = inner;
  if (inner.format === 'safeint' && high - low < 10) {
    return Array.from({ length: high - low + 1 }, (_, i) => low + i);
  }
  const values = SAMPLES[key] ?? [low, Math.round((low + high) / 2), high];
  return [...new Set([...values, resolveTrainingConfig()[key]])].filter((value) => value !== EXCLUDED[key]);
}

const cases = (Object.keys(TRAINING_SETTINGS) as Key[]).flatMap((key) =>
  valuesOf(key).map((value) => [key, value] as const),
);

let store: Store;

beforeAll(async () => {
  const folder = sharedFolder();
  const lines = [0, 1, 2, 3].flatMap((i) => {
    const subj = process(`p${i % 2}`, { name: `/bin/tool${i % 2}` });
    const ts = MIDNIGHT + BigInt(i) * 1_000_000_000n;
    return [
      eventLine({ ts, rel: 'EVENT_READ', subj, obj: file(`f${i}`, { name: `/etc/conf${i}` }) }),
      eventLine({ ts: ts + 1n, rel: 'EVENT_WRITE', subj, obj: file('log', { name: '/var/log/all' }) }),
    ];
  });
  const path = join(folder, 'store');
  await ingestFiles([writeLog(folder, 'tiny.json', lines)], { store: path, threads: 0 });
  store = await Store.open(path);
});

/** Trains one step. */
async function trainOneStep(settings: Record<string, unknown>, device: TrainModelOptions['device']) {
  const controller = new AbortController();
  const config = resolveTrainingConfig({ textDimension: 4, textEpochs: 1, ...settings });
  const watch = { stepped: () => controller.abort() };
  return trainModel({ store, config, device, signal: controller.signal, watch });
}

describe.each(['wasm', 'reference'] as const)('every value of every setting can be trained, %s', (device) => {
  test.each(cases)('%s: %s', async (key, value) => {
    const { model } = await trainOneStep({ ...COMPANIONS[key], [key]: value }, device);
    expect(model.training.steps).toBe(1);
    // A model stores a budget in steps as epochs.
    expect(model.config[key === 'steps' ? 'epochs' : key]).toBe(value ?? 5);
  });
});
