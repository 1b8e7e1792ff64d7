/** Something that the user should know. The work continues. */
export interface Notice {
  readonly level: 'info' | 'warning';
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
}

/** Receives notices as they arise. */
export type NoticeListener = (notice: Notice) => void;
