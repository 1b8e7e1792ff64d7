import { z } from 'zod';

/** The store setting of every command that needs one. */
export const storeSetting = {
  type: z.string().min(1),
  description: 'folder of the store',
  value: 'DIR',
} as const;

/** The model setting of every command that needs one. `description` says what happens to the file. */
export function modelSetting(description: string) {
  return { type: z.string().min(1), description, value: 'FILE' } as const;
}

/** The trust setting of every command that reads a model. */
export const trustSetting = {
  type: z.string().min(1).optional(),
  description: 'public key; the model must be signed with its private key (recal model sign)',
  value: 'FILE',
} as const;
