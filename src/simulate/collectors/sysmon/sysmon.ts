import type { HostIdentity } from '../../audit/dialect.js';
import type { Flow, Process, SimEntity } from '../../kernel/entities.js';
import {
  type Collector,
  type CollectorLog,
  hash32,
  type ObservedCall,
  objectKeys,
  pathOf,
} from '../collector.js';
import { type ProcessState, ProcessStates } from '../process-states.js';
import { type Data, type EventName, EventXml } from './event-xml.js';

const NO_GUID = '{00000000-0000-0000-0000-000000000000}';
const SYSMON_PID = 611;
const DNS = 53;

/**
 * Sysmon for Linux: executions, ends of processes, connections, created and deleted files. It has no event for a fork, so
 * a process that never executes a program appears only with what it does.
 */
export class Sysmon implements Collector {
  private readonly states = new ProcessStates();
  private readonly xml: EventXml;
  /** The first part of every GUID of this machine. */
  private readonly machine: string;

  constructor(
    host: HostIdentity,
    /** When the machine started, for processes older than the log. */
    private readonly bootSeconds: number,
  ) {
    this.xml = new EventXml(host.name, SYSMON_PID);
    this.machine = host.uuid.slice(0, 8).toLowerCase();
  }

  open(log: CollectorLog, first: boolean, seconds: number, nanos: number): void {
    if (!first) return;
    const data: Data = [
      ['UtcTime', this.xml.utcTime(seconds, nanos)],
      ['State', 'Started'],
      ['Version', '1.0.0'],
      ['SchemaVersion', '4.81'],
    ];
    log.event('ServiceStateChange', this.xml.line('ServiceStateChange', seconds, nanos, data));
  }

  record(call: ObservedCall, log: CollectorLog): boolean {
    const { process, object, seconds, nanos } = call;
    switch (call.call) {
      case 'fork':
      case 'clone':
        this.states.fork(process, object as Process, seconds, nanos);
        return false;
      case 'changeDirectory':
        this.states.of(process).cwd = pathOf(object as SimEntity);
        return false;
      case 'changeUser':
        if (this.states.isLogin(process)) this.states.logIn(process);
        return false;
      case 'execute':
        this.states.execute(process, pathOf(object as SimEntity));
        this.write('ProcessCreate', call, log, this.created(process, log));
        return true;
      case 'exit':
        this.write('ProcessTerminate', call, log, [...this.subject(process), ['User', process.user.name]]);
        return true;
      case 'connect':
      case 'accept':
        if (object?.kind !== 'flow') return false;
        this.write(
          'NetworkConnect',
          call,
          log,
          this.connection(process, object as Flow, call.call === 'connect'),
        );
        return true;
      case 'create':
        this.write('FileCreate', call, log, [
          ...this.subject(process),
          ['TargetFilename', pathOf(object as SimEntity)],
          ['CreationUtcTime', this.xml.utcTime(seconds, nanos)],
          ['User', process.user.name],
        ]);
        return true;
      case 'unlink': {
        const [guid, pid, image] = this.subject(process);
        this.write('FileDelete', call, log, [
          guid,
          pid,
          ['User', process.user.name],
          image,
          ['TargetFilename', pathOf(object as SimEntity)],
          ['Hashes', '-'],
          ['IsExecutable', '-'],
          ['Archived', '-'],
        ]);
        return true;
      }
      default:
        return false;
    }
  }

  flush(): void {}

  keysOf(entity: SimEntity): readonly string[] {
    return entity.kind === 'process' ? this.states.of(entity as Process).keys : objectKeys(entity);
  }

  private write(name: EventName, call: ObservedCall, log: CollectorLog, data: Data): void {
    const { seconds, nanos, process, object } = call;
    this.mention(process, log);
    if (object !== undefined) log.mentions(object);
    const time = this.xml.utcTime(seconds, nanos);
    log.event(name, this.xml.line(name, seconds, nanos, [['RuleName', '-'], ['UtcTime', time], ...data]));
  }

  private mention(process: Process, log: CollectorLog): void {
    log.mentions(process);
    const { keys } = this.states.of(process);
    const key = this.guid(process).slice(1, -1);
    if (keys.at(-1) !== key) keys.push(key);
  }

  private subject(process: Process): [Data[number], Data[number], Data[number]] {
    return [
      ['ProcessGuid', this.guid(process)],
      ['ProcessId', process.pid],
      ['Image', this.states.of(process).exe],
    ];
  }

  private created(process: Process, log: CollectorLog): Data {
    const { parent, user } = process;
    const state = this.states.of(process);
    if (parent !== undefined) this.mention(parent, log);
    const before = parent === undefined ? undefined : this.states.of(parent);
    return [
      ...this.subject(process),
      ['FileVersion', '-'],
      ['Description', '-'],
      ['Product', '-'],
      ['Company', '-'],
      ['OriginalFileName', '-'],
      ['CommandLine', state.commandLine],
      ['CurrentDirectory', state.cwd],
      ['User', user.name],
      ['LogonGuid', this.logonGuid(user.uid)],
      ['LogonId', user.uid],
      ['TerminalSessionId', state.session],
      ['IntegrityLevel', 'no level'],
      ['Hashes', '-'],
      ['ParentProcessGuid', parent === undefined ? NO_GUID : this.guid(parent)],
      ['ParentProcessId', parent?.pid ?? 0],
      ['ParentImage', before?.exe ?? '-'],
      ['ParentCommandLine', before?.commandLine || '-'],
      ['ParentUser', parent?.user.name ?? '-'],
    ];
  }

  private connection(process: Process, flow: Flow, initiated: boolean): Data {
    const local = [flow.localAddress, flow.localPort] as const;
    const remote = [flow.remoteAddress, flow.remotePort] as const;
    const [source, destination] = initiated ? [local, remote] : [remote, local];
    return [
      ...this.subject(process),
      ['User', process.user.name],
      ['Protocol', flow.remotePort === DNS ? 'udp' : 'tcp'],
      ['Initiated', String(initiated)],
      ['SourceIsIpv6', 'false'],
      ['SourceIp', source[0]],
      ['SourceHostname', '-'],
      ['SourcePort', source[1]],
      ['SourcePortName', '-'],
      ['DestinationIsIpv6', 'false'],
      ['DestinationIp', destination[0]],
      ['DestinationHostname', '-'],
      ['DestinationPort', destination[1]],
      ['DestinationPortName', '-'],
    ];
  }

  private guid(process: Process): string {
    const state = this.states.of(process);
    if (state.text === '') state.text = this.makeGuid(process, state);
    return state.text;
  }

  /** Machine, start in seconds with the low half first, and a number that each execution changes. */
  private makeGuid(process: Process, { seconds, nanos, executions }: ProcessState): string {
    const start = hexDigits(seconds === 0 ? this.bootSeconds : seconds);
    const token = hexDigits(hash32(`${process.pid}@${seconds}.${nanos}#${executions}`));
    const more = hexDigits(hash32(`${token}/${process.pid}`)).slice(0, 2);
    return `{${this.machine}-${start.slice(4)}-${start.slice(0, 4)}-${token.slice(0, 4)}-${token.slice(4)}${more}550000}`;
  }

  private logonGuid(uid: number): string {
    const digits = hexDigits(uid).slice(4);
    return `{${this.machine}-0000-0000-${digits.slice(2)}${digits.slice(0, 2)}-000000000000}`;
  }
}

function hexDigits(value: number): string {
  return value.toString(16).padStart(8, '0');
}
