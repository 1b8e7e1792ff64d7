import type { EpisodeCalibration } from './episode-detector.js';
import { KnownBehaviours } from './novelty/known-behaviours.js';
import { NoveltyRates } from './novelty/novelty-rates.js';
import { TailSurprise } from './novelty/tail-surprise.js';

/** Reads the tensors of a model file by name. */
export interface EpisodeTensors {
  words(name: string): Uint32Array;
  signed(name: string): Int32Array;
  floats(name: string): Float32Array;
  has(name: string): boolean;
}

type Arrays = Readonly<Record<string, Int32Array | Uint32Array | Float32Array>>;

/** The calibration of episodes as arrays, for a model file. */
export function encodeEpisodes({
  known,
  rates,
  onHost,
  changeShare,
  novelty,
  learned,
  incidents,
}: EpisodeCalibration): Record<string, Arrays> {
  return {
    known: { ...known.toArrays() },
    rates: { ...rates.toArrays() },
    ...(onHost === undefined
      ? {}
      : { onHost: { ...onHost.rates.toArrays(), share: Float32Array.of(onHost.share) } }),
    changes: { share: Float32Array.of(changeShare) },
    benign: { novelty: novelty.values, learned: learned.values, incidents: incidents.values },
  };
}

/** Throws a RangeError if the arrays are inconsistent. */
export function decodeEpisodes({ words, signed, floats, has }: EpisodeTensors): EpisodeCalibration {
  const rates = (at: string) =>
    NoveltyRates.fromArrays({
      high: signed(`${at}.high`),
      low: signed(`${at}.low`),
      all: words(`${at}.all`),
      fresh: words(`${at}.fresh`),
      kinds: floats(`${at}.kinds`),
      strengths: floats(`${at}.strengths`),
      shares: floats(`${at}.shares`),
    });
  const shareAt = (name: string): number => {
    const [value] = floats(name);
    if (!(value > 0 && value <= 1)) throw new RangeError('a share is not between 0 and 1');
    return value;
  };
  const tail = (name: string) => {
    const values = floats(`episodes.benign.${name}`);
    if (!values.every((value) => value >= 0 && value < Infinity))
      throw new RangeError('a benign episode has no score');
    return new TailSurprise(values);
  };
  return {
    changeShare: shareAt('episodes.changes.share'),
    known: decodeKnown('episodes.known', { words, signed, floats, has }),
    rates: rates('episodes.rates'),
    onHost: has('episodes.onHost.share')
      ? { rates: rates('episodes.onHost'), share: shareAt('episodes.onHost.share') }
      : undefined,
    novelty: tail('novelty'),
    learned: tail('learned'),
    incidents: tail('incidents'),
  };
}

/** Throws a RangeError if the arrays are inconsistent. */
export function decodeKnown(at: string, { words, signed, has }: EpisodeTensors): KnownBehaviours {
  const keys = { high: signed(`${at}.high`), low: signed(`${at}.low`) };
  if (!has(`${at}.masks`)) return KnownBehaviours.fromArrays(keys);
  return KnownBehaviours.fromArrays({
    ...keys,
    hostHigh: signed(`${at}.hostHigh`),
    hostLow: signed(`${at}.hostLow`),
    roleHigh: signed(`${at}.roleHigh`),
    roleLow: signed(`${at}.roleLow`),
    masks: words(`${at}.masks`),
  });
}
