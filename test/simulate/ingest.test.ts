import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../src/simulate/options.js';
import { inspectFiles } from '../../src/store/inspect.js';
import { makeSimulation, removeSimulations } from './simulations.js';

afterAll(removeSimulations);

describe.each(SCENARIOS)('the logs of %s', (scenario) => {
  it.each(['cdm18', 'ndjson'] as const)(
    'in %s are read completely, except for the records left out on purpose',
    async (format) => {
      const { directory, manifest } = await makeSimulation({ scenario, format, events: 40_000, seed: 3 });
      const [host] = manifest.hosts;
      for (const file of host.files) {
        const read = await inspectFiles([join(directory, file.name)], { threads: 0 });
        expect(read.malformed, file.name).toBe(0);
        // THEIA's BOOT has no subject and no object, as in the real samples, so ingest skips it.
        const { EVENT_BOOT: boots = 0, ...relations } = file.relations;
        expect(read.skipped.noSubject ?? 0, file.name).toBe(boots);
        expect(Object.keys(read.skipped).filter((reason) => !/Marker$|^noSubject$/.test(reason))).toEqual([]);
        expect(read.events + boots, file.name).toBe(file.events);
        expect(read.relations, file.name).toEqual(relations);
        expect(read.entities.placeholders, file.name).toBe(file.missing);
        expect(read.unresolved, file.name).toBeLessThanOrEqual(file.unresolvedEndpoints);
        expect(read.unresolved > 0, file.name).toBe(file.missing > 0);
        expect(read.repaired, file.name).toEqual({});
      }
    },
  );
});
