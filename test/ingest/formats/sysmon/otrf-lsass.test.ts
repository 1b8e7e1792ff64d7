import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { EntityKey, formatKey } from '../../../../src/ingest/entity-key.js';
import { type Decoded, mergeEntities, readLog } from '../../records.js';

// Real recordings with a real attack each. They are not in the repository; see CONTRIBUTING.md.

const FOLDER = new URL('../../../../../shared/data/otrf-lsass/', import.meta.url).pathname;
const present = existsSync(FOLDER);
if (!present) console.log(`left out: ${FOLDER} is missing, so no Sysmon recording with an attack is read`);

/** From counts.json: lines, EventID 3 and 22 with a process, and when the first and last events happened. */
const CAMPAIGNS = [
  {
    name: '01',
    lines: 47_906,
    skewed: 183,
    noProcess: 13,
    from: '2023-08-16T04:53:46.060',
    to: '2023-08-16T05:00:14.408',
    injects: true,
  },
  {
    name: '03',
    lines: 36_993,
    skewed: 217,
    noProcess: 0,
    from: '2023-08-18T15:56:04.508',
    to: '2023-08-18T16:03:23.481',
    injects: true,
  },
  {
    name: '04',
    lines: 34_741,
    skewed: 247,
    noProcess: 4,
    from: '2023-08-27T22:04:14.737',
    to: '2023-08-27T22:09:49.278',
    injects: false,
  },
];

/** Reads a CSV file whose cells may be in quotes, but have no line breaks. */
function rows(file: string): Record<string, string>[] {
  const [names, ...records] = readFileSync(`${FOLDER}${file}`, 'utf8')
    .trim()
    .split(/\r?\n/)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
      ),
    );
  return records.map((cells) => Object.fromEntries(cells.map((cell, i) => [names[i], cell])));
}

const keyOf = (id: string): string => {
  const key = new EntityKey();
  key.fromText(id);
  return formatKey(key.w0, key.w1, key.w2, key.w3);
};

describe.runIf(present).each(CAMPAIGNS)(
  'campaign $name',
  ({ name, lines, skewed, noProcess, from, to, injects }) => {
    let log: Decoded;
    let nameOf: (id: string | undefined) => string;
    beforeAll(async () => {
      [log] = await readLog(`${FOLDER}campaign_${name}.sysmon.json.gz`);
      const entities = mergeEntities(log.upserts);
      nameOf = (id) => (id === undefined ? '' : (entities.get(id)?.name ?? ''));
    }, 120_000);

    it('is read whole, with its clock repaired', () => {
      expect(log.counts).toMatchObject({ lines, malformed: 0 });
      expect(log.repaired).toEqual({ ownClock: skewed });
      expect(log.skipped).toEqual(noProcess === 0 ? {} : { noProcess });
      const withEvents = new Set(log.lines).size;
      expect(withEvents + noProcess).toBe(lines);
      const times = (of: typeof log.events) =>
        of.map(({ ts }) => Number(ts / 1_000_000n)).sort((a, b) => a - b);
      const [first, last] = [Date.parse(`${from}Z`), Date.parse(`${to}Z`)];
      const [own, others] = [
        log.events.filter(({ rel }) => /^(?:NetworkConnect|DnsQuery)/.test(rel)),
        log.events.filter(({ rel }) => !/^(?:NetworkConnect|DnsQuery)/.test(rel)),
      ].map(times);
      // As written, the own clock lies hours to days before the others.
      expect(Math.abs(Math.min(own[0], others[0]) - first)).toBeLessThan(1000);
      expect(own.at(-1)).toBeLessThan(last + 1000);
      expect(others.at(-1)).toBe(last);
    });

    it('has the process tree of the payload, its injection and its access to lsass', () => {
      const payload = /\\winx64_payload\.exe$/i;
      const named = (rel: string) =>
        log.events
          .filter((event) => event.rel === rel)
          .map(({ subj, obj }) => ({ from: nameOf(subj?.id), to: nameOf(obj?.id) }));
      const started = named('ProcessCreate');
      expect(started.some(({ to: child }) => payload.test(child))).toBe(true);
      expect(started.filter(({ from: parent }) => payload.test(parent)).length).toBeGreaterThan(0);
      const injected = named('CreateRemoteThread');
      expect(
        injected.filter((edge) => payload.test(edge.from) && /svchost\.exe$/i.test(edge.to)).length,
      ).toBe(injects ? 1 : 0);
      const core = new Set(
        rows('labels.csv')
          .filter((row) => row.type === 'process')
          .map((row) => keyOf(row.uuid)),
      );
      const accesses = log.events.filter(
        ({ rel, subj, obj }) =>
          rel === 'ProcessAccess' && core.has(subj?.id ?? '') && /\\lsass\.exe$/i.test(nameOf(obj?.id)),
      );
      expect(accesses.length).toBeGreaterThan(0);
      // Reading its memory brings information to the reader.
      expect(accesses.some(({ flow, attrs }) => flow === 'in' && Number(attrs?.GrantedAccess) & 0x10)).toBe(
        true,
      );
    });

    it('has every labelled entity', () => {
      const known = new Set(log.events.flatMap(({ subj, obj, obj2 }) => [subj?.id, obj?.id, obj2?.id]));
      const labelled = [...rows('labels.csv'), ...rows('ambiguous.csv')].filter(({ first_seen }) =>
        first_seen.startsWith(from.slice(0, 10)),
      );
      expect(labelled.length).toBeGreaterThan(150);
      const missing = labelled.filter(({ uuid }) => !known.has(uuid) && !known.has(keyOf(uuid)));
      expect(missing.map(({ uuid }) => uuid)).toEqual([]);
    });
  },
);
