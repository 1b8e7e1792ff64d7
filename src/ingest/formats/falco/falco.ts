import type { Batch } from '../../batch.js';
import { FLOW_IN, FLOW_OUT } from '../../flow.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import { Shape, type Slot } from '../../scan/shape.js';
import { directionOfOpen } from '../open-flags.js';
import type { Format, ReaderOptions } from '../reader.js';
import { type Deed, type Described, Entity } from '../records/event-rows.js';
import { fileAt, flowBetween } from '../records/naming.js';
import { type Made, RecordsReader } from '../records/records-reader.js';
import { type FalcoMeaning, FORKS, falcoMeaning } from './calls.js';

/** Falco alerts as JSON lines, of rules whose output has the fields in docs/reference/formats.md. */
export const falco: Format = {
  name: 'falco',
  module: import.meta.url,
  title: 'Falco JSON',
  exactTime: true,
  recognises(record: unknown): boolean {
    if (typeof record !== 'object' || record === null || !('output_fields' in record)) return false;
    return 'rule' in record && 'priority' in record;
  },
  open: (memory: ScanMemory, options: ReaderOptions) => new FalcoReader(memory, options),
};

const shape = new Shape();
const TIME = shape.scalar('time');
const HOST = shape.scalar('hostname');
const RULE = shape.scalar('rule');
const SOURCE = shape.scalar('source');
const OUTPUT_FIELDS = shape.raw('output_fields');

/** A field of the output. Its name has dots. */
const place = (name: string): string => `output_fields.${name.replaceAll('.', '\\.')}`;
const field = (name: string): Slot => shape.scalar(place(name));
const integer = (...names: string[]): Slot => shape.integer(...names.map(place));
const EVENT_TIME = integer('evt.time', 'evt.time.iso8601');
const TYPE = field('evt.type');
const RESULT = field('evt.res');
const FAILED = field('evt.failed');
const FLAGS = field('evt.arg.flags');
const DROPS = integer('n_drops');
const PID = integer('proc.pid');
const START = integer('proc.pid.ts');
const NAME = field('proc.name');
const PROGRAM = field('proc.exepath');
const COMMAND_LINE = field('proc.cmdline');
const PPID = integer('proc.ppid');
const PARENT_START = integer('proc.ppid.ts');
const PARENT_NAME = field('proc.pname');
const PARENT_PROGRAM = field('proc.aexepath[1]');
const PARENT_PROGRAM_2 = field('proc.pexepath');
const UID = field('user.uid');
const USER_NAME = field('user.name');
const LOGIN_UID = field('user.loginuid');
const CONTAINER = field('container.id');
const NAMESPACE = field('k8s.ns.name');
const POD = field('k8s.pod.name');
const FD_NAME = field('fd.name');
const FD_TYPE = field('fd.typechar');
const CLIENT_IP = field('fd.cip');
const CLIENT_PORT = field('fd.cport');
const SERVER_IP = field('fd.sip');
const SERVER_PORT = field('fd.sport');
const PATH = field('fs.path.name');
const FROM = field('fs.path.source');
const TO = field('fs.path.target');

const DROP_RULE = 'Falco internal: syscall event drop';
/** A fork that the new process reports comes this soon after its start, in nanoseconds. */
const JUST_STARTED = 100_000_000n;
/** `client:port->server:port`, as `fd.name` of a connection. */
const TUPLE = /^(.+):(\d{1,5})->(.+):(\d{1,5})$/;
/** What a rule that names an absent field writes. */
const ABSENT = new Set(['<NA>', 'N/A', '']);

/** How an event reads, apart from its ends. */
type Way = Pick<Deed, 'relation' | 'action' | 'flow'>;

