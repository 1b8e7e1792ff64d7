import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Entity, Event } from '../../../src/ingest/event.js';
import { ROOT } from '../../built.js';
import { mergeEntities, readLog, type WholeSource } from '../records.js';

const FOLDER = join(ROOT, '../shared/data/samples/cdm');

/** All skipped records and repairs, for each file. */
const EXPECTED: Record<
  string,
  { skipped: Record<string, number>; badTime: number; unit: string; badText: number }
> = {
  'cadets-cdm18-clientCURL.short-unions.json': { skipped: {}, badTime: 0, unit: 'ns', badText: 0 },
  'cadets-cdm18-clientGit.short-unions.json.gz': { skipped: {}, badTime: 0, unit: 'ns', badText: 0 },
  'cadets-cdm20-sample1.json.gz': { skipped: {}, badTime: 0, unit: 'ns', badText: 0 },
  'cadets-cdm20-with_wget.short-unions.json.gz': { skipped: {}, badTime: 0, unit: 'ns', badText: 0 },
  'e3-real-records.json': { skipped: { TimeMarker: 1, StartMarker: 1 }, badTime: 0, unit: 'ns', badText: 0 },
  // BOOT has neither subject nor object.
  'theia-cdm18-ripe_unit_tests.first5000.json.gz': {
    skipped: { noSubject: 1 },
    badTime: 0,
    unit: 'ns',
    badText: 0,
  },
  // The process that existed before the trace has the all-zero UUID.
  'theia-cdm18-trace.json.gz': { skipped: { noSubject: 1, noUuid: 1 }, badTime: 159, unit: 'us', badText: 0 },
  'theia-cdm20-ripe.first3000.json.gz': {
    skipped: { noSubject: 1, noUuid: 1 },
    badTime: 0,
    unit: 'ns',
    badText: 2,
  },
};

interface PlainEvent {
  rel: unknown;
  subj: string | undefined;
  obj: string | undefined;
  obj2: string | undefined;
  digits: string | undefined;
}

const ZERO = '00000000-0000-0000-0000-000000000000';

