import { z } from 'zod';

/** The setting of every command that works on a store. */
export const storeSetting = {
  type: z.string().min(1),
  description: 'folder of the store',
  value: 'DIR',
} as const;

/** The setting of every command that works on a model; `description` says what becomes of the file. */
export function modelSetting(description: string) {
  return { type: z.string().min(1), description, value: 'FILE' } as const;
}
