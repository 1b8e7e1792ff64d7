import { ATTENTION_CALLS } from './attention-calls.js';
import { callCosineLoss } from './cosine-calls.js';
import { FOLD_CALLS } from './fold-calls.js';
import type { Calls } from './kernel-call.js';
import { LINEAR_CALLS } from './linear-calls.js';
import { RELATION_CALLS } from './relation-calls.js';

export const CALLS: Calls = {
  ...LINEAR_CALLS,
  ...ATTENTION_CALLS,
  ...FOLD_CALLS,
  ...RELATION_CALLS,
  cosineLoss: callCosineLoss,
};
