import { join } from 'node:path';
import { pipeCdmLog } from '../piped-ingest.js';

/** Pipes logs of these lengths into a watch that learns, and compares the peaks of the memory of its main process. */
export async function measureMemory(
  folder: string,
  lengths: readonly number[],
  entitiesPerEvent: number,
): Promise<void> {
  let first: number | undefined;
  for (const events of lengths) {
    const entities = Math.ceil(events * entitiesPerEvent);
    const dir = join(folder, `soak-${events}`);
    const flags = ['--dir', dir, '--learn', '1000w', '--metrics', 'off', '--json', '--quiet'];
    const started = performance.now();
    const { bytes, samples, peak, result } = await pipeCdmLog(['watch', '-', ...flags], { events, entities });
    const seconds = (performance.now() - started) / 1000;
    const stored = (result as { events: number }).events;
    console.log(
      `\n${stored} events, ${entities} entities, ${(bytes / 1e9).toFixed(1)} GB, ${seconds.toFixed(0)} s`,
    );
    console.log(
      `  resident MiB after each GB: ${samples.map(({ mebibytes }) => mebibytes.toFixed(0)).join(', ')}`,
    );
    console.log(
      `  peak ${peak.toFixed(0)} MiB${first === undefined ? '' : `, ${(peak / first).toFixed(2)}× the first`}`,
    );
    first ??= peak;
  }
}
