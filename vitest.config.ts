import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest. They start first, so that at the end no worker runs one alone. */
const LONG = [
  'faults/faults',
  'compute/kernels-hub',
  'evaluate/rivals/episodes-peer',
  'cli/commands/watch',
  'live/watch/kill',
  'compute/kernels',
  'docs/getting-started',
  'detect/episodes/claims',
  'cli/commands/demo-whole',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONG.some((name) => moduleId.endsWith(`${name}.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks', // native DuckDB per process: a crash names its test file
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    // These end a test that hangs. They are long, so that a busy machine fails no test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
