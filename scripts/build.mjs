#!/usr/bin/env node
// Builds dist/: compiles the kernels into src/, compiles the TypeScript, copies the kernels beside it.
//
//   node scripts/build.mjs              always builds
//   node scripts/build.mjs --if-stale   builds only if a source changed since the last build
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { WASM_FILES } from './kernels.mjs';

process.chdir(join(import.meta.dirname, '..'));

/** Written last: the digest of everything the build was made from. */
const STAMP = 'dist/.build-sha256';
const INPUTS = [
  'src',
  'kernels',
  'scripts',
  'asconfig.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
];

const digest = digestInputs();
if (process.argv.includes('--if-stale') && isCurrent(digest)) {
  console.log('dist/ is up to date');
} else {
  rmSync('dist', { recursive: true, force: true });
  for (const { source, wasm, flags } of WASM_FILES) {
    run(
      'node_modules/assemblyscript/bin/asc.js',
      source,
      '--target',
      'release',
      ...flags,
      '-o',
      `src/${wasm}`,
    );
  }
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  for (const { wasm } of WASM_FILES) copyFileSync(`src/${wasm}`, `dist/${wasm}`);
  chmodSync('dist/cli/main.js', 0o755);
  writeFileSync(STAMP, digest);
}

function run(program, ...args) {
  const { status, error } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) {
    console.error(`build failed: ${program} ${args.join(' ')} exited with ${status}`);
    process.exit(1);
  }
}

function isCurrent(wanted) {
  const made = [
    STAMP,
    'dist/cli/main.js',
    ...WASM_FILES.flatMap(({ wasm }) => [`src/${wasm}`, `dist/${wasm}`]),
  ];
  return made.every((file) => existsSync(file)) && readFileSync(STAMP, 'utf8') === wanted;
}

function digestInputs() {
  const hash = createHash('sha256');
  for (const file of INPUTS.flatMap(filesBelow)) {
    hash.update(`${file}\0`).update(createHash('sha256').update(readFileSync(file)).digest());
  }
  return hash.digest('hex');
}

/** The files below a path in a fixed order. Compiled kernels are outputs and do not count. */
function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.endsWith('.wasm'))
    .sort();
}
