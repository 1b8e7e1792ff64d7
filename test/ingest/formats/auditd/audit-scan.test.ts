import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batch } from '../../../../src/ingest/batch.js';
import { AuditScan, MAX_NUMBERS, ROW, ROW_WORDS } from '../../../../src/ingest/formats/auditd/audit-scan.js';
import { AuditdReader } from '../../../../src/ingest/formats/auditd/auditd-reader.js';
import { ScanMemory } from '../../../../src/ingest/scan/json-scan.js';

const BLOCK_BYTES = 4 << 20;
const OPTIONS = { maxLine: 1 << 16 };
const FIXTURES = new URL('../../../fixtures/auditd/', import.meta.url);
const LINES = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.in'))
  .flatMap((name) => readFileSync(new URL(name, FIXTURES), 'utf8').split('\n'));
const memory = new ScanMemory(BLOCK_BYTES, 1);
const HEAD = 'msg=audit(1700000000.123:42):';

/** Reads a log with and without the kernel, and returns what the batches hold. */
function readBoth(log: Buffer): [unknown, unknown] {
  const [block] = memory.blocks;
  block.set(log);
  const batches = [new Batch(), new Batch()];
  new AuditdReader(OPTIONS, memory).read(block, log.length, batches[0]);
  const alone = new AuditdReader(OPTIONS);
  alone.read(Buffer.concat([log, Buffer.from('\n')]), log.length, batches[1]);
  return batches.map((batch) => ({
    tape: Buffer.from(batch.tape.buffer, 0, batch.tapeLength * 4).toString('hex'),
    text: Buffer.from(batch.text.subarray(0, batch.textLength)).toString('latin1'),
    records: [...batch.records].sort(),
    hosts: batch.symbols,
    problems: batch.problems,
    lines: batch.lines,
    blank: batch.blank,
    badText: batch.badText,
  })) as [unknown, unknown];
}

function expectSame(log: string | Buffer): void {
  const [kernel, lines] = readBoth(Buffer.from(log as string));
  expect(kernel).toEqual(lines);
}

/** The kinds of the rows of a log: 0 for lines that the kernel leaves to the reader. */
function kindsOf(...lines: string[]): number[] {
  const scan = new AuditScan(memory, OPTIONS.maxLine);
  const log = Buffer.from(lines.join('\n'));
  memory.blocks[0].set(log);
  scan.begin(memory.blocks[0], log.length);
  const count = scan.next();
  return Array.from({ length: count }, (_, i) => scan.rows[i * ROW_WORDS + ROW.kind]);
}

