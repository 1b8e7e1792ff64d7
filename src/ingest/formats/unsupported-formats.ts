/** A log format that recal recognises but does not read, and what to do with it. */
export interface UnsupportedFormat {
  readonly name: string;
  /** Tells whether a line, with its JSON value if it has one, is of this format. */
  matches(line: string, record: Readonly<Record<string, unknown>> | undefined): boolean;
  readonly hint: string;
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In order: the first match counts. */
export const UNSUPPORTED_FORMATS: readonly UnsupportedFormat[] = [
  {
    name: 'the native JSON of CADETS (FreeBSD dtrace)',
    matches: (_line, record) => record !== undefined && 'event' in record && 'subjprocuuid' in record,
    hint: 'it has no complete entity records; use the CDM files of the same trace',
  },
  {
    name: 'auoms audit records in syslog JSON',
    matches: (line) => /\bAUOMS_[A-Z]+\b.{0,40}\baudit\(/.test(line),
    hint: 'ingest /var/log/audit/audit.log of the host instead; recal reads it as it is',
  },
  {
    name: 'osquery results',
    matches: (_line, record) =>
      record !== undefined && 'hostIdentifier' in record && ('columns' in record || 'snapshot' in record),
    hint: 'its process ids are reused and its times are whole seconds; collect Linux audit or Sysmon logs',
  },
  {
    name: 'Tracee events',
    matches: (_line, record) =>
      record !== undefined &&
      (('eventName' in record && 'processName' in record) || ('workload' in record && 'policies' in record)),
    hint: 'convert it to recal NDJSON, or collect with Tetragon or Linux audit',
  },
  {
    name: 'a journald export',
    matches: (line, record) =>
      /^__CURSOR=/.test(line) ||
      (record !== undefined && '__CURSOR' in record && '__REALTIME_TIMESTAMP' in record),
    hint: 'export the audit log itself: ausearch --format raw, or /var/log/audit/audit.log',
  },
  {
    name: 'the Windows Security channel',
    matches: (line, record) => {
      const event = isFields(record?.winlog) ? record.winlog : record;
      const channel = event?.Channel ?? event?.channel;
      return channel === 'Security' || /<Channel>Security<\/Channel>/.test(line);
    },
    hint: 'it has no file or network events; collect Sysmon, which recal reads',
  },
  {
    name: 'interpreted audit records (ausearch -i)',
    matches: (line) =>
      /^(?:node=\S+ )?type=\S+ msg=audit\([^)]*[/:][^)]*\s[^)]*\)/.test(line) || line === '----',
    hint: 'leave out -i: ausearch --format raw, or /var/log/audit/audit.log',
  },
  {
    name: 'sysdig text',
    matches: (line) => /^\d+ \d\d:\d\d:\d\d\.\d+ \d+ \S.* \(\d+(?:[.:]\d+)?\) [<>] \w+/.test(line),
    hint: 'collect with Falco and the rules of `recal rules falco`, or with Linux audit',
  },
];
