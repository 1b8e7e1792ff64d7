import { auditdRules } from './auditd.js';
import { FALCO_RULES } from './falco.js';
import type { RuleOptions } from './rule-options.js';
import { SYSMON_RULES } from './sysmon.js';
import { TETRAGON_RULES } from './tetragon.js';

/** The configuration of a sensor, with which it records what RECAL reads. */
export interface CollectionRules {
  /** A usual place for the file. */
  readonly file: string;
  text(options: RuleOptions): string;
}

export const COLLECTION_RULES: Readonly<Record<string, CollectionRules>> = {
  auditd: { file: '/etc/audit/rules.d/recal.rules', text: auditdRules },
  tetragon: { file: 'recal-tetragon.yaml', text: () => TETRAGON_RULES },
  falco: { file: '/etc/falco/rules.d/recal.yaml', text: () => FALCO_RULES },
  sysmon: { file: 'recal-sysmon.xml', text: () => SYSMON_RULES },
};
