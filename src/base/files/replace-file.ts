import { open, rename, rm } from 'node:fs/promises';

/** Replaces a file atomically: readers see the old or the new content, never a part. */
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

/** Makes the renames in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
