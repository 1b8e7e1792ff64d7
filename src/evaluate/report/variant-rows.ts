import type { Figure, VariantResult } from '../result-schema.js';
import { countText, hasDailyRate, meanText, stepsOf } from './cell-text.js';
import type { StudyRun } from './study.js';

/** A row of a table with one row per variant and protocol. */
export interface VariantRow {
  readonly run: string;
  readonly name: string;
  readonly variant: VariantResult;
}

export function variantRows(runs: readonly StudyRun[]): VariantRow[] {
  return runs.flatMap(({ name: run, result }) =>
    Object.entries(result.variants).map(([name, variant]) => ({ run, name, variant })),
  );
}

/** The first columns of such a table. */
export const VARIANT_COLUMNS = [
  { heading: 'variant', value: ({ name }: VariantRow) => name },
  { heading: 'protocol', value: ({ run }: VariantRow) => run },
  { heading: 'steps', value: ({ variant }: VariantRow) => stepsOf(variant) },
];

/** The heading of a column about one variant: its name and the steps of its training. */
export function headingOf(name: string, runs: readonly StudyRun[]): string {
  const own = variantRows(runs).filter((row) => row.name === name);
  const steps = new Set(own.flatMap(({ variant }) => stepsOf(variant) ?? []));
  return steps.size === 0 ? name : `${name} (${[...steps].join(' or ')} steps)`;
}

export function meanColumn(heading: string, figure: Figure, decimals = 3) {
  return {
    heading,
    value: ({ variant }: VariantRow) => variant.mean[figure],
    show: ({ variant }: VariantRow) => meanText(variant, figure, decimals),
    as: 'number' as const,
  };
}

export function countColumn(heading: string, figure: Figure) {
  return {
    heading,
    value: ({ variant }: VariantRow) => variant.mean[figure],
    show: ({ variant }: VariantRow) => countText(variant, figure),
    as: 'number' as const,
  };
}

/** False incidents per host and day. All runs have the same test. */
export function dailyColumn([{ result }]: readonly StudyRun[]) {
  const { show, ...column } = meanColumn('per host and day', 'falseIncidentsPerDay');
  return hasDailyRate(result.data)
    ? { ...column, show }
    : { ...column, value: () => null, show: () => 'test too short' };
}

/** What it takes to find every attack: a dash would not tell that some attack is not found. */
export function effortColumn(heading: string, figure: Figure) {
  const { show, ...column } = countColumn(heading, figure);
  return {
    ...column,
    show: (row: VariantRow) => (row.variant.mean[figure] === null ? 'not all' : show(row)),
  };
}
