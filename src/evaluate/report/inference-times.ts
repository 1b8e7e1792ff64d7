import { INFERENCE_STAGES, type InferenceStage } from '../protocol/inference-stages.js';
import type { VariantResult } from '../result-schema.js';

/** The mean seconds of one seed of a variant, counted as in the paper. */
export interface InferenceTimes {
  /** Null if the variant learns nothing by gradients. */
  readonly train: number | null;
  /** The sum of the stages. */
  readonly inference: number;
  /** In the order in which they run. */
  readonly stages: Readonly<Partial<Record<InferenceStage, number>>>;
  /** Shares of inference, 0 to 1; null for a variant whose scoring has no parts. */
  readonly shares: { readonly knn: number; readonly calibrationAndFusion: number } | null;
}

/** Undefined if the result has no timings. */
export function inferenceTimes({ seeds }: Pick<VariantResult, 'seeds'>): InferenceTimes | undefined {
  const mean = (stage: string): number | undefined => {
    const values = seeds.flatMap(({ timings }) => timings?.[stage] ?? []);
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const stages: Partial<Record<InferenceStage, number>> = {};
  for (const stage of Object.keys(INFERENCE_STAGES) as InferenceStage[]) {
    const seconds = mean(stage);
    if (seconds !== undefined) stages[stage] = seconds;
  }
  const inference = Object.values(stages).reduce((sum, seconds) => sum + seconds, 0);
  if (!(inference > 0)) return undefined;
  const { index = 0, knn = 0, lookup, fusion = 0 } = stages;
  return {
    train: mean('train') ?? null,
    inference,
    stages,
    shares:
      lookup === undefined
        ? null
        : { knn: (index + knn) / inference, calibrationAndFusion: (lookup + fusion) / inference },
  };
}
