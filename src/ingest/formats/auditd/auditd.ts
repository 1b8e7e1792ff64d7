import type { Format } from '../reader.js';
import { AuditAssembler } from './audit-assembler.js';
import { AuditdReader } from './auditd-reader.js';

const RECORD = /^\s*(node=\S+ )?type=[A-Z0-9_[\]]+ msg=audit\(\d{1,10}\.\d{1,9}:\d{1,10}\):/;

/**
 * The log of the Linux audit daemon, `log_format` RAW or ENRICHED, as in /var/log/audit/audit.log or from
 * `ausearch --format raw`.
 */
export const auditd: Format = {
  name: 'auditd',
  module: import.meta.url,
  assemblerLoad: 1,
  title: 'Linux audit log',
  exactTime: true,
  recognises: () => false,
  recognisesLine: (line) => RECORD.test(line),
  open: (memory, options) => new AuditdReader(options, memory),
  assembler: (state) => new AuditAssembler(state),
};
