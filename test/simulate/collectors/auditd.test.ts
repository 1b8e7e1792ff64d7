import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inetAddress, processTitle, untrusted } from '../../../src/simulate/collectors/auditd/fields.js';
import { makeSimulation, removeSimulations, type TestSimulation } from '../simulations.js';
import { auditFields, auditSerial, auditType, logLines, unquote } from './plain-readers.js';

afterAll(removeSimulations);

const lab = fileURLToPath(
  new URL('../../../../shared/data/linux-lab/audit.calibrate.log.gz', import.meta.url),
);
const ausearch = '/usr/sbin/ausearch';

// The fields of each record as linux-lab, a real log of auditd 3.0.9, has them.
const SUBJECT = 'ppid pid auid uid gid euid suid fsuid egid sgid fsgid tty ses comm exe key';
const FIELDS: Readonly<Record<string, string>> = {
  SYSCALL: `arch syscall success exit a0 a1 a2 a3 items ${SUBJECT}`,
  'SYSCALL exit_group': `arch syscall a0 a1 a2 a3 items ${SUBJECT}`,
  CWD: 'cwd',
  PATH: 'item name inode dev mode ouid ogid rdev nametype cap_fp cap_fi cap_fe cap_fver cap_frootid',
  SOCKADDR: 'saddr',
  OBJ_PID: 'opid oauid ouid oses ocomm',
  PROCTITLE: 'proctitle',
  LOGIN: 'pid uid old-auid auid tty old-ses ses res',
};

function shape(line: string): string {
  const fields = auditFields(line);
  fields.delete('msg');
  return [...fields.keys()].filter((key) => key !== 'type' && key !== 'node').join(' ');
}

function kindOf(line: string): string {
  const type = auditType(line);
  return / syscall=231 /.test(line) ? `${type} exit_group` : type;
}

describe('a simulated auditd log', () => {
  let simulation: TestSimulation;
  let log: string[];
  let groups: Map<number, string[]>;
  beforeAll(async () => {
    simulation = await makeSimulation({
      scenario: 'linux-workstation',
      format: 'auditd',
      events: 25_000,
      seed: 2,
    });
    log = await logLines(simulation);
    groups = new Map();
    for (const line of log) {
      const serial = auditSerial(line);
      groups.set(serial, [...(groups.get(serial) ?? []), line]);
    }
  });

  it('has the fields of real records, in their order', () => {
    for (const line of log) {
      const kind = kindOf(line);
      if (kind !== 'EXECVE') expect(shape(line), line).toBe(FIELDS[kind]);
    }
  });

  it.runIf(existsSync(lab))('has the same fields as the real log in ../shared', async () => {
    const real = gunzipSync(await readFile(lab))
      .toString('latin1')
      .split('\n');
    const shapes = new Map<string, Set<string>>();
    for (const line of real) {
      const kind = kindOf(line);
      if (FIELDS[kind] !== undefined) shapes.set(kind, (shapes.get(kind) ?? new Set()).add(shape(line)));
    }
    for (const [kind, fields] of Object.entries(FIELDS)) {
      if (shapes.has(kind)) expect([...(shapes.get(kind) as Set<string>)], kind).toContain(fields);
    }
    expect(shapes.size).toBeGreaterThan(6);
  });

  it('numbers events without gaps, and keeps the records of an event together', () => {
    const serials = [...groups.keys()];
    expect(serials.at(-1)).toBe((serials[0] as number) + serials.length - 1);
    expect(log.map(auditSerial)).toEqual([...log.map(auditSerial)].sort((a, b) => a - b));
    const [host] = simulation.manifest.hosts;
    expect(serials.length).toBe(host.events);
    const counted = host.files.reduce((sum, { records }) => sum + (records.PATH ?? 0), 0);
    expect(counted).toBe(log.filter((line) => auditType(line) === 'PATH').length);
  });

  it('gives as many PATH records and arguments as it announces', () => {
    for (const group of groups.values()) {
      const of = (type: string) => group.filter((line) => auditType(line) === type);
      const [syscall] = of('SYSCALL').map(auditFields);
      expect(of('PATH').map((line) => auditFields(line).get('item'))).toEqual(
        Array.from({ length: Number(syscall.get('items')) }, (_, item) => String(item)),
      );
      expect(auditType(group.at(-1) as string)).toBe('PROCTITLE');
      for (const fields of of('EXECVE').map(auditFields)) {
        const args = [...fields.keys()].filter((key) => /^a\d+$/.test(key));
        expect(args.length).toBe(Number(fields.get('argc')));
        expect(fields.get('a0')).toBeDefined();
      }
    }
  });

  it('names files relative to the working folder, as programs do', () => {
    const joined = [...groups.values()].flatMap((group) => {
      const cwd = unquote(
        group
          .map(auditFields)
          .find((fields) => fields.has('cwd'))
          ?.get('cwd'),
      );
      return group
        .filter((line) => auditType(line) === 'PATH')
        .map((line) => unquote(auditFields(line).get('name')))
        .filter((name) => !name.startsWith('/'))
        .map((name) => `${cwd}/${name}`);
    });
    expect(joined.length).toBeGreaterThan(20);
    for (const path of joined) expect(path).toMatch(/^\/[^/]/);
  });

  it('logs a vfork after the execution in the child, with the earlier time', () => {
    let late = 0;
    const calls = log.filter((line) => auditType(line) === 'SYSCALL').map(auditFields);
    for (const [index, fields] of calls.entries()) {
      if (fields.get('syscall') !== '58') continue;
      const before = calls[index - 1];
      if (before?.get('syscall') === '59' && before.get('pid') === fields.get('exit')) late++;
    }
    expect(late).toBeGreaterThan(50);
  });

  it('opens a session at login, which the programs of the person keep', () => {
    const logins = log.filter((line) => auditType(line) === 'LOGIN').map(auditFields);
    const sessions = logins.map((fields) => fields.get('ses'));
    expect(new Set(sessions).size).toBe(sessions.length);
    const shell = log
      .map(auditFields)
      .find((fields) => fields.get('syscall') === '59' && /^pts/.test(fields.get('tty') ?? ''));
    expect(sessions).toContain(shell?.get('ses'));
    expect(shell?.get('auid')).toBe(shell?.get('uid'));
  });

  it.runIf(existsSync(ausearch))('is read by ausearch with the same number of records of each type', () => {
    const [host] = simulation.manifest.hosts;
    for (const file of host.files) {
      const path = join(simulation.directory, file.name);
      const raw = execFileSync(ausearch, ['-if', path, '--format', 'raw'], {
        encoding: 'latin1',
        maxBuffer: 1 << 28,
      });
      const counts: Record<string, number> = {};
      for (const line of raw.split('\n')) {
        const type = auditType(line);
        if (type !== '') counts[type] = (counts[type] ?? 0) + 1;
      }
      expect(counts, file.name).toEqual(file.records);
    }
  });
});

