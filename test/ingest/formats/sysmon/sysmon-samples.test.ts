import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLog } from '../../records.js';

// Real samples of each carrier. They are not in the repository; see CONTRIBUTING.md.

const FOLDER = new URL('../../../../../shared/data/samples/sysmon/', import.meta.url).pathname;
const present = existsSync(FOLDER);
if (!present) console.log(`left out: ${FOLDER} is missing, so no real Sysmon sample is read`);

/** The number of records in each file, and how many of them become no event, by reason. */
const SAMPLES: {
  file: string;
  records: number;
  skipped: Record<string, number>;
  repaired: Record<string, number>;
}[] = [
  {
    file: 'otrf-cmd_lsass_memory_dumpert_syscalls.json',
    records: 118,
    skipped: { 'channel Security': 23 },
    repaired: {},
  },
  {
    file: 'otrf-psh_lsass_memory_dump_comsvcs.json',
    records: 184,
    skipped: { 'channel Security': 36 },
    repaired: {},
  },
  { file: 'otrf-lsass_campaign_02.10k.json.gz', records: 10_000, skipped: {}, repaired: { ownClock: 22 } },
  {
    file: 'otrf-linux-sysmon-syslog-log4shell.json',
    records: 93,
    skipped: { noProcess: 2 },
    repaired: { cutXml: 1, incompleteGuid: 12 },
  },
  { file: 'otrf-sentinel-eventdata-string-log4shell.json.gz', records: 487, skipped: {}, repaired: {} },
  {
    file: 'sysmon-linux-xml.log',
    records: 50,
    skipped: { noProcess: 14, otherProgram: 14, ServiceConfigurationChange: 1, ServiceStateChange: 1 },
    repaired: { incompleteGuid: 19 },
  },
  { file: 'winlogbeat-processcreate.golden.json', records: 1, skipped: {}, repaired: {} },
  {
    file: 'winlogbeat-sysmon-events.json.gz',
    records: 221,
    skipped: { noProcess: 3, Error: 1, ServiceConfigurationChange: 1, ServiceStateChange: 1 },
    repaired: {},
  },
];

describe.runIf(present).each(SAMPLES)('$file', ({ file, records, skipped, repaired }) => {
  it('is detected, and each of its records is accounted for', async () => {
    const [log] = await readLog(`${FOLDER}${file}`);
    expect(log.report.format).toBe('sysmon');
    expect(log.counts.malformed).toBe(0);
    expect(log.skipped).toEqual(skipped);
    expect(log.repaired).toEqual(repaired);
    const left = Object.values(log.skipped).reduce((sum, count) => sum + count, 0);
    expect(new Set(log.lines).size + left).toBe(records);
  });
});
