import { describe, expect, test } from 'vitest';
import { processAccess } from '../../../../src/ingest/formats/sysmon/event-table.js';

describe('processAccess', () => {
  test.each([
    ['0x1000', 'query', 'in', false, 'QUERY_LIMITED_INFORMATION'],
    ['0x1400', 'query', 'in', false, 'and QUERY_INFORMATION'],
    ['0x3000', 'query', 'in', false, 'and SET_LIMITED_INFORMATION'],
    ['0x121000', 'query', 'in', false, 'and SYNCHRONIZE and READ_CONTROL'],
    ['0x1', 'query', 'in', true, 'TERMINATE'],
    ['0x1410', 'access', 'in', true, 'VM_READ'],
    ['0x1040', 'access', 'in', true, 'DUP_HANDLE'],
    ['0x28', 'access', 'out', true, 'VM_WRITE and VM_OPERATION'],
    ['0x2', 'access', 'out', true, 'CREATE_THREAD'],
    ['0x1FFFFF', 'access', 'in', true, 'everything'],
    ['', 'access', 'in', true, 'no rights in the record'],
    ['0x1000000000', 'access', 'in', true, 'no rights of 32 bits'],
    ['%%4416', 'access', 'in', true, 'no number'],
  ])('%s is %s, flows %s, notable %s: %s', (rights, action, flow, isNotable) => {
    expect(processAccess(rights)).toEqual({ action, flow, isNotable });
  });
});
