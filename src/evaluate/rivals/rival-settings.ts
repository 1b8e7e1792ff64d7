import { FLASH_DEFAULTS } from './flash/flash-options.js';
import { MAGIC_DEFAULTS } from './magic/magic-options.js';
import { ORTHRUS_DEFAULTS } from './orthrus/orthrus-options.js';
import { THREATRACE_DEFAULTS } from './threatrace/threatrace-options.js';
import { UNICORN_DEFAULTS } from './unicorn/unicorn-options.js';

/** The defaults of the published rivals: the settings of their papers or, where they differ, of their code. */
const DEFAULTS = {
  magic: MAGIC_DEFAULTS,
  threatrace: THREATRACE_DEFAULTS,
  orthrus: ORTHRUS_DEFAULTS,
  flash: FLASH_DEFAULTS,
  unicorn: UNICORN_DEFAULTS,
} as const;

/** A published detector with settings of its own. */
export type PublishedRival = keyof typeof DEFAULTS;

export const PUBLISHED_RIVALS = Object.keys(DEFAULTS) as readonly PublishedRival[];

export function isPublished(kind: string): kind is PublishedRival {
  return Object.hasOwn(DEFAULTS, kind);
}

/**
 * What a contestant changes of its published defaults, because a search over development data did clearly better with it
 * (docs/research/rivals/README.md). The variant NAME-published has none of it.
 */
const SEARCHED: { readonly [K in PublishedRival]?: Partial<(typeof DEFAULTS)[K]> } = {
  orthrus: { rate: 1e-3 },
};

export function searchedSettings(kind: PublishedRival): Readonly<Record<string, unknown>> | undefined {
  return SEARCHED[kind];
}

/** The variant with the published defaults. */
export function publishedVariant(kind: PublishedRival): string {
  return SEARCHED[kind] === undefined ? kind : `${kind}-published`;
}

/** The defaults of a rival, changed by what defines its variant. */
export function rivalSettings<K extends PublishedRival>(
  kind: K,
  own: Readonly<Record<string, unknown>> | undefined,
): (typeof DEFAULTS)[K] {
  return { ...DEFAULTS[kind], ...own };
}
