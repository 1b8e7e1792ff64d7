import { z } from 'zod';
import { RecalError } from '../base/errors.js';
import { ENTITY_TYPES } from '../ingest/event.js';
import type { DetectorPart } from '../model/file/model-file.js';
import type { Tensor, TensorData } from '../model/file/tensor-header.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import type { Calibration } from './calibration/calibrate.js';
import { CalibrationTables } from './calibration/calibration-tables.js';
import { ScoreScale } from './calibration/score-scale.js';
import { detectionConfigSchema } from './detection-config.js';
import { decodeEpisodes, decodeKnown, encodeEpisodes } from './episodes/episode-arrays.js';
import type { EvidenceKind } from './evidence/evidence.js';
import { FeatureUsage } from './evidence/feature-usage.js';
import { LevelTable } from './evidence/level-table.js';
import { NameSurprise } from './evidence/name-surprise.js';
import { RelationSurprise } from './evidence/relation-surprise.js';
import type { FittedDetector } from './fitted-detector.js';
import { PairCovariance } from './fusion/covariance.js';
import { NeighbourReference } from './knn/neighbour-reference.js';
import { packTexts, unpackTexts } from './text-tensors.js';

/** Increased when the meaning of the stored data changes. */
const VERSION = 2;

const count = z.int().nonnegative();
const integer = z.string().regex(/^-?\d{1,20}$/);

const metaSchema = z.strictObject({
  version: z.literal(VERSION),
  calibration: z
    .strictObject({
      config: detectionConfigSchema,
      gate: z.number().nullable(),
      graphs: count,
      instances: count,
      firstTs: integer,
      lastTs: integer,
      hosts: z.array(z.string().max(4096)).max(65_536),
      /** Settings of the tables, which calibration-arrays.ts checks. */
      tables: z.record(z.string().max(32), z.unknown()),
      covariance: z.array(count).max(16).nullable(),
      /** Instances behind the scale of own scores; null without lineage. */
      scale: count.nullable(),
      /** Whether tables of benign episodes are stored. */
      episodes: z.boolean(),
      benign: z.strictObject({
        instances: count,
        hostDays: z.number().nonnegative(),
        graphs: count,
        inSample: z.boolean(),
        without: z.array(z.strictObject({ hostDays: z.number().nonnegative(), instances: count })).max(64),
      }),
    })
    .nullable(),
});

/** What detection adds to a trained model. Calibration is undefined before the model is calibrated. */
export interface DetectorState {
  readonly fitted: FittedDetector;
  readonly calibration: Calibration | undefined;
}

/** Encodes a detector as its part of a model file. */
export function encodeDetector({ fitted, calibration }: DetectorState): DetectorPart {
  const tensors: Tensor[] = [...fitted.reference.tensors()];
  const push = (name: string, data: TensorData | Int32Array) => {
    tensors.push({
      name,
      shape: [data.length],
      data: data instanceof Int32Array ? new Uint32Array(data.buffer, data.byteOffset, data.length) : data,
    });
  };
  const pushAll = (prefix: string, arrays: Readonly<Record<string, unknown>>) => {
    for (const [name, data] of Object.entries(arrays)) {
      if (ArrayBuffer.isView(data)) push(`${prefix}.${name}`, data as TensorData);
    }
  };
  tensors.push(...packTexts('examples.texts', fitted.examples.texts));
  pushAll('examples', { types: fitted.examples.types, numbers: fitted.examples.numbers });
  const levels = fitted.levels.toArrays();
  tensors.push(...packTexts('levels.texts', levels.texts));
  pushAll('levels', { ...levels });
  pushAll('name', { ...fitted.name.toArrays() });
  pushAll('relation', { ...fitted.relation?.toArrays() });
  pushAll('behaviours', { ...fitted.behaviours?.toArrays() });
  pushAll('usage', { transitions: fitted.usage.transitions, instances: fitted.usage.instances });
  if (calibration === undefined) return { meta: { version: VERSION, calibration: null }, tensors };
  const { config, gate, graphs, instances, firstTs, lastTs, hosts, benign } = calibration;
  const tables: Record<string, unknown> = {};
  for (const [kind, table] of calibration.tables) {
    const arrays = table.toArrays();
    tables[kind] = arrays.meta;
    pushAll(`tables.${kind}`, { ...arrays });
  }
  const covariance = calibration.covariance?.toArrays();
  if (covariance !== undefined) pushAll('covariance', { ...covariance });
  if (calibration.scale !== undefined) push('scale.scores', calibration.scale.scores);
  const { episodes } = calibration;
  if (episodes !== undefined) {
    for (const [name, arrays] of Object.entries(encodeEpisodes(episodes)))
      pushAll(`episodes.${name}`, arrays);
  }
  pushAll('benign', { scores: benign.scores, thresholds: benign.thresholds, incidents: benign.incidents });
  benign.without.forEach(({ incidents, above }, i) => {
    pushAll(`benign.without.${i}`, { incidents, above });
  });
  return {
    meta: {
      version: VERSION,
      calibration: {
        config,
        gate: Number.isNaN(gate) ? null : gate,
        graphs,
        instances,
        hosts,
        tables,
        firstTs: String(firstTs),
        lastTs: String(lastTs),
        covariance: covariance?.slotCounts ?? null,
        scale: calibration.scale?.instances ?? null,
        episodes: episodes !== undefined,
        benign: {
          instances: benign.instances,
          hostDays: benign.hostDays,
          graphs: benign.graphs,
          inSample: benign.inSample,
          without: benign.without.map(({ hostDays, instances: left }) => ({ hostDays, instances: left })),
        },
      },
    },
    tensors,
  };
}

