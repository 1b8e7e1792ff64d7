import { EpisodeFinder, type EpisodeFindings } from '../reference/find-episodes.js';
import type { Splits } from './splits.js';

const known = new WeakMap<Splits, Promise<EpisodeFindings>>();

/** The episodes of the test by which all variants are judged. Sweeps evaluate the same splits often, so they are kept. */
export function referenceEpisodes(splits: Splits): Promise<EpisodeFindings> {
  const found = known.get(splits) ?? findAll(splits);
  known.set(splits, found);
  return found;
}

async function findAll({ train, calibrate, test }: Splits): Promise<EpisodeFindings> {
  const finder = new EpisodeFinder();
  finder.fit(await train.named());
  finder.calibrate(await calibrate.named());
  return finder.find(await test.named());
}