class FalcoReader extends RecordsReader {
  readonly #own = this.memo<Made>(
    PID,
    START,
    NAME,
    PROGRAM,
    COMMAND_LINE,
    PPID,
    PARENT_START,
    UID,
    USER_NAME,
    LOGIN_UID,
    CONTAINER,
    NAMESPACE,
    POD,
  );
  readonly #parents = this.memo<Made>(PPID, PARENT_START, PARENT_NAME, PARENT_PROGRAM, PARENT_PROGRAM_2);
  readonly #found = this.memo<(Entity | undefined)[]>(
    TYPE,
    NAME,
    PROGRAM,
    FD_NAME,
    FD_TYPE,
    CLIENT_IP,
    CLIENT_PORT,
    SERVER_IP,
    SERVER_PORT,
    PATH,
    FROM,
    TO,
  );
  readonly #ways = this.memo<Way | undefined>(TYPE, FLAGS);
  readonly #outcomes = this.memo<boolean | undefined>(FAILED, RESULT);

  constructor(memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  protected override take(batch: Batch): string | undefined {
    const { scan } = this;
    if (!scan.isRaw(OUTPUT_FIELDS)) return 'not a Falco alert: no `output_fields`';
    const ts = this.time(TIME) ?? this.time(EVENT_TIME);
    const host = this.#value(HOST);
    if (scan.is(SOURCE, 'internal') || scan.text(RULE).startsWith('Falco internal')) {
      batch.count('internal');
      if (!scan.is(RULE, DROP_RULE)) batch.skip('internal');
      else if (ts === undefined) return '`time` is missing or not an RFC 3339 time';
      else
        batch.losses.push({
          host,
          from: ts,
          to: ts,
          records: Number(this.integer(DROPS) ?? 0n),
          reason: 'drop',
        });
      return undefined;
    }
    const name = this.#value(TYPE);
    batch.count(name?.slice(0, 64) ?? 'noType');
    const process = this.entity(this.#own, batch, (repairs) => this.#process(repairs));
    if (name === undefined || process === undefined) {
      batch.skip(name === undefined ? 'noType' : 'noPid');
      return undefined;
    }
    return this.#takeCall(batch, { ts, host }, name, process);
  }

  #takeCall(
    batch: Batch,
    at: { ts: bigint | undefined; host: string | undefined },
    name: string,
    process: Described,
  ): string | undefined {
    const meaning = falcoMeaning(name);
    const { ts, host } = at;
    const ok = this.#outcomes.of(() => this.#outcome());
    if (FORKS.has(name) || meaning.action === 'exec') {
      const isFork = FORKS.has(name);
      if (isFork && !this.#justStarted(ts)) {
        batch.skip('forkOfParent');
        return undefined;
      }
      const parent = this.entity(this.#parents, batch, (repairs) => this.#parent(repairs));
      if (parent !== undefined && ok !== false) {
        const relation = isFork ? name : `${name}:parent`;
        const fork = { ts, host, relation, action: 'fork', flow: 'out', ok: undefined } as const;
        const reason = this.rows.add(batch, this.line, fork, parent, process);
        if (reason !== undefined || isFork) return reason;
      } else if (isFork) {
        batch.skip('noParent');
        return undefined;
      }
    }
    const [object, object2] = this.#found.of(() =>
      this.#objects(meaning, process.name).map((each) => Entity.of(each)),
    );
    const way = meaning.object === 'opened' ? this.#ways.of(() => this.#wayOfOpen(name)) : undefined;
    const { relation, action, flow } = way ?? { relation: name, action: meaning.action, flow: meaning.flow };
    return this.rows.add(
      batch,
      this.line,
      { ts, host, relation, action, flow, ok },
      process,
      object,
      object2,
    );
  }

  /** Opens are reads or writes, by their flags, as in the Linux audit log. */
  #wayOfOpen(name: string): Way | undefined {
    switch (directionOfOpen(this.#value(FLAGS) ?? '', 10)) {
      case FLOW_OUT:
        return { relation: `${name}_write`, action: 'write', flow: 'out' };
      case FLOW_IN:
        return { relation: `${name}_read`, action: 'read', flow: 'in' };
      default:
        return undefined;
    }
  }

  #outcome(): boolean | undefined {
    const failed = this.scan.boolean(FAILED);
    if (failed !== undefined) return !failed;
    const result = this.#value(RESULT);
    if (result === undefined) return undefined;
    return result === 'SUCCESS' || /^\d+$/.test(result) ? true : result === 'EINPROGRESS' ? undefined : false;
  }

  /** A fork gives a record of the parent and one of the child. Only the child's record tells who the child is. */
  #justStarted(ts: bigint | undefined): boolean {
    const start = this.integer(START);
    if (start === undefined || ts === undefined) return false;
    return ts - start < JUST_STARTED;
  }

  #objects({ object }: FalcoMeaning, program: string | undefined): (Described | undefined)[] {
    switch (object) {
      case 'opened':
        return [this.#file(FD_NAME, PATH)];
      case 'program':
        return [program === undefined ? undefined : fileAt(program)];
      case 'path':
        return [this.#file(PATH, FD_NAME)];
      case 'twoPaths': {
        const [from, to] = [this.#file(FROM, PATH), this.#file(TO, FD_NAME)];
        return from === undefined ? [to] : [from, to];
      }
      case 'remote':
      case 'server':
        return [this.#endOf(object)];
      case 'file':
        return [this.#endOf('remote')];
      default:
        return [];
    }
  }

  /** What the descriptor is open on: a flow, or a file. A flow without ends, as after drops, is nothing. */
  #endOf(object: FalcoMeaning['object']): Described | undefined {
    const kind = this.#value(FD_TYPE);
    const isFlow = kind === '4' || kind === '6' || TUPLE.test(this.#value(FD_NAME) ?? '');
    return isFlow ? this.#flow(object) : this.#file(FD_NAME, PATH);
  }

  #file(...slots: readonly Slot[]): Described | undefined {
    for (const slot of slots) {
      const path = this.#value(slot);
      if (path !== undefined) return fileAt(path);
    }
    return undefined;
  }

  /** The flow of a network descriptor. The process is the client, unless it accepted the connection. */
  #flow(object: FalcoMeaning['object']): Described | undefined {
    const tuple = TUPLE.exec(this.#value(FD_NAME) ?? '');
    const client = {
      address: this.#value(CLIENT_IP) ?? tuple?.[1],
      port: this.#value(CLIENT_PORT) ?? tuple?.[2],
    };
    const server = {
      address: this.#value(SERVER_IP) ?? tuple?.[3],
      port: this.#value(SERVER_PORT) ?? tuple?.[4],
    };
    const accepted = /^accept/.test(this.#value(TYPE) ?? '');
    const [remote, local] = accepted ? [client, server] : [server, client];
    return flowBetween(remote, object === 'server' ? { address: undefined, port: undefined } : local);
  }

  #process(repairs: string[]): Described | undefined {
    const id = this.#id(PID, START, repairs);
    if (id === undefined) return undefined;
    const uid = this.#value(UID);
    const loginUid = this.#value(LOGIN_UID);
    const container = this.#value(CONTAINER);
    const pod = this.#value(POD);
    return {
      id,
      type: 'process',
      name: this.#value(PROGRAM) ?? this.#value(NAME),
      hint: this.#value(PROGRAM) === undefined ? true : undefined,
      cmd: this.#value(COMMAND_LINE),
      pid: this.pid(PID),
      parent: this.#id(PPID, PARENT_START),
      user: uid === undefined ? undefined : `uid:${uid}`,
      userName: this.#value(USER_NAME),
      session:
        loginUid === undefined || /^(?:-1|4294967295)$/.test(loginUid) ? undefined : `auid:${loginUid}`,
      container: container === 'host' ? undefined : container,
      unit: pod === undefined ? undefined : `pod:${this.#value(NAMESPACE) ?? ''}/${pod}`,
    };
  }

  #parent(repairs: string[]): Described | undefined {
    const id = this.#id(PPID, PARENT_START, repairs);
    if (id === undefined) return undefined;
    const program = this.#value(PARENT_PROGRAM) ?? this.#value(PARENT_PROGRAM_2);
    const name = program ?? this.#value(PARENT_NAME);
    return { id, type: 'process', name, hint: program === undefined ? true : undefined, pid: this.pid(PPID) };
  }

  /** A process is its number and its start. The number alone is reused. */
  #id(pid: Slot, start: Slot, repairs?: string[]): string | undefined {
    const number = this.pid(pid);
    if (number === undefined) return undefined;
    const started = this.integer(start);
    if (started !== undefined && started > 0n) return `pid:${number}@${started}`;
    repairs?.push('noStart');
    return `pid:${number}`;
  }

  #value(slot: Slot): string | undefined {
    const value = this.optional(slot);
    return value === undefined || ABSENT.has(value) ? undefined : value;
  }
}
