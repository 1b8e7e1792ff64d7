import type { DetectionConfig } from '../../detect/detection-config.js';

/**
 * The stages of inference as the paper counts it: without preprocessing, loading, graph building and the one-time
 * calibration. The keys are the names in `timings`, in the order in which they run.
 */
export const INFERENCE_STAGES = {
  index: 'kNN index',
  embed: 'embedding',
  knn: 'kNN query',
  masked: 'masked rounds',
  surprise: 'surprise',
  lookup: 'calibration lookup',
  fusion: 'fusion',
  lineage: 'lineage',
  /** Rivals have no parts. */
  score: 'scoring',
} as const;

export type InferenceStage = keyof typeof INFERENCE_STAGES;

/** The names that the detector gives to the parts of measuring and judging. */
export const MEASURED: Readonly<Record<string, InferenceStage>> = {
  encode: 'embed',
  knn: 'knn',
  errors: 'masked',
  surprise: 'surprise',
  compare: 'lookup',
  fuse: 'fusion',
  lineage: 'lineage',
};

/** Whether a configuration needs a stage. Variants that share measurements may need different ones. */
export function needsStage(stage: InferenceStage, { evidence, gate }: DetectionConfig): boolean {
  if (stage === 'index' || stage === 'embed' || stage === 'knn') {
    return gate === 'knn' || evidence.includes('distance');
  }
  if (stage === 'masked') return evidence.includes('reconstruction');
  if (stage === 'surprise') return evidence.includes('name') || evidence.includes('relation');
  return true;
}
