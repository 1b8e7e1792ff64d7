import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** Creates a folder that is removed after the test. */
export function newFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

const shared: string[] = [];
// Registered while the test file loads: vitest ignores a hook that another hook, such as beforeAll, registers.
afterAll(() => shared.splice(0).forEach(removeFolder));

/** Creates a folder that is removed after all tests of the file. */
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

/** Returns the relative paths of all files in a folder and its subfolders. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
