#!/usr/bin/env node
/**
 * Fills in the missing `integrity` of packages in package-lock.json from the registry. Changes nothing else.
 * CONTRIBUTING.md says why some are missing.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

const LOCKFILE = new URL('../package-lock.json', import.meta.url);
const run = promisify(execFile);

const text = readFileSync(LOCKFILE, 'utf8');
const lock = JSON.parse(text);
const missing = [];
let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.link || entry.integrity !== undefined) continue;
  const name = `${entry.name ?? path.replace(/^.*node_modules\//, '')}@${entry.version}`;
  const integrity = await run('npm', ['view', name, 'dist.integrity']).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  if (!/^sha512-[A-Za-z0-9+/]+={0,2}$/.test(integrity)) {
    missing.push(name);
    continue;
  }
  // npm writes `version` first and `integrity` after it.
  const { version, ...rest } = entry;
  lock.packages[path] = { version, integrity, ...rest };
  added++;
}
if (added > 0) writeFileSync(LOCKFILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} added, ${missing.length} still missing`);
for (const name of missing) console.log(`  ${name}`);
process.exitCode = missing.length > 0 ? 1 : 0;
