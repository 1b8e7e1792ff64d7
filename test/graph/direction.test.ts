import { describe, expect, it } from 'vitest';
import { compileDirection, DIRECTIONS, type DirectionTable } from '../../src/graph/direction.js';

const METHOD_REVERSED =
  'READ READ_SOCKET_PARAMS RECVFROM RECVMSG ACCEPT OPEN MMAP EXECUTE LOADLIBRARY LSEEK CHECK_FILE_ATTRIBUTES';
const FORWARD =
  'WRITE SENDTO SENDMSG CONNECT FORK CLONE CREATE_OBJECT CREATE_THREAD RENAME LINK UNLINK MODIFY_PROCESS MPROTECT ' +
  'SIGNAL CLOSE EXIT BIND FLOWS_TO OTHER UPDATE WRITE_SOCKET_PARAMS TRUNCATE INIT_MODULE';

function reversedOf(name: keyof typeof DIRECTIONS, relations: readonly string[]): string[] {
  const flags = compileDirection(DIRECTIONS[name], relations);
  return relations.filter((_, r) => flags[r] === 1);
}

describe('compileDirection', () => {
  const cdm = `${METHOD_REVERSED} ${FORWARD}`.split(' ').map((name) => `EVENT_${name}`);

  it('flow reverses exactly the relations of method §1', () => {
    expect(reversedOf('flow', cdm)).toEqual(METHOD_REVERSED.split(' ').map((name) => `EVENT_${name}`));
  });

  it('flow reverses the corresponding relations of other formats', () => {
    const inward =
      'read recv accept mmap exec load open open-read openat recvmmsg execve check-attributes'.split(' ');
    const outward =
      'fork write send connect create delete rename inject signal open-write regset query'.split(' ');
    expect(reversedOf('flow', [...inward, ...outward])).toEqual(inward);
  });

  it('ignores case and the EVENT_ prefix', () => {
    const spellings = ['EVENT_READ', 'event_read', 'Read', 'READ', 'Check File Attributes', 'open_read'];
    expect(reversedOf('flow', spellings)).toEqual(spellings);
    expect(reversedOf('flow', ['EVENT_', '', 'XREAD', 'READX', 'MY_EVENT_READ'])).toEqual([]);
  });

  it('magic matches substrings of names', () => {
    const inward = ['EVENT_READ', 'EVENT_RECVFROM', 'EVENT_LOADLIBRARY', 'EVENT_CREATE_THREAD', 'moduleload'];
    expect(reversedOf('magic', [...inward, 'EVENT_EXECUTE', 'EVENT_OPEN', 'EVENT_MMAP'])).toEqual(inward);
  });

  it('none reverses no relation', () => {
    expect(reversedOf('none', cdm)).toEqual([]);
  });

  it('only flow uses the direction that the log gives', () => {
    expect(Object.values(DIRECTIONS).map((d) => d.honoursFlow)).toEqual([true, false, false]);
  });

  it('gives the same result after a table is written as JSON and read again', () => {
    for (const table of Object.values(DIRECTIONS)) {
      const read = JSON.parse(JSON.stringify(table)) as DirectionTable;
      expect(read).toEqual(table);
      expect(compileDirection(read, cdm)).toEqual(compileDirection(table, cdm));
    }
  });
});
