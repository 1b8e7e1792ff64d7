import type { FileNode, Flow, Process, SimEntity, User } from '../../kernel/entities.js';
import { argumentsOf, type ObservedCall, pathOf } from '../collector.js';
import type { ProcessState, ProcessStates } from '../process-states.js';
import { inetAddress, unixAddress, untrusted } from './fields.js';
import type { Pointers } from './pointers.js';
import type { RecordGroup } from './record-group.js';
import { commOf } from './subjects.js';

const YES = 'success=yes exit=';
const AT_CWD = 'a0=ffffff9c';
const LOADER = '/lib64/ld-linux-x86-64.so.2';
const FLAGS = { open: '80000', openForWriting: '401', create: '80241' } as const;
/** Programs that connect without waiting: the kernel logs EINPROGRESS. */
const NOT_BLOCKING = /^(firefox|thunderbird|curl)$/;
const DNS = 53;

/** The records that follow SYSCALL, and the result and arguments in it. */
export class CallDetails {
  constructor(
    private readonly states: ProcessStates,
    private readonly pointers: Pointers,
    private readonly root: () => User,
  ) {}

  /** Adds the records of a call and returns its result and arguments. */
  of(
    { call, process, object, object2, path }: ObservedCall,
    state: ProcessState,
    group: RecordGroup,
  ): [result: string, args: string] {
    const file = object as FileNode;
    switch (call) {
      case 'open':
      case 'openForWriting':
      case 'create': {
        group.cwd(state);
        if (call === 'create') this.parent(group, state, file);
        group.path(relative(file, state), file, call === 'create' ? 'CREATE' : 'NORMAL');
        const mode = call === 'create' ? '1b6' : '0';
        const flags = file.kind === 'directory' ? '90800' : FLAGS[call];
        const descriptor = state.openDescriptor(file);
        return [`${YES}${descriptor} `, `${AT_CWD} a1=${this.pointers.next()} a2=${flags} a3=${mode}`];
      }
      case 'execute': {
        const args = argumentsOf(process.commandLine);
        const listed = args.map((argument, index) => `a${index}=${untrusted(argument)}`).join(' ');
        group.add('EXECVE', `argc=${args.length} ${listed}`);
        group.cwd(state);
        group.path(pathOf(file), file, 'NORMAL');
        if (process.program.libraries.length > 0) group.loader(LOADER, this.root());
        return [`${YES}0 `, this.pointers.list(3, 'a3=8')];
      }
      case 'exit':
        return ['', 'a0=0 a1=e7 a2=3c a3=0'];
      case 'connect':
      case 'accept':
        return this.socket(call, object as SimEntity, state, group);
      case 'rename': {
        const to = path as string;
        group.cwd(state);
        this.parent(group, state, file);
        group.parent(
          folderOf(relativePath(to, state), state),
          folderOf(to, state).replace(/\/$/, ''),
          file.owner,
        );
        group.path(relative(file, state), file, 'DELETE');
        if (object2 !== undefined) group.path(relativePath(to, state), object2, 'DELETE');
        group.path(relativePath(to, state), file, 'CREATE');
        return [`${YES}0 `, this.pointers.list(2, 'a2=0 a3=8')];
      }
      case 'unlink':
      case 'makeDirectory':
        group.cwd(state);
        this.parent(group, state, file);
        group.path(relative(file, state), file, call === 'unlink' ? 'DELETE' : 'CREATE');
        return [`${YES}0 `, this.pointers.list(1, call === 'unlink' ? 'a1=0 a2=0 a3=8' : 'a1=1ff a2=0 a3=8')];
      case 'changeUser':
        return [`${YES}0 `, `a0=${process.user.uid.toString(16)} a1=0 a2=0 a3=8`];
      case 'signal': {
        const target = object as Process;
        const other = this.states.of(target);
        group.add(
          'OBJ_PID',
          `opid=${target.pid} oauid=${other.auid} ouid=${target.user.uid} oses=${other.session} ocomm=${untrusted(commOf(other))}`,
          `OAUID="${other.auidName}" OUID="${target.user.name}"`,
        );
        // A service stops its own children; anything else halts a process to look at it.
        const number = target.parent === process ? 'f' : '13';
        return [`${YES}0 `, `a0=${target.pid.toString(16)} a1=${number} a2=0 a3=8`];
      }
      default: // truncate, changeMode
        group.cwd(state);
        group.path(relative(file, state), file, 'NORMAL');
        return [`${YES}0 `, this.pointers.list(1, `a1=${call === 'changeMode' ? '1ed' : '0'} a2=0 a3=8`)];
    }
  }

  private socket(
    call: 'connect' | 'accept',
    object: SimEntity,
    state: ProcessState,
    group: RecordGroup,
  ): [result: string, args: string] {
    const descriptor = state.openDescriptor(object);
    if (object.kind !== 'flow') {
      const address = unixAddress(object.name);
      group.add('SOCKADDR', `saddr=${address}`, `SADDR={ saddr_fam=local path=${object.name} }`);
      group.cwd(state);
      group.path(object.name, object, 'NORMAL');
      return [
        `${YES}0 `,
        `a0=${descriptor.toString(16)} a1=${this.pointers.next()} a2=${(address.length / 2).toString(16)} a3=8`,
      ];
    }
    const { remoteAddress, remotePort } = object as Flow;
    group.add(
      'SOCKADDR',
      `saddr=${inetAddress(remoteAddress, remotePort)}`,
      `SADDR={ saddr_fam=inet laddr=${remoteAddress} lport=${remotePort} }`,
    );
    if (call === 'accept') {
      return [`${YES}${descriptor} `, `a0=3 a1=${this.pointers.next()} a2=${this.pointers.next()} a3=80800`];
    }
    const waits = remotePort === DNS || !NOT_BLOCKING.test(commOf(state));
    const result = waits ? `${YES}0 ` : 'success=no exit=-115 ';
    return [result, `a0=${descriptor.toString(16)} a1=${this.pointers.next()} a2=10 a3=8`];
  }

  private parent(group: RecordGroup, state: ProcessState, file: FileNode): void {
    const folder = folderOf(pathOf(file), state).replace(/(.)\/$/, '$1');
    group.parent(folderOf(relative(file, state), state), folder, file.owner);
  }
}

/** The name that the program passed: programs name files below their working folder without it. */
function relative(file: SimEntity, state: ProcessState): string {
  return relativePath(pathOf(file), state);
}

function relativePath(path: string, { cwd }: ProcessState): string {
  return cwd !== '/' && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** The folder as the kernel names it: with a slash at its end, or the working folder. */
function folderOf(name: string, { cwd }: ProcessState): string {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? cwd : name.slice(0, slash + 1);
}
