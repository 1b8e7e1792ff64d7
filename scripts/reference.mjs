#!/usr/bin/env node
// Writes the generated pages of docs/reference/ from the built program. Run it after changing a command, a setting, an
// error code or an export.
//
//   node scripts/reference.mjs           writes the pages
//   node scripts/reference.mjs --check   fails if a page is out of date
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as api from './reference/api.mjs';
import * as cli from './reference/cli.mjs';
import * as errors from './reference/errors.mjs';
import * as settings from './reference/settings.mjs';

process.chdir(join(import.meta.dirname, '..'));

const check = process.argv.includes('--check');
let stale = 0;
for (const { path, render } of [cli, settings, errors, api]) {
  const text = await render();
  if (read(path) === text) continue;
  if (check) {
    console.error(`${path} is out of date`);
    stale++;
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
}
if (stale > 0) {
  console.error('run: npm run reference');
  process.exitCode = 1;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
