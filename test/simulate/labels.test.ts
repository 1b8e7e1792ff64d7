import { describe, expect, it } from 'vitest';
import { FileNode, Flow } from '../../src/simulate/kernel/entities.js';
import { LabelBook } from '../../src/simulate/labels.js';

const root = { name: 'root', uid: 0, home: '/root', principal: '' };

function seen<T extends FileNode | Flow>(entity: T): T {
  entity.firstSeenIn = 2;
  return entity;
}

const file = (uuid: string, name: string) => seen(new FileNode(uuid, 'file', name, 1, root, false));

describe('LabelBook', () => {
  it('keeps the first reason, lets core replace touched, and drops what no event touched', () => {
    const book = new LabelBook();
    const passwd = file('A', '/etc/passwd');
    book.add(passwd, 'A1', 'touched', 'edited');
    book.add(passwd, 'A2', 'touched', 'edited again');
    const implant = file('B', '/tmp/x');
    book.add(implant, 'A1', 'touched', 'read');
    book.add(implant, 'A1', 'core', 'dropped');
    book.add(new FileNode('C', 'file', '/tmp/never', 1, root, false), 'A1', 'core', 'planned');
    expect(book.csv()).toBe(
      'uuid,type,name,attack,tier,reason\nA,file,/etc/passwd,A1,touched,edited\nB,file,/tmp/x,A1,core,dropped\n',
    );
    expect(book.text()).toBe('A\nB\n');
  });

  it('lists scan flows only in the scan list', () => {
    const book = new LabelBook();
    book.addScan(seen(new Flow('F', '10.0.0.1', 1, '10.0.0.2', 22)));
    expect(book.text()).toBe('');
    expect(book.scanText()).toBe('F\n');
    expect(book.scanFlows).toBe(1);
  });

  it('writes cells that neither a parser nor a spreadsheet trips over', () => {
    const book = new LabelBook();
    book.add(file('A', '=cmd|x'), 'A1', 'core', 'says "hello", twice');
    expect(book.csv().split('\n')[1]).toBe(`A,file,'=cmd|x,A1,core,"says ""hello"", twice"`);
  });
});
