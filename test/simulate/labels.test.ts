import { describe, expect, it } from 'vitest';
import { FileNode, Flow } from '../../src/simulate/kernel/entities.js';
import { LabelCollector } from '../../src/simulate/labels.js';

const root = { name: 'root', uid: 0, home: '/root', principal: '' };

function seen<T extends FileNode | Flow>(entity: T): T {
  entity.firstSeenIn = 2;
  return entity;
}

const file = (uuid: string, name: string) => seen(new FileNode(uuid, 'file', name, 1, root, false));

describe('LabelCollector', () => {
  it('keeps the first reason, lets core replace touched, and omits entities without events', () => {
    const labels = new LabelCollector();
    const passwd = file('A', '/etc/passwd');
    labels.add(passwd, 'A1', 'touched', 'edited');
    labels.add(passwd, 'A2', 'touched', 'edited again');
    const implant = file('B', '/tmp/x');
    labels.add(implant, 'A1', 'touched', 'read');
    labels.add(implant, 'A1', 'core', 'dropped');
    labels.add(new FileNode('C', 'file', '/tmp/never', 1, root, false), 'A1', 'core', 'planned');
    expect(labels.csv()).toBe(
      'uuid,type,name,attack,tier,reason\nA,file,/etc/passwd,A1,touched,edited\nB,file,/tmp/x,A1,core,dropped\n',
    );
    expect(labels.text()).toBe('A\nB\n');
  });

  it('lists scan flows only in the scan list', () => {
    const labels = new LabelCollector();
    labels.addScan(seen(new Flow('F', '10.0.0.1', 1, '10.0.0.2', 22)));
    expect(labels.text()).toBe('');
    expect(labels.scanText()).toBe('F\n');
    expect(labels.scanFlows).toBe(1);
  });

  it('quotes cells for CSV and spreadsheets', () => {
    const labels = new LabelCollector();
    labels.add(file('A', '=cmd|x'), 'A1', 'core', 'says "hello", twice');
    expect(labels.csv().split('\n')[1]).toBe(`A,file,'=cmd|x,A1,core,"says ""hello"", twice"`);
  });
});