describe('the audit kernel', () => {
  it('reads the fixtures as the reader does without it', () => {
    expect(LINES.length).toBeGreaterThan(150);
    expectSame(LINES.join('\n'));
  });

  it('reads the common records, and leaves unusual ones to the reader', () => {
    const call = LINES.find((line) => line.startsWith('type=SYSCALL') && !line.includes('\u001d')) as string;
    expect(
      kindsOf(
        call,
        `type=PATH ${HEAD} item=0 name="/x" inode=1 dev=fe:00 mode=0100644 ouid=0 ogid=0 rdev=00:00 nametype=NORMAL`,
        `type=PATH ${HEAD} item=0 name=(null) nametype=UNKNOWN`,
        `type=CWD ${HEAD} cwd="/root"`,
        `type=CWD ${HEAD} cwd=2F726F6F74`,
        `type=PROCTITLE ${HEAD} proctitle="x"`,
        `node=h type=SOCKADDR ${HEAD} saddr=02000035`,
      ),
    ).toEqual([1, 2, 2, 3, 3, 4, 5]);
    expect(
      kindsOf(
        call.replace('arch=', 'arc='),
        `type=PATH ${HEAD} name="/x" item=0 nametype=NORMAL`,
        `type=CWD ${HEAD} cwd="/ro`,
        `type=CWD ${HEAD} cwd="/root" `,
        `type=CWD msg=audit(1700000000.123:4294967296): cwd="/root"`,
        '',
        'type=EOE',
      ),
    ).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('reads calls whose texts are in hexadecimal or that auditd translated', () => {
    const values = [
      [' success=yes exit=3', ' success=no exit=-13', ' success=maybe', ''],
      ['(none)', 'pts1', "pts'1", 'a="b"', 'x=y'],
      ['"sh"', '6F6C6420746F6F6C', 'x"y', '(null)', '', "'sh'"],
      ['"/bin/sh"', '2F62696E', '(null)', '?', '""', '"/bin/sh'],
      ['', ' key=(null)', ' subj=unconfined key="k k"', ' key="k" pid=9', ' tag=1'],
      [
        '',
        '\u001d',
        '\u001dARCH=x86_64 SYSCALL=execve AUID="bob" EUID="root"',
        '\u001dARCH=unknown SYSCALL=open EUID=7465',
        '\u001dEUID="a" EUID="b"',
        '\u001dEUID=',
        '\u001dEUID="ro',
        '\u001dEUID="a"b pid=9',
        '\u001dpid=9 EUID="a"',
        '\u001dEUID="a b" ',
        '\u001dEUID=a\u001dEGID=b',
      ],
    ];
    const calls = ['arch=c000003e syscall=59', 'arch=c0000015 syscall=5', 'arch=c000003e syscall=99999'];
    const line = fc.tuple(fc.constantFrom(...calls), ...values.map((each) => fc.constantFrom(...each)));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), (lines) => {
        const log = lines.map(
          ([call, result, tty, comm, exe, key, more], i) =>
            `type=SYSCALL msg=audit(1700000000.123:${i}): ${call}${result} a0=1 a1=2 a2=3 a3=4 items=0 ppid=1 pid=${i} auid=1 uid=0 gid=0 euid=0 suid=0 fsuid=0 egid=0 sgid=0 fsgid=0 tty=${tty} ses=1 comm=${comm} exe=${exe}${key}${more}`,
        );
        expectSame(log.join('\n'));
      }),
      { numRuns: 3000 },
    );
    const hexadecimal = LINES.filter((text) => /type=SYSCALL.* success=yes .* comm=[0-9A-F]+ /.test(text));
    expect(hexadecimal.length).toBeGreaterThan(0);
    expect(new Set(kindsOf(...hexadecimal))).toEqual(new Set([1]));
  });

  it('reads any mixture of lines and damage as the reader does without it', () => {
    const line = fc.constantFrom(
      ...LINES,
      ...LINES.slice(0, 40).map((text) => `node=h${text.length % 3} ${text}`),
    );
    const damage = fc.record({
      at: fc.nat(600),
      remove: fc.nat(3),
      insert: fc.constantFrom(
        '',
        ' ',
        '"',
        "'",
        '=',
        '\u001d',
        '-',
        '9',
        'f',
        '\r',
        'ä',
        '(null)',
        ' pid=7',
        '99999999999',
      ),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(line, fc.option(damage)), { minLength: 1, maxLength: 24 }), (parts) => {
        const log = parts.map(([text, change]) => {
          if (change === null) return text;
          const { at, remove, insert } = change;
          return (
            text.slice(0, at % (text.length + 1)) + insert + text.slice((at % (text.length + 1)) + remove)
          );
        });
        expectSame(log.join('\n'));
      }),
      { numRuns: Number(process.env.AUDIT_SCAN_RUNS ?? 2000) },
    );
  });

  it('reads a block with more texts than the kernel numbers', () => {
    const paths = Array.from(
      { length: MAX_NUMBERS * 2 },
      (_, i) => `type=CWD ${HEAD} cwd="/folder/${i % 9000}"`,
    );
    expectSame(paths.join('\n'));
  });

  it('names the hosts of records', () => {
    const reader = new AuditdReader(OPTIONS, memory);
    const log = Buffer.from(
      ['web', 'db', 'web'].map((host) => `node=${host} type=CWD ${HEAD} cwd="/"`).join('\n'),
    );
    memory.blocks[0].set(log);
    const batch = new Batch();
    reader.read(memory.blocks[0], log.length, batch);
    expect(batch.symbols).toEqual(['web', 'db']);
  });
});
