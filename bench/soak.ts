import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine, withFolder } from './measurement.js';
import { ingestPiped } from './piped-ingest.js';

const MILLION = 1_000_000;
/** New entities per event, as in the memory part of the bench `ingest`. */
const ENTITIES_PER_EVENT = 0.625;

/**
 * `npm run bench -- soak [EVENTS…] [--entities 0.625]` pipes logs of these lengths (default: 5 and 20 million events) into
 * `recal ingest -` and compares the peaks of its memory. `--entities` is the number of new entities per event.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { entities: { type: 'string', default: String(ENTITIES_PER_EVENT) } },
  });
  const lengths = positionals.length > 0 ? positionals.map(Number) : [5 * MILLION, 20 * MILLION];
  console.log(describeMachine());
  let first: number | undefined;
  for (const events of lengths) {
    const entities = Math.ceil(events * Number(values.entities));
    const { bytes, samples, peak, result } = await withFolder('soak', (folder) =>
      ingestPiped(join(folder, 'store'), { events, entities }),
    );
    const resident = samples.map(({ mebibytes }) => mebibytes.toFixed(0)).join(', ');
    console.log(
      `\n${result.events} events, ${result.entities.total} entities, ${(bytes / 1e9).toFixed(1)} GB, ${result.seconds.toFixed(0)} s`,
    );
    console.log(`  resident MiB after each GB: ${resident}`);
    console.log(
      `  peak ${peak.toFixed(0)} MiB${first === undefined ? '' : `, ${(peak / first).toFixed(2)}× the first`}`,
    );
    first ??= peak;
  }
}