/** Reads the file with JSON.parse, independently of the reader. */
function readPlainly(path: string): { kinds: Record<string, number>; events: PlainEvent[] } {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const kinds: Record<string, number> = {};
  const events: PlainEvent[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const { datum } = JSON.parse(line) as { datum: Record<string, Record<string, unknown>> };
    const [[name, fields]] = Object.entries(datum);
    const kind = name.split('.').at(-1) as string;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (kind !== 'Event') continue;
    const id = (value: unknown): string | undefined => {
      const bare = typeof value === 'object' && value !== null ? Object.values(value)[0] : value;
      return typeof bare === 'string' && bare !== ZERO ? bare.toUpperCase() : undefined;
    };
    const ends = {
      subj: id(fields.subject),
      obj: id(fields.predicateObject),
      obj2: id(fields.predicateObject2),
    };
    if (ends.subj === undefined && (ends.obj === undefined || ends.obj2 === undefined)) continue;
    const digits = /"timestampNanos":\s*(?:\{"long":\s*)?(\d+)/.exec(line)?.[1];
    events.push({ rel: fields.type, ...ends, digits });
  }
  return { kinds, events };
}

const ends = ({ rel, subj, obj, obj2 }: Event): unknown[] => [rel, subj?.id, obj?.id, obj2?.id];

if (existsSync(FOLDER)) {
  const files = readdirSync(FOLDER).filter((name) => name.includes('.json'));

  describe('real CDM files', () => {
    it('are all listed in this test', () => expect(files.sort()).toEqual(Object.keys(EXPECTED).sort()));

    it.each(files)('%s is read completely', async (name) => {
      const { skipped, badTime, unit, badText } = EXPECTED[name];
      const plain = readPlainly(join(FOLDER, name));
      const [source, ...others] = await readLog(join(FOLDER, name));
      expect(others).toEqual([]);
      expect(source.problems).toEqual([]);
      expect(source.counts).toMatchObject({ malformed: 0, blank: 0, badText });
      expect(source.records).toEqual(plain.kinds);
      expect(source.skipped).toEqual(skipped);
      expect(source.report).toMatchObject({ format: 'cdm', timeUnit: unit, badTime });
      expect(source.events.length).toBe(plain.events.length);
      expect(source.events.map(ends)).toEqual(
        plain.events.map(({ rel, subj, obj, obj2 }) => [rel, subj, obj, obj2]),
      );
      const scale = unit === 'us' ? 1000n : 1n;
      const digits = unit === 'us' ? 16 : 19;
      const good = plain.events.flatMap((event, i) => (event.digits?.length === digits ? [i] : []));
      expect(plain.events.length - good.length).toBe(badTime);
      for (const i of good)
        expect(source.events[i].ts).toBe(BigInt(plain.events[i].digits as string) * scale);
    });

    it('use the time of the event before for an event without a time', async () => {
      const name = 'theia-cdm18-trace.json.gz';
      const plain = readPlainly(join(FOLDER, name));
      const [{ events }] = await readLog(join(FOLDER, name));
      for (let i = 1; i < events.length; i++) {
        if (plain.events[i].digits?.length !== 16) expect(events[i].ts).toBe(events[i - 1].ts);
      }
    });

    it('have the names of every performer', async () => {
      const names = async (file: string, type: string): Promise<string[]> => {
        const [{ upserts }] = await readLog(join(FOLDER, file));
        const known = [...mergeEntities(upserts).values()].filter((entity) => entity.type === type);
        return known.flatMap(({ name }) => name ?? []);
      };
      expect(await names('cadets-cdm18-clientGit.short-unions.json.gz', 'process')).toContain('git');
      expect(await names('cadets-cdm18-clientCURL.short-unions.json', 'process')).toContain('curl');
      expect((await names('theia-cdm20-ripe.first3000.json.gz', 'file')).length).toBeGreaterThan(100);
      for (const file of files) {
        for (const type of ['process', 'file', 'flow'])
          expect(await names(file, type)).not.toContain('<unknown>');
      }
    });
  });

  describe('records of the E3 release', () => {
    const TRACE = 'E621F964-5A66-0F89-30E0-67ADB2A5EC28';
    const CADETS = '83C8ED1F-5045-DBCD-B39F-918F0DF4F851';
    const FIVEDIRECTIONS = '47923ED7-29D4-4E65-ABA2-F70A4E74DCCD';
    const SINK = '39E846F3-D581-6BBB-4CE1-E7E43D356616';
    const UDEVD = '753366C8-7B00-E70F-1E95-2102227BD6E1';
    const DROPPER = '59169A99-4C73-E5E0-1E25-DB232BA80F32';
    const ZTMP = '93E0C854-95A4-FE1B-245B-6E217A409764';
    const ZTMP2 = '96FE4223-D38F-9D49-C00F-D51954FA7DD4';

    async function e3(): Promise<WholeSource> {
      return (await readLog(join(FOLDER, 'e3-real-records.json')))[0];
    }

    it('1, 2: markers are skipped; 3: the host has a name', async () => {
      const { skipped, hostNames } = await e3();
      expect(skipped).toEqual({ TimeMarker: 1, StartMarker: 1 });
      expect(hostNames).toEqual({ [TRACE]: 'ta1-trace' });
    });

    it('4, 5, 6, 8: entities, field by field', async () => {
      const { upserts } = await e3();
      const stated = upserts.filter(({ entity }) => entity.type !== undefined);
      const expected: Entity[] = [
        { id: SINK, type: 'srcsink', kind: 'SRCSINK_UNKNOWN' },
        { id: '29895546-B124-1BEC-E91C-C9107B81C616', type: 'principal', kind: 'PRINCIPAL_LOCAL', name: '0' },
        {
          id: UDEVD,
          type: 'process',
          kind: 'SUBJECT_PROCESS',
          name: 'systemd-udevd',
          pid: 412,
          user: '29895546-B124-1BEC-E91C-C9107B81C616',
        },
        { id: ZTMP, type: 'file', kind: 'FILE_OBJECT_FILE', name: '/tmp/ztmp' },
      ];
      expect(stated).toEqual(expected.map((entity) => ({ entity, host: TRACE, rank: 'stated' })));
    });

    it('7, 9 to 15: events, field by field', async () => {
      const { events, lines } = await e3();
      const expected: Event[] = [
        {
          ts: 1523627788470000000n,
          seq: 36n,
          host: TRACE,
          rel: 'EVENT_RECVMSG',
          subj: { id: UDEVD },
          obj: { id: SINK },
        },
        // Only OPEN events have a direction; that of CREATE_OBJECT follows from its relation.
        {
          ts: 1523637968165000000n,
          seq: 119044881n,
          host: TRACE,
          rel: 'EVENT_CREATE_OBJECT',
          subj: { id: DROPPER },
          obj: { id: ZTMP },
        },
        {
          ts: 1523637968165000000n,
          seq: 119044882n,
          host: TRACE,
          rel: 'EVENT_WRITE',
          subj: { id: DROPPER },
          obj: { id: ZTMP },
        },
        {
          ts: 1523637968165000000n,
          seq: 119044883n,
          host: TRACE,
          rel: 'EVENT_UPDATE',
          subj: { id: DROPPER },
          obj: { id: ZTMP },
          obj2: { id: ZTMP2 },
        },
        {
          ts: 1523030692046111295n,
          seq: 12904152n,
          host: CADETS,
          rel: 'EVENT_MODIFY_FILE_ATTRIBUTES',
          subj: { id: 'D3822AFC-39AF-11E8-BF66-D9AA8AFF4A69' },
          obj: { id: '4E4F26B0-221A-5950-9A22-3A4F5059636A' },
        },
        {
          ts: 1523512697617160580n,
          seq: 1718664n,
          host: CADETS,
          rel: 'EVENT_MMAP',
          subj: { id: '7F075347-3E16-11E8-A5CB-3FA3753A265A' },
          obj: { id: 'FC2CA9A1-1BCF-8B57-8F1B-A854778B9026' },
        },
        {
          ts: 1522949718807923603n,
          seq: 9253185n,
          host: CADETS,
          rel: 'EVENT_FCNTL',
          subj: { id: '72FB0406-3678-11E8-BF66-D9AA8AFF4A69' },
        },
        {
          ts: 1523627150493000000n,
          seq: 0n,
          host: FIVEDIRECTIONS,
          rel: 'EVENT_OPEN',
          subj: { id: '185AE3D6-EFB1-49A7-9B65-25E4F0933D13' },
          obj: { id: '62DA9728-17B0-4A1B-8E42-75920F77D454' },
        },
      ];
      expect(events).toEqual(expected);
      expect(lines).toEqual([7, 9, 10, 11, 12, 13, 14, 15]);
    });

    it('9 to 15: names on events', async () => {
      const { upserts } = await e3();
      const riding = upserts.filter(({ entity }) => entity.type === undefined);
      expect(riding.map(({ entity, host, rank }) => [entity.id, entity.name, host, rank])).toEqual([
        [ZTMP, '/tmp/ztmp', TRACE, 'stated'],
        [ZTMP2, '/tmp/ztmp', TRACE, 'stated'],
        ['D3822AFC-39AF-11E8-BF66-D9AA8AFF4A69', 'vUgefal', CADETS, 'stated'],
        ['4E4F26B0-221A-5950-9A22-3A4F5059636A', '/var/log/devc', CADETS, 'stated'],
        ['7F075347-3E16-11E8-A5CB-3FA3753A265A', 'vmstat', CADETS, 'stated'],
        ['FC2CA9A1-1BCF-8B57-8F1B-A854778B9026', '/lib/libdevstat.so.7', CADETS, 'hint'],
        ['72FB0406-3678-11E8-BF66-D9AA8AFF4A69', 'python2.7', CADETS, 'stated'],
        [
          '62DA9728-17B0-4A1B-8E42-75920F77D454',
          '\\Device\\HarddiskVolume2\\Windows\\System32\\taskschd.dll',
          FIVEDIRECTIONS,
          'stated',
        ],
      ]);
    });
  });
} else {
  it('skips the real CDM samples, because they are not beside the repository', () =>
    expect(existsSync(FOLDER)).toBe(false));
}
