import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Batch } from '../../../../src/ingest/batch.js';
import { AuditdReader } from '../../../../src/ingest/formats/auditd/auditd-reader.js';
import { ACT, ARG, FAMILY, NONE, PATH, ROLE, SEEN } from '../../../../src/ingest/kernel/act.js';
import { ActTape } from '../../../../src/ingest/kernel/act-tape.js';
import { CALLS } from '../../../../src/ingest/kernel/calls.js';
import { ROOT } from '../../../built.js';
import { readBlocks } from '../../records.js';

const FOLDER = join(ROOT, '../shared/data/samples/auditd');

/** Lines that are broken in the samples themselves. */
const BROKEN: Record<string, number> = { 'elastic-raw.log': 1, 'go-libaudit-audit-rhel7.log': 1 };
const ERRORS: Record<string, number> = { EINPROGRESS: -115, ENOENT: -2 };

interface Golden {
  record_type: string;
  sequence: number;
  raw_msg: string;
  data?: Record<string, string>;
}

describe.runIf(existsSync(FOLDER))('real audit logs', () => {
  const files = existsSync(FOLDER) ? readdirSync(FOLDER) : [];

  it.each(files.filter((name) => name.endsWith('.log')))('%s is read', async (name) => {
    const content = readFileSync(join(FOLDER, name), 'utf8');
    const lines = content.split('\n').filter((line) => line.trim() !== '');
    const { records, counts } = await readBlocks(content, 'auditd');
    expect(counts.malformed).toBe(BROKEN[name] ?? 0);
    const types: Record<string, number> = {};
    for (const line of lines) {
      const type = /type=(\S+) msg=audit\(/.exec(line)?.[1];
      if (type !== undefined) types[type] = (types[type] ?? 0) + 1;
    }
    expect(records).toEqual(types);
  });

  it('events in order, out of order and with losses give the same but for what is lost', async () => {
    const of = async (name: string) =>
      readBlocks(readFileSync(join(FOLDER, `go-libaudit-${name}.log`), 'utf8'), 'auditd');
    const normal = await of('normal');
    const shuffled = await of('out_of_order');
    // A fork shows only if the parent has made a call before.
    const ids = ({ events }: typeof normal) =>
      events
        .filter(({ rel }) => rel !== 'fork')
        .map(({ ts, rel, obj }) => `${ts} ${rel} ${obj?.id}`)
        .sort();
    expect(ids(shuffled)).toEqual(ids(normal));
    expect(normal.losses).toEqual([]);
    expect(shuffled.losses).toEqual([]);
    const lost = (await of('lost_messages')).losses;
    expect(lost.reduce((sum, { records }) => sum + records, 0)).toBeGreaterThan(0);
    expect((await of('rollover')).losses).toEqual([]);
  });

  it.each(files.filter((name) => /^go-libaudit-audit-.*golden\.json$/.test(name)))(
    '%s: go-libaudit parsed the same fields',
    (name) => {
      const golden = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as (Golden | null)[];
      let compared = 0;
      for (const { record_type, sequence, raw_msg, data = {} } of golden.filter((each) => each !== null)) {
        if (!raw_msg.startsWith('audit(')) continue;
        const parsed = parse(`type=${record_type.toUpperCase()} msg=${raw_msg}\n`);
        expect(parsed.serial).toBe(sequence);
        for (const [field, value] of Object.entries(parsed.fields)) {
          const expected = data[field];
          if (expected === undefined) continue;
          compared++;
          expect({ [field]: value }).toEqual({
            [field]: expected in ERRORS ? String(ERRORS[expected]) : expected,
          });
        }
      }
      expect(compared).toBeGreaterThan(0);
    },
  );
});

/** Reads one record, and returns what the tape has of it, in go-libaudit's names and forms. */
function parse(line: string): { serial: number; fields: Record<string, string> } {
  const batch = new Batch();
  new AuditdReader({ maxLine: 1 << 20 }).read(Buffer.from(line), line.length, batch);
  const tape = new ActTape();
  tape.attach(batch);
  const [act] = tape.acts;
  const { words } = tape;
  const fields: Record<string, string> = { record: 'none' };
  const set = (name: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== NONE) fields[name] = String(value);
  };
  const serial = words[act + ACT.serial] >>> 0;
  if ((words[act + ACT.seen] & SEEN.full) === 0) return { serial, fields: { type: 'none', ...pid(line) } };
  const word = (at: number) => words[act + at];
  if ((word(ACT.seen) & SEEN.call) !== 0) {
    set('syscall', word(ACT.call) === NONE ? undefined : CALLS[word(ACT.call)].name);
    set('result', ['', 'fail', 'success'][word(ACT.ok)]);
    set('items', word(ACT.items));
    set('ses', word(ACT.session) === NONE ? 'unset' : word(ACT.session));
    set('euid', word(ACT.user));
    set('egid', word(ACT.group));
    set('exit', word(ACT.exit));
    set('ppid', word(ACT.ppid));
  }
  set('pid', word(ACT.pid));
  set('exe', tape.text(word(ACT.exe)));
  set('cwd', tape.text(word(ACT.cwd)));
  set('acct', tape.text(word(ACT.account)));
  const address = tape.text(word(ACT.address));
  if (word(ACT.family) === FAMILY.unix) set('path', address);
  else if (word(ACT.family) !== FAMILY.none && address !== undefined) {
    const [, host, port] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(address) as RegExpExecArray;
    set('addr', host);
    set('port', port);
  }
  if (word(ACT.args) > 0) {
    const first = tape.argsAt(act);
    for (const i of [0, 1, 2]) set(`a${i}`, tape.text(words[first + ARG.a0 + i]));
  }
  const path = tape.pathAt(act, 0);
  if (path >= 0) {
    set('name', tape.text(words[path + PATH.name]));
    set('item', words[path + PATH.item]);
    set('inode', words[path + PATH.inodeHigh] * 2 ** 32 + (words[path + PATH.inodeLow] >>> 0));
    set('mode', `0${(words[path + PATH.mode] >>> 0).toString(8)}`);
    set('objtype', Object.keys(ROLE)[words[path + PATH.role]].toUpperCase());
  }
  return { serial, fields };
}

/** A record that gives no act still has its head. */
function pid(line: string): Record<string, string> {
  const [, found] = / pid=(\d+)/.exec(line) ?? [];
  return found === undefined ? {} : { pid: found };
}

it.skipIf(existsSync(FOLDER))(
  'skipped because ../shared is missing: real audit logs and their golden parses',
  () => {},
);
