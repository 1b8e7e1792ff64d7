/** `core`: entities that the attacker made or controlled. `all`: also entities that the attack only touched. */
export const TIER_CHOICES = ['core', 'all'] as const;
export type TierChoice = (typeof TIER_CHOICES)[number];

export interface Label {
  /** As written in the file. */
  readonly id: string;
  /** Indices into `Labels.attacks`. */
  readonly attacks: readonly number[];
  /** In lower case. If rows differ, `core` wins, then the first tier. */
  readonly tier: string | null;
}

export interface Labels {
  readonly file: string;
  readonly form: 'text' | 'csv';
  readonly labels: readonly Label[];
  /** Index into `labels` by entity key, as written by `formatKey`. A Windows name has two keys: as written, and in lower case. */
  readonly byKey: ReadonlyMap<string, number>;
  /** Null if the file names no attacks. Metrics over attacks are null then. */
  readonly attacks: readonly string[] | null;
  readonly rows: number;
  /** Number of rows that repeat an id of an earlier row. */
  readonly merged: number;
  /** Number of rows left out because of their tier. */
  readonly otherTier: number;
}
