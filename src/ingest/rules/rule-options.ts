/** The processors that audit rules can be written for, because names of system calls differ. */
export const RULE_ARCHITECTURES = ['x86_64', 'aarch64'] as const;
export type RuleArchitecture = (typeof RULE_ARCHITECTURES)[number];

export interface RuleOptions {
  /** Processor of the host that is recorded. */
  readonly architecture: RuleArchitecture;
  /** A user whose processes are not recorded. */
  readonly without?: string | undefined;
}
