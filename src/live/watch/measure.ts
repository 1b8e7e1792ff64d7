import type { Source } from '../sources/source.js';
import type { WatchState } from './checkpoint.js';
import type { Metrics } from './metrics.js';
import type { WatchStatus } from './watch-options.js';

/** What a watch is at. */
export interface Measured {
  readonly phase: WatchStatus['phase'];
  readonly state: WatchState;
  readonly sources: readonly Source[];
  /** The latest stored event, in nanoseconds. */
  readonly latest: bigint | undefined;
  readonly unscoredWindows: number;
  readonly outbox: number;
  readonly segments: number;
  /** Time of the last checkpoint, in milliseconds since 1970. */
  readonly checkpointed: number;
}

/** Sets the gauges of a watch. */
export async function measureWatch(metrics: Metrics, measured: Measured): Promise<void> {
  const { state, sources, latest } = measured;
  const now = Date.now();
  for (const phase of ['learning', 'training', 'detecting'])
    metrics.set('recal_phase', Number(phase === measured.phase), { phase });
  if (latest !== undefined)
    metrics.set('recal_ingest_lag_seconds', (now - Number(latest / 1_000_000n)) / 1000);
  for (const source of sources)
    metrics.set('recal_source_lag_bytes', (await source.lag()).bytes, { source: source.name });
  metrics.set('recal_unscored_windows', measured.unscoredWindows);
  metrics.set('recal_outbox_notifications', measured.outbox);
  metrics.set('recal_checkpoint_age_seconds', (now - measured.checkpointed) / 1000);
  metrics.set('recal_store_segments', measured.segments);
  if (state.model !== null) metrics.set('recal_model_age_seconds', (now - state.model.trained) / 1000);
}
