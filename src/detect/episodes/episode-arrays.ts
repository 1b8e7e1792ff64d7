import type { EpisodeCalibration } from './episode-detector.js';
import { KnownBehaviours } from './known-behaviours.js';
import { NoveltyRates } from './novelty-rates.js';
import { TailSurprise } from './tail-surprise.js';

/** Reads the tensors of a model file by name. */
export interface EpisodeTensors {
  words(name: string): Uint32Array;
  signed(name: string): Int32Array;
  floats(name: string): Float32Array;
}

type Arrays = Readonly<Record<string, Int32Array | Uint32Array | Float32Array>>;

/** The calibration of episodes as arrays, for a model file. */
export function encodeEpisodes({
  known,
  rates,
  changeShare,
  novelty,
  learned,
  incidents,
}: EpisodeCalibration): Record<string, Arrays> {
  return {
    known: { ...known.toArrays() },
    rates: { ...rates.toArrays() },
    changes: { share: Float32Array.of(changeShare) },
    benign: { novelty: novelty.values, learned: learned.values, incidents: incidents.values },
  };
}

/** Throws a RangeError if the arrays are inconsistent. */
export function decodeEpisodes({ words, signed, floats }: EpisodeTensors): EpisodeCalibration {
  const at = 'episodes.rates';
  const tail = (name: string) => {
    const values = floats(`episodes.benign.${name}`);
    if (!values.every((value) => value >= 0 && value < Infinity))
      throw new RangeError('a benign episode has no score');
    return new TailSurprise(values);
  };
  const [changeShare] = floats('episodes.changes.share');
  if (!(changeShare > 0 && changeShare <= 1))
    throw new RangeError('the share of changes is not between 0 and 1');
  return {
    changeShare,
    known: KnownBehaviours.fromArrays({
      high: signed('episodes.known.high'),
      low: signed('episodes.known.low'),
    }),
    rates: NoveltyRates.fromArrays({
      high: signed(`${at}.high`),
      low: signed(`${at}.low`),
      all: words(`${at}.all`),
      fresh: words(`${at}.fresh`),
      kinds: floats(`${at}.kinds`),
      strengths: floats(`${at}.strengths`),
      shares: floats(`${at}.shares`),
    }),
    novelty: tail('novelty'),
    learned: tail('learned'),
    incidents: tail('incidents'),
  };
}
