import { type Kernels, takesDenseForm } from '../device.js';
import { denseRelation } from './cosine-dense.js';
import { gramRelation } from './cosine-gram.js';

export function cosineLoss(args: Kernels['cosineLoss']): void {
  for (let r = 0; r + 1 < args.offsets.length; r++) {
    const pairs = args.offsets[r + 1] - args.offsets[r];
    if (pairs === 0) continue;
    if (takesDenseForm(pairs, { features: args.target.cols, hidden: args.hidden })) denseRelation(args, r);
    else gramRelation(args, r);
  }
}