/** Decodes the detector's part of a model file. Throws if anything in it is damaged. */
export function decodeDetector(model: TrainedModel, part: DetectorPart): DetectorState {
  checkVersion(part.meta);
  const parsed = metaSchema.safeParse(part.meta);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw damaged(`${issue.path.map(String).join('.').slice(0, 128)}: ${issue.message}`);
  }
  const tensors = new Tensors(part.tensors);
  const fitted = decodeFitted(model, tensors);
  const meta = parsed.data.calibration;
  if (meta === null) return { fitted, calibration: undefined };
  checkMeaning(meta);
  if (meta.config.evidence.includes('relation') && fitted.relation === undefined) {
    throw damaged('the counts of relation evidence are missing');
  }
  const tables = new Map<EvidenceKind, CalibrationTables>();
  for (const kind of meta.config.evidence) {
    const at = `tables.${kind}`;
    tables.set(
      kind,
      CalibrationTables.fromArrays({
        meta: meta.tables[kind] as never,
        groupOf: tensors.bytes(`${at}.groupOf`),
        tables: tensors.words(`${at}.tables`),
        nodes: tensors.words(`${at}.nodes`),
        values: tensors.floats(`${at}.values`),
      }),
    );
  }
  const covariance =
    meta.covariance === null
      ? undefined
      : PairCovariance.fromArrays({
          slotCounts: meta.covariance,
          values: tensors.floats('covariance.values'),
          known: tensors.bytes('covariance.known'),
        });
  const scale = meta.scale === null ? undefined : decodeScale(tensors.floats('scale.scores'), meta.scale);
  if ((meta.config.lineage === 'none') !== (scale === undefined))
    throw damaged('the scale of scores does not match the lineage setting');
  const { config, gate, graphs, instances, firstTs, lastTs, hosts } = meta;
  if (config.gate === 'knn' && gate === null) throw damaged('the gate has no value');
  if ((config.unit === 'episode') !== meta.episodes)
    throw damaged('the tables of episodes do not match the setting unit');
  return {
    fitted,
    calibration: {
      config,
      gate: gate ?? Number.NaN,
      tables,
      covariance,
      scale,
      graphs,
      instances,
      hosts,
      firstTs: BigInt(firstTs),
      lastTs: BigInt(lastTs),
      benign: decodeBenign(meta.benign, tensors),
      episodes: meta.episodes ? checked(() => decodeEpisodes(tensors)) : undefined,
    },
  };
}

type CalibrationMeta = NonNullable<z.output<typeof metaSchema>['calibration']>;

const LAST_TIME = 2n ** 63n - 1n;

/** Refuses values that have the right type but that no calibration can have. */
function checkMeaning(meta: CalibrationMeta): void {
  const { config, gate, graphs, instances, hosts, tables, benign } = meta;
  const [first, last] = [BigInt(meta.firstTs), BigInt(meta.lastTs)];
  if (first > last) throw damaged('calibration ends before it begins');
  if (first < -LAST_TIME || last > LAST_TIME) throw damaged('a time of calibration is out of range');
  if (graphs === 0 || instances === 0) throw damaged('calibration has no instances');
  if (hosts.length === 0 || new Set(hosts).size !== hosts.length) {
    throw damaged('the hosts of calibration are missing or not distinct');
  }
  const kinds: readonly string[] = config.evidence;
  if (Object.keys(tables).length !== kinds.length || kinds.some((kind) => !Object.hasOwn(tables, kind))) {
    throw damaged('the tables do not match the kinds of evidence');
  }
  if (gate !== null && gate < 0) throw damaged('the gate is negative');
  // A single graph is halved, and each half counts.
  if (benign.graphs === 0 || benign.graphs > 2 * graphs) {
    throw damaged('the benign scores have no graphs, or more than calibration has halves');
  }
  for (const { hostDays, instances: left } of benign.without) {
    if (hostDays > benign.hostDays || left > benign.instances) {
      throw damaged('a part of the benign scores is larger than the whole');
    }
  }
}

