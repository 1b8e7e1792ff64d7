import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder that is gone after the test. */
export function newFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

const shared: string[] = [];
// Here, while the test file is loaded: vitest forgets a hook that another hook, such as beforeAll, registers.
afterAll(() => shared.splice(0).forEach(removeFolder));

/** A folder that is gone after all tests of the file. */
export function sharedFolder(): string {
  const folder = makeFolder();
  shared.push(folder);
  return folder;
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'recal-test-'));
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** The files below a folder, by their paths within it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
