import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../../src/ingest/formats/known-formats.js';
import { unknownFormatError } from '../../../src/ingest/formats/unknown-format.js';
import { ROOT } from '../../built.js';
import { readBytes, readLog } from '../records.js';

const errorOf = (text: string) => unknownFormatError('x.log', Buffer.from(text));

describe('the error for an unknown format', () => {
  it('shows what the input begins with, printable and cut', () => {
    const { message, code } = errorOf(`\n\u001b[31mhello\n${'y'.repeat(500)}\nthird\n`);
    expect(code).toBe('unknown-format');
    expect(message).not.toContain('\u001b');
    expect(message).toMatch(/it begins with `.*hello`, `y{60,}/);
    expect(message).not.toContain('third');
    expect(message.length).toBeLessThan(400);
    expect(errorOf('\n \n').message).toContain('only blank lines');
  });

  it('lists all formats and points to the guide', () => {
    const { hint } = errorOf('hello');
    for (const { name } of FORMATS) expect(hint).toContain(`${name} (`);
    expect(hint).toContain('docs/reference/formats.md');
  });

  it.each([
    ['{"event":"audit:event:aue_read:","subjprocuuid":"9d09"}', /CADETS/],
    ['{"SyslogMessage":"type=AUOMS_EXECVE audit(1.1:1): x"}', /auoms/],
    ['{"name":"process_events","hostIdentifier":"h","columns":{"pid":"1"}}', /osquery/],
    ['{"timestamp":1,"processName":"x","eventName":"openat","args":[]}', /Tracee/],
    ['{"timestamp":{},"policies":{},"workload":{}}', /Tracee/],
    ['__CURSOR=s=1\n__REALTIME_TIMESTAMP=1', /journald/],
    ['{"__CURSOR":"s","__REALTIME_TIMESTAMP":"1","MESSAGE":"x"}', /journald/],
    ['{"Channel":"Security","EventID":4688}', /Windows Security/],
    ['<Event><System><Channel>Security</Channel></System></Event>', /Windows Security/],
    ['----\ntype=SYSCALL msg=audit(11/14/2023 22:13:20.004:1001) : arch=x86_64', /ausearch -i/],
    ['type=SYSCALL msg=audit(11/14/2023 22:13:20.004:1001) : arch=x86_64', /ausearch -i/],
    ['42 12:00:00.123456789 0 cat (1234) < open fd=3(<f>/etc/passwd)', /sysdig/],
    ['42 12:00:00.123456789 0 my cat (1234.1235) > read fd=3', /sysdig/],
  ])('names %s', (text, name) => {
    const { message, hint } = errorOf(`first line\n${text}\n`);
    expect(message).toMatch(name);
    expect(hint?.length).toBeGreaterThan(10);
  });

  it('is made for any beginning', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(unknownFormatError('x', bytes).code).toBe('unknown-format');
      }),
    );
  });

  it('is thrown by the reader, which can go on afterwards', async () => {
    await expect(readBytes('hello\nworld\n')).rejects.toMatchObject({
      code: 'unknown-format',
      message: /hello/,
    });
  });

  const samples = join(ROOT, '../shared/data/samples');
  it.skipIf(!existsSync(samples)).each([
    ['cadets-native/cat.json', /CADETS/],
    ['auditd/otrf-auoms-log4shell.json', /auoms/],
  ])('%s is refused by name', async (file, name) => {
    expect(readFileSync(join(samples, file)).length).toBeGreaterThan(0);
    await expect(readLog(join(samples, file))).rejects.toMatchObject({
      code: 'unknown-format',
      message: name,
    });
  });
});
