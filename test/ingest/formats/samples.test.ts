import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../built.js';
import { readLog } from '../records.js';

const FOLDER = join(ROOT, '../shared/data/samples');

/** What each real file gives: its format, its records by kind, and the actions of its events. */
const EXPECTED: Record<
  string,
  { format: string; records: Record<string, number>; actions: Record<string, number> }
> = {
  'auditbeat/test-centos7-events.json': {
    format: 'auditbeat',
    records: { USER_START: 1, ADD_GROUP: 1, ADD_USER: 1, USER_MGMT: 5 },
    actions: {},
  },
  'auditbeat/test-setuid-events.json': {
    format: 'auditbeat',
    records: { SYSCALL: 3 },
    actions: { setid: 3 },
  },
  'auditbeat/test-sudo-events.json': {
    format: 'auditbeat',
    records: {
      CRED_ACQ: 1,
      CRED_DISP: 2,
      CRED_REFR: 2,
      USER_ACCT: 3,
      USER_AUTH: 4,
      USER_CMD: 2,
      USER_END: 2,
      USER_ROLE_CHANGE: 1,
      USER_START: 3,
    },
    actions: {},
  },
  // Only one alert has the number of its process: ordinary rules do not write it.
  'falco/falco-alerts.log': {
    format: 'falco',
    records: { execve: 6, openat: 12, noType: 1 },
    actions: { open: 1 },
  },
  'ecar/ecar-example.json': { format: 'ecar', records: { PROCESS: 1 }, actions: { fork: 1, exec: 1 } },
  'tetragon/elastic-tetragon.log': {
    format: 'tetragon',
    records: { process_exec: 6, process_exit: 6 },
    actions: { fork: 6, exec: 6, exit: 6 },
  },
  'tetragon/elastic-execkprobe.log': {
    format: 'tetragon',
    records: { process_kprobe: 2 },
    actions: { other: 1, open: 1 },
  },
  'tetragon/process_exec.json': {
    format: 'tetragon',
    records: { process_exec: 1 },
    actions: { fork: 1, exec: 1 },
  },
  'tetragon/process_exit.json': { format: 'tetragon', records: { process_exit: 1 }, actions: { exit: 1 } },
  'tetragon/process_kprobe.json': {
    format: 'tetragon',
    records: { process_kprobe: 1 },
    actions: { write: 1 },
  },
  'tetragon/process_connect.json': {
    format: 'tetragon',
    records: { process_connect: 1 },
    actions: { connect: 1 },
  },
  'tetragon/process_close.json': { format: 'tetragon', records: { process_close: 1 }, actions: { close: 1 } },
  'tetragon/process_listen.json': {
    format: 'tetragon',
    records: { process_listen: 1 },
    actions: { bind: 1 },
  },
};

const FOLDERS = [...new Set(Object.keys(EXPECTED).map((name) => name.split('/')[0]))];

describe.skipIf(!existsSync(FOLDER))('real samples of JSON formats', () => {
  it('are all expected', () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(join(FOLDER, folder)).map((name) => `${folder}/${name}`),
    );
    expect(files.sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(Object.entries(EXPECTED))('%s', async (name, { format, records, actions }) => {
    const [source] = await readLog(join(FOLDER, name));
    expect(source.report.format).toBe(format);
    expect(source.counts).toMatchObject({ malformed: 0, badText: 0 });
    expect(source.records).toEqual(records);
    const found: Record<string, number> = {};
    for (const { action = '' } of source.events) found[action] = (found[action] ?? 0) + 1;
    expect(found).toEqual(actions);
    expect(source.report.badTime).toBe(0);
    for (const event of source.events) expect(event.subj).toBeDefined();
  });
});