function decodeFitted(model: TrainedModel, tensors: Tensors): FittedDetector {
  const relations = model.relations.map(({ name }) => name);
  const reference = NeighbourReference.fromTensors(tensors.all);
  const levels = LevelTable.fromArrays({
    texts: tensors.texts('levels.texts'),
    parents: tensors.signed('levels.parents'),
    labels: tensors.signed('levels.labels'),
  });
  const { signed, words } = tensors;
  const examples = {
    texts: tensors.texts('examples.texts'),
    types: tensors.bytes('examples.types'),
    numbers: words('examples.numbers'),
  };
  const { count: points } = reference.points;
  if (examples.types.length !== points || examples.numbers.length !== points)
    throw damaged('the reference and its example names differ in length');
  if (examples.types.some((type) => type >= ENTITY_TYPES.length))
    throw damaged('an example has an unknown type');
  if (examples.numbers.some((number) => number >= examples.texts.length))
    throw damaged('an example has an unknown name');
  try {
    return {
      reference,
      examples,
      levels,
      name: NameSurprise.fromArrays(relations, levels, {
        subjects: signed('name.subjects'),
        relations: signed('name.relations'),
        contexts: signed('name.contexts'),
        levels: signed('name.levels'),
        counts: words('name.counts'),
      }),
      relation: tensors.has('relation.counts')
        ? RelationSurprise.fromArrays(relations, levels, {
            subjects: signed('relation.subjects'),
            objects: signed('relation.objects'),
            contexts: signed('relation.contexts'),
            relations: signed('relation.relations'),
            counts: words('relation.counts'),
          })
        : undefined,
      behaviours: tensors.has('behaviours.high') ? decodeKnown('behaviours', tensors) : undefined,
      usage: new FeatureUsage(
        model.space,
        model.training.entities,
        words('usage.transitions'),
        words('usage.instances'),
      ),
    };
  } catch (error) {
    if (error instanceof RangeError) throw damaged(error.message);
    throw error;
  }
}

function decodeScale(scores: Float32Array, instances: number): ScoreScale {
  const ascends = scores.every(
    (score, i) => Number.isFinite(score) && score > 0 && (i === 0 || score >= scores[i - 1]),
  );
  // The scale allocates memory for every instance, so their number is limited.
  if (!ascends || scores.length > instances || instances > 100 * scores.length + 1e6)
    throw damaged('the scale of scores is invalid');
  return new ScoreScale(scores, instances);
}

function decodeBenign(meta: CalibrationMeta['benign'], tensors: Tensors): Calibration['benign'] {
  const { instances, hostDays, graphs, inSample } = meta;
  const scores = tensors.floats('benign.scores');
  const thresholds = tensors.floats('benign.thresholds');
  const incidents = tensors.words('benign.incidents');
  const descends = (values: Float32Array) =>
    values.every((value, i) => Number.isFinite(value) && (i === 0 || value <= values[i - 1]));
  if (!descends(scores) || !descends(thresholds) || incidents.length !== thresholds.length) {
    throw damaged('the benign scores do not descend or differ in length');
  }
  if (scores.length > instances) throw damaged('it has more benign scores than instances');
  const without = meta.without.map((left, i) => {
    const own = tensors.words(`benign.without.${i}.incidents`);
    const above = tensors.words(`benign.without.${i}.above`);
    if (own.length !== thresholds.length || above.length !== thresholds.length)
      throw damaged('the benign curves differ in length');
    return { ...left, incidents: own, above };
  });
  return { scores, instances, hostDays, graphs, inSample, thresholds, incidents, without };
}

/** Tensors by name. Throws if a tensor is missing or has another type. */
class Tensors {
  readonly all: ReadonlyMap<string, Tensor>;

  constructor(tensors: readonly Tensor[]) {
    this.all = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  }

  readonly has = (name: string): boolean => this.all.has(name);
  readonly words = (name: string): Uint32Array => this.#typed(name, Uint32Array);
  readonly floats = (name: string): Float32Array => this.#typed(name, Float32Array);
  readonly bytes = (name: string): Uint8Array => this.#typed(name, Uint8Array);
  readonly signed = (name: string): Int32Array => {
    const data = this.words(name);
    return new Int32Array(data.buffer, data.byteOffset, data.length);
  };

  texts(name: string): string[] {
    const texts = unpackTexts(this.words(`${name}.ends`), this.bytes(`${name}.bytes`));
    if (texts === undefined) throw damaged(`${name} is damaged`);
    return texts;
  }

  #typed<T extends TensorData>(name: string, type: new (...args: never[]) => T): T {
    const data = this.all.get(name)?.data;
    if (data instanceof type) return data;
    throw damaged(`the tensor ${name} is missing or of the wrong type`);
  }
}

/** A RangeError of a part means that the file is damaged. */
function checked<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof RangeError) throw damaged(error.message);
    throw error;
  }
}

function checkVersion(meta: unknown): void {
  const found = z.looseObject({ version: z.int() }).safeParse(meta);
  if (!found.success || found.data.version === VERSION) return;
  const { version } = found.data;
  throw new RecalError(
    'model-version',
    `the detector of the model has version ${version}, but this recal reads version ${VERSION}`,
    { hint: version > VERSION ? 'update recal' : 'train again: recal train --store DIR --model FILE' },
  );
}

function damaged(why: string): RecalError {
  return new RecalError('model-damaged', `the detector of the model is damaged: ${why}`, {
    hint: 'restore the model file from a backup, or train again',
  });
}
