/** What a user should know about an error code. */
export interface ErrorText {
  readonly when: string;
  readonly action: string;
}
