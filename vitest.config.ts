import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks', // native DuckDB per process: a crash names its test file
    maxWorkers: 2,
    // These end a test that hangs. They are long, so that a busy machine fails no test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
