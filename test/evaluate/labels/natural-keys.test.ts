import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { matchLabels } from '../../../src/evaluate/labels/label-match.js';
import { parseLabels } from '../../../src/evaluate/labels/parse-labels.js';
import { readLabels } from '../../../src/evaluate/labels/read-labels.js';
import { LoadedSplit } from '../../../src/evaluate/protocol/splits.js';
import { nameOf } from '../../../src/graph/node-names.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { ROOT } from '../../built.js';
import { sharedFolder } from '../../folders.js';

const SECOND = 1_000_000_000;
const T0 = 1_700_000_000 * SECOND;
const GUID = '81056205-d124-64d4-6a00-000000000800';
const at = (seconds: number) => String(BigInt(T0) + BigInt(seconds) * BigInt(SECOND));
const process = (pid: number, start: number, name: string) => ({
  id: `pid:${pid}@${at(start)}`,
  type: 'process',
  pid,
  name,
});
const file = (id: string, name = id) => ({ id, type: 'file', name });
const event = (seconds: number, subj: object, obj: object) => ({
  ts: at(seconds),
  host: 'h1',
  rel: 'write',
  subj,
  obj,
});

const bash = process(70, 0, '/usr/bin/bash');
const reused = process(70, 500, '/usr/bin/vi');
const EVENTS = [
  event(0, bash, file('/usr/bin/bash')),
  event(100, bash, file('/srv/A')),
  event(101, bash, file('/srv/a')),
  event(
    102,
    { id: `{${GUID.toUpperCase()}}`, type: 'process', name: 'C:\\Windows\\explorer.exe' },
    file('c:\\users\\x\\pay.exe', 'C:\\Users\\X\\Pay.exe'),
  ),
  event(103, { id: GUID }, { id: 'flow 1', type: 'flow', name: '203.0.113.66:443' }),
  event(104, { id: GUID }, { id: 'flow 2', type: 'flow', name: '203.0.113.66:443' }),
  event(105, { id: GUID }, { id: 'Own\\Id', type: 'file', name: 'x' }),
  event(501, reused, file('/srv/A')),
];

let split: LoadedSplit;

beforeAll(async () => {
  const folder = sharedFolder();
  const log = join(folder, 'log.ndjson');
  writeFileSync(log, EVENTS.map((each) => `${JSON.stringify(each)}\n`).join(''));
  await ingestFiles([log], { store: join(folder, 'store'), split: 'test' });
  split = await LoadedSplit.open('test', { folder: join(folder, 'store'), selection: { split: 'test' } });
});

/** The names of the nodes that a label matches, with the type of those that are processes. */
function matched(label: string): string[] {
  const { positives } = matchLabels(parseLabels(`key\n"${label}"\n`, 'x'), split.labelled);
  const nodes = [...positives.keys()].filter((node) => positives[node] === 1);
  const { names } = split;
  return nodes.map((node) => `${names.types[node] === 0 ? 'process ' : ''}${nameOf(names, node)}`).sort();
}

describe('a label in natural terms', () => {
  it('matches a process by number and start', () => {
    expect(matched(`pid:70@${at(0)}`)).toEqual(['process /usr/bin/bash']);
    expect(matched(`pid:70@${at(500)}`)).toEqual(['process /usr/bin/vi']);
  });

  it('matches a process whose start another source puts elsewhere, and knows a reused number', () => {
    const later = (ns: bigint, seconds: number) => `pid:70@${BigInt(at(seconds)) + ns}`;
    expect(matched(later(4_000_000n, 0))).toEqual(['process /usr/bin/bash']);
    expect(matched(later(-4_000_000n, 500))).toEqual(['process /usr/bin/vi']);
    expect(matched(`pid:70@${at(60)}`), 'while it runs').toEqual(['process /usr/bin/bash']);
    expect(() => matched(`pid:70@${at(300)}`), 'between the two').toThrow(
      expect.objectContaining({ code: 'labels-no-match' }),
    );
    expect(() => matched(`pid:71@${at(0)}`)).toThrow(expect.objectContaining({ code: 'labels-no-match' }));
  });

  it('matches a file by path, not the process that runs it, and in its own case', () => {
    expect(matched('/usr/bin/bash')).toEqual(['/usr/bin/bash']);
    expect(matched('/srv/A')).toEqual(['/srv/A']);
  });

  it('matches every flow to an address and port', () => {
    expect(matched('203.0.113.66:443')).toEqual(['203.0.113.66:443', '203.0.113.66:443']);
  });

  it('matches a GUID with or without braces, in any case', () => {
    for (const written of [GUID, GUID.toUpperCase(), `{${GUID}}`, `{${GUID.toUpperCase()}}`])
      expect(matched(written), written).toEqual(['process C:\\Windows\\explorer.exe']);
  });

  it('matches Windows names in any case, and ids as they are written', () => {
    for (const written of ['C:\\USERS\\X\\PAY.EXE', 'c:\\users\\x\\pay.exe', 'C:\\Users\\X\\Pay.exe'])
      expect(matched(written), written).toEqual(['C:\\Users\\X\\Pay.exe']);
    expect(matched('Own\\Id')).toEqual(['x']);
  });

  it('is merged with a label of the same entity', () => {
    const labels = parseLabels('key,attack\nC:\\A\\b,A1\nc:\\a\\B,A2;A3\n', 'x');
    expect(labels).toMatchObject({ merged: 1, attacks: ['A1', 'A2', 'A3'] });
    expect(labels.labels).toEqual([{ id: 'C:\\A\\b', attacks: [0, 1, 2], tier: null }]);
  });

  it('is listed if it matches nothing', () => {
    const labels = parseLabels(`key\n/srv/A\n/srv/none\npid:1@${at(0)}\n`, 'x');
    const match = matchLabels(labels, split.labelled);
    expect(match.counts).toMatchObject({ labels: 3, labelsUnmatched: 2 });
    expect(match.unmatched).toEqual(['/srv/none', `pid:1@${at(0)}`]);
  });
});

describe('an entity with two labels', () => {
  it('belongs to the attacks of both, once each', () => {
    const labels = parseLabels('key,attack\nflow 1,A1\n203.0.113.66:443,A1;A2\n', 'x');
    const { attacks, counts } = matchLabels(labels, split.labelled);
    expect(counts).toMatchObject({ positives: 2, withoutAttack: 0 });
    expect([...(attacks?.offsets ?? [])]).toEqual([0, 2, 4]);
  });
});

const DATA = join(ROOT, '../shared/data');

describe.skipIf(!existsSync(DATA))('the label files of real traces', () => {
  it.each([
    ['linux-lab/labels.csv', 217, ['A1', 'A2', 'A3']],
    ['linux-lab/ambiguous.csv', 723, ['N1-package', 'N2-cron', 'N3-user', 'N4-service', 'N5-debug']],
    [
      'otrf-lsass/labels.csv',
      258,
      ['campaign_01-logonpasswords', 'campaign_03-comsvcs', 'campaign_04-out-minidump'],
    ],
    ['otrf-lsass/ambiguous.csv', 600, null],
  ])('%s is read unchanged', async (name, rows, attacks) => {
    const labels = await readLabels(join(DATA, name));
    expect(labels.rows).toBe(rows);
    expect(labels.attacks === null ? null : [...labels.attacks].sort()).toEqual(attacks);
  });
});
