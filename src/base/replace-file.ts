import { open, rename, rm } from 'node:fs/promises';

/** Writes a file in the place of the one before, as a whole or not at all: a reader never sees half of it. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.new`;
  try {
    const file = await open(draft, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