describe('an enriched log and a fleet', () => {
  it('translates ids after the byte 0x1D', async () => {
    const options = { scenario: 'linux-desktop', events: 20_000, seed: 2 } as const;
    const [raw, enriched] = await Promise.all([
      makeSimulation({ ...options, format: 'auditd' }),
      makeSimulation({ ...options, format: 'auditd-enriched' }),
    ]);
    const lines = await logLines(enriched);
    expect(lines.map((line) => line.split('\x1d')[0])).toEqual(await logLines(raw));
    const connect = lines.find((line) => / syscall=42 /.test(line)) as string;
    expect(connect).toMatch(/\x1dARCH=x86_64 SYSCALL=connect AUID="\w+" UID="\w+" /);
    expect(lines.find((line) => auditType(line) === 'SOCKADDR')).toMatch(
      /\x1dSADDR=\{ saddr_fam=(inet laddr=[\d.]+ lport=\d+|local path=\S+) \}$/,
    );
  });

  it('names the host of each record and keeps labels with their host', async () => {
    const simulation = await makeSimulation({
      scenario: 'linux-workstation',
      format: 'auditd',
      events: 20_000,
      hosts: 2,
    });
    const [first, second] = simulation.manifest.hosts;
    for (const host of [first, second]) {
      const text = await readFile(join(simulation.directory, host.directory, 'test.log'), 'latin1');
      expect(text.startsWith(`node=${host.name} type=`)).toBe(true);
    }
    const labels = await readFile(join(simulation.directory, first.directory, 'labels.csv'), 'utf8');
    expect(labels).toMatch(/^key,type,name,attack,tier,reason\npid:\d+@\d{19},process,/);
    expect(existsSync(join(simulation.directory, 'labels.csv'))).toBe(false);
  });
});

describe('fields of auditd', () => {
  it('quote plain strings and write others in hexadecimal', () => {
    expect(untrusted('/tmp/x')).toBe('"/tmp/x"');
    expect(untrusted('a b')).toBe('612062');
    expect(untrusted('a"b')).toBe('612262');
    expect(untrusted('é')).toBe('C3A9');
    expect(processTitle(['sh', '-c'])).toBe('7368002D63');
    expect(Buffer.from(processTitle(['x'.repeat(300), 'y']).slice(1, -1)).length).toBe(128);
  });

  it('write addresses as the kernel does', () => {
    expect(inetAddress('127.0.0.1', 8000)).toBe('02001F407F0000010000000000000000');
  });
});
