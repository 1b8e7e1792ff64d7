import type { FileNode, Process, SimEntity, User } from '../../kernel/entities.js';
import { pathOf } from '../collector.js';
import type { ProcessState } from '../process-states.js';
import { deviceOf, folderInode, untrusted } from './fields.js';
import type { Subject } from './subjects.js';
import type { Syscall } from './syscalls.js';

const CAPABILITIES = 'cap_fp=0 cap_fi=0 cap_fe=0 cap_fver=0 cap_frootid=0';
const MODES: Partial<Record<SimEntity['kind'], string>> = {
  directory: '040755',
  link: '0120777',
  char: '020666',
  block: '060660',
  'unix-socket': '0140666',
};

type NameType = 'NORMAL' | 'PARENT' | 'CREATE' | 'DELETE';

/** The records of one audit event, in the order and with the fields of the kernel. */
export class RecordGroup {
  /** The records after SYSCALL; it counts the PATH records, so it is written last and placed first. */
  private lines = '';
  private items = 0;
  readonly counts: Record<string, number> = {};

  constructor(
    /** `node=NAME ` or empty. */
    private readonly prefix: string,
    /** `SECONDS.MILLISECONDS`. */
    readonly time: string,
    private readonly serial: number,
    private readonly enriched: boolean,
  ) {}

  /** One line; `names` follow if the log is enriched. */
  line(type: string, fields: string, names = ''): string {
    this.counts[type] = (this.counts[type] ?? 0) + 1;
    const more = this.enriched && names !== '' ? `\x1d${names}` : '';
    return `${this.prefix}type=${type} msg=audit(${this.time}:${this.serial}): ${fields}${more}\n`;
  }

  add(type: string, fields: string, names = ''): void {
    this.lines += this.line(type, fields, names);
  }

  cwd(state: ProcessState): void {
    this.add('CWD', `cwd=${untrusted(state.cwd)}`);
  }

  path(name: string, file: SimEntity, type: NameType): void {
    const path = pathOf(file);
    const owner = (file as FileNode).owner;
    const folder = file.kind === 'directory';
    const inode = folder ? folderInode(path) : (file as FileNode).inode;
    const mode = MODES[file.kind] ?? (isProgram(path) ? '0100755' : '0100644');
    this.pathRecord(name, inode, deviceOf(path), mode, owner, type);
  }

  /** The dynamic loader, which is no file of the simulated kernel. */
  loader(path: string, root: User): void {
    this.pathRecord(path, folderInode(path), deviceOf(path), '0100755', root, 'NORMAL');
  }

  parent(name: string, folder: string, owner: User): void {
    this.pathRecord(name, folderInode(folder), deviceOf(`${folder}/`), '040755', owner, 'PARENT');
  }

  private pathRecord(
    name: string,
    inode: number,
    device: string,
    mode: string,
    owner: User,
    type: NameType,
  ): void {
    this.add(
      'PATH',
      `item=${this.items++} name=${untrusted(name)} inode=${inode} dev=${device} mode=${mode} ouid=${owner.uid} ogid=${owner.uid} rdev=${mode.startsWith('020') ? '01:03' : '00:00'} nametype=${type} ${CAPABILITIES}`,
      `OUID="${owner.name}" OGID="${owner.name}"`,
    );
  }

  /** The whole event: SYSCALL, what was added, and the title of the process. */
  finish(
    call: Syscall,
    /** `success=… exit=… ` or empty, because exit_group does not return. */
    result: string,
    args: string,
    process: Process,
    subject: Subject,
  ): string {
    const { parent } = process;
    const ppid = parent === undefined || parent.ended ? (process.pid === 1 ? 0 : 1) : parent.pid;
    const key = call.key === '' ? '(null)' : `"${call.key}"`;
    const head = this.line(
      'SYSCALL',
      `arch=c000003e syscall=${call.number} ${result}${args} items=${this.items} ppid=${ppid} ${subject.fields} key=${key}`,
      `ARCH=x86_64 SYSCALL=${call.name} ${subject.names}`,
    );
    return head + this.lines + this.line('PROCTITLE', `proctitle=${subject.title}`);
  }
}

/** Programs and libraries are executable. */
function isProgram(path: string): boolean {
  return /\/s?bin\/|\.so[\d.]*$|\/lib\/[^/]+\/[^/.]+$/.test(path);
}
