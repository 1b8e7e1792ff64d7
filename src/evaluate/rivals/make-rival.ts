import type { ResolvedVariant } from '../protocol/variants.js';
import { Flash } from './flash/flash.js';
import { Magic } from './magic/magic.js';
import { Orthrus } from './orthrus/orthrus.js';
import type { Rival } from './rival.js';
import type { PublishedRival } from './rival-settings.js';
import { Threatrace } from './threatrace/threatrace.js';
import { Unicorn } from './unicorn/unicorn.js';

const RIVALS: Readonly<Record<PublishedRival, new (resolved: ResolvedVariant) => Rival>> = {
  magic: Magic,
  threatrace: Threatrace,
  orthrus: Orthrus,
  flash: Flash,
  unicorn: Unicorn,
};

/** The contestant of a published detector. */
export function makeRival(kind: PublishedRival, resolved: ResolvedVariant): Rival {
  return new RIVALS[kind](resolved);
}
