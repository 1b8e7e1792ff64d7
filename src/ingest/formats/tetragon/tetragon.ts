import type { Action } from '../../actions.js';
import type { Batch } from '../../batch.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import { Shape, type Slot } from '../../scan/shape.js';
import { formatEndpoint } from '../network.js';
import type { Format, ReaderOptions } from '../reader.js';
import { type Described, Entity } from '../records/event-rows.js';
import { RecordsReader } from '../records/records-reader.js';
import { objectsOf, readArguments } from './arguments.js';
import { functionName, meaningOf } from './functions.js';
import { Throttles, throttle } from './throttles.js';

/** The kinds of events. The last four are of versions before 1.0. */
const KINDS = [
  'process_exec',
  'process_exit',
  'process_kprobe',
  'process_tracepoint',
  'process_lsm',
  'process_uprobe',
  'process_usdt',
  'process_loader',
  'process_throttle',
  'process_connect',
  'process_accept',
  'process_close',
  'process_listen',
] as const;
type Kind = (typeof KINDS)[number];

/** Cilium Tetragon events as JSON lines: `{"process_exec":{"process":{…},"parent":{…}},"node_name":"…","time":"…"}`. */
export const tetragon: Format = {
  name: 'tetragon',
  module: import.meta.url,
  title: 'Cilium Tetragon JSON',
  exactTime: true,
  recognises(record: unknown): boolean {
    if (typeof record !== 'object' || record === null || !('time' in record)) return false;
    return KINDS.some((kind) => typeof (record as Record<string, unknown>)[kind] === 'object');
  },
  open: (memory: ScanMemory, options: ReaderOptions) => new TetragonReader(memory, options),
  assembler: (state: unknown) => new Throttles(state),
};

const shape = new Shape();
const TIME = shape.scalar('time');
const NODE = shape.scalar('node_name');
const OF_KIND = KINDS.map((kind) => shape.raw(kind));

/** A field of the event, whatever its kind. */
const field = (path: string): Slot => shape.scalar(...KINDS.map((kind) => `${kind}.${path}`));

/** The slots of a process. */
interface ProcessSlots {
  id: Slot;
  parent: Slot;
  pid: Slot;
  uid: Slot;
  auid: Slot;
  binary: Slot;
  arguments: Slot;
  flags: Slot;
  docker: Slot;
  container: Slot;
  namespace: Slot;
  pod: Slot;
}

const processAt = (at: string): ProcessSlots => ({
  id: field(`${at}.exec_id`),
  parent: field(`${at}.parent_exec_id`),
  pid: shape.integer(...KINDS.map((kind) => `${kind}.${at}.pid`)),
  uid: field(`${at}.uid`),
  auid: field(`${at}.auid`),
  binary: field(`${at}.binary`),
  arguments: field(`${at}.arguments`),
  flags: field(`${at}.flags`),
  docker: field(`${at}.docker`),
  container: field(`${at}.pod.container.id`),
  namespace: field(`${at}.pod.namespace`),
  pod: field(`${at}.pod.name`),
});
const PROCESS = processAt('process');
const PARENT = processAt('parent');

const FUNCTION = field('function_name');
const SUBSYSTEM = field('subsys');
const TRACEPOINT = field('event');
const SYMBOL = field('symbol');
const PROVIDER = field('provider');
const USDT_NAME = field('name');
const PATH = field('path');
const ARGUMENTS = shape.raw(...KINDS.map((kind) => `${kind}.args`));
const RETURN = shape.raw(...KINDS.map((kind) => `${kind}.return`));
const THROTTLE_TYPE = field('type');
const CGROUP = field('cgroup');
const SOURCE_IP = field('source_ip');
const SOURCE_PORT = field('source_port');
const DESTINATION_IP = field('destination_ip');
const DESTINATION_PORT = field('destination_port');
const LISTEN_IP = field('ip');
const LISTEN_PORT = field('port');

/** The audit user of a process that no login started. */
const NO_LOGIN = '4294967295';

const MAY_WRITE = 2;
const MAY_READ = 4;

/** An event without its ends. */
interface Deed {
  readonly relation: string;
  readonly action: Action;
  readonly flow?: 'in' | 'out' | undefined;
  readonly ok?: boolean | undefined;
}

class TetragonReader extends RecordsReader {
  readonly #own = this.memo<Entity | undefined>(...Object.values(PROCESS));
  readonly #parents = this.memo<Entity | undefined>(...Object.values(PARENT));
  #ts: bigint | undefined;
  #host: string | undefined;

  constructor(memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  protected override take(batch: Batch): string | undefined {
    const { scan } = this;
    const number = OF_KIND.findIndex((slot) => scan.isRaw(slot));
    if (number < 0) return 'not a Tetragon event: no process_exec, process_exit, process_kprobe or similar';
    const kind = KINDS[number];
    this.#host = this.optional(NODE);
    this.#ts = this.time(TIME);
    batch.count(kind);
    if (kind === 'process_throttle') return this.#takeThrottle(batch);
    const process = this.#own.of(() => Entity.of(this.#processIn(PROCESS)));
    if (process === undefined) {
      batch.skip('noProcess');
      return undefined;
    }
    return this.#takeEvent(kind, process, batch);
  }

  #takeThrottle(batch: Batch): string | undefined {
    const { scan } = this;
    if (this.#ts === undefined) return '`time` is missing or not an RFC 3339 time';
    batch.losses.push(
      throttle(scan.is(THROTTLE_TYPE, 'THROTTLE_START'), this.#host, this.#ts, scan.text(CGROUP)),
    );
    return undefined;
  }

  #takeEvent(kind: Kind, process: Described, batch: Batch): string | undefined {
    const { scan } = this;
    switch (kind) {
      case 'process_exec':
        return this.#takeExec(process, batch);
      case 'process_exit':
        return this.#add(batch, process, { relation: kind, action: 'exit' });
      case 'process_kprobe':
      case 'process_lsm':
        return this.#takeCall(functionName(scan.text(FUNCTION)), kind, process, batch);
      case 'process_tracepoint':
        return this.#takeTracepoint(process, batch);
      case 'process_uprobe':
        return this.#takeUserProbe(scan.text(SYMBOL), kind, process, batch);
      case 'process_usdt':
        return this.#takeUserProbe(`${scan.text(PROVIDER)}:${scan.text(USDT_NAME)}`, kind, process, batch);
      case 'process_loader':
        return this.#add(batch, process, { relation: kind, action: 'load', flow: 'in' }, this.#path());
      default:
        return this.#takeConnection(kind, process, batch);
    }
  }

  /** A start: the parent forks, or the same process runs another program, which Tetragon calls its parent too. */
  #takeExec(process: Described, batch: Batch): string | undefined {
    const flags = ` ${this.scan.text(PROCESS.flags)} `;
    const parent = this.#parent(process);
    if (parent !== undefined) {
      const relation = flags.includes(' procFS ') ? 'procFS' : flags.includes(' clone ') ? 'clone' : 'execve';
      const event = { ts: this.#ts, host: this.#host, relation, action: 'fork', flow: 'out' } as const;
      const reason = this.rows.add(batch, this.line, event, parent, process);
      if (reason !== undefined) return reason;
    }
    const { name } = process;
    const program = name === undefined ? [] : [{ id: name, type: 'file', name } as const];
    return this.#add(batch, process, { relation: 'process_exec', action: 'exec', flow: 'in' }, program);
  }

  #takeCall(name: string, kind: Kind, process: Described, batch: Batch): string | undefined {
    const meaning = meaningOf(name);
    // An accepted socket is the result of the call; the argument is the listening one.
    const found = readArguments(meaning.action === 'accept' ? this.json(RETURN) : '', this.json(ARGUMENTS));
    const objects = objectsOf(meaning, found);
    const relation = name === '' ? kind : name;
    const ok = this.#outcome();
    if (meaning.mask !== true) {
      const { action, flow } = meaning;
      return this.#add(batch, process, { relation, action, flow, ok }, objects);
    }
    const mask = found.numbers[0] ?? 0;
    const deed: Deed =
      (mask & MAY_WRITE) !== 0
        ? { relation: `${relation}:write`, action: 'write', flow: 'out', ok }
        : (mask & MAY_READ) !== 0
          ? { relation: `${relation}:read`, action: 'read', flow: 'in', ok }
          : { relation, action: 'access', flow: 'in', ok };
    return this.#add(batch, process, deed, objects);
  }

  /** Returns false for a call that returned a negative number, which is an error on Linux. */
  #outcome(): boolean | undefined {
    const { scan } = this;
    if (!scan.isRaw(RETURN)) return undefined;
    const [result] = readArguments(this.json(RETURN)).numbers;
    return result === undefined ? undefined : result >= 0;
  }

  #takeTracepoint(process: Described, batch: Batch): string | undefined {
    const { scan } = this;
    const event = scan.text(TRACEPOINT);
    const call = /^sys_(?:enter|exit)_(.+)$/.exec(event);
    const { action, flow, object } = meaningOf(call === null ? event : `sys_${call[1]}`);
    const objects = objectsOf({ action, object }, readArguments(this.json(ARGUMENTS)));
    const relation = `${scan.text(SUBSYSTEM)}:${event}`;
    return this.#add(batch, process, { relation, action, flow, ok: this.#outcome() }, objects);
  }

  #takeUserProbe(symbol: string, kind: Kind, process: Described, batch: Batch): string | undefined {
    return this.#add(batch, process, { relation: `${kind}:${symbol}`, action: 'other' }, this.#path());
  }

  #path(): Described[] {
    const path = this.optional(PATH);
    return path === undefined ? [] : [{ id: path, type: 'file', name: path }];
  }

  #takeConnection(kind: Kind, process: Described, batch: Batch): string | undefined {
    const { scan } = this;
    const source = formatEndpoint(scan.text(SOURCE_IP), scan.text(SOURCE_PORT));
    const destination = formatEndpoint(scan.text(DESTINATION_IP), scan.text(DESTINATION_PORT));
    const listening = kind === 'process_listen';
    const name = listening ? formatEndpoint(scan.text(LISTEN_IP), scan.text(LISTEN_PORT)) : destination;
    const flow: Described[] = name === undefined ? [] : [{ id: name, type: 'flow', name, local: source }];
    const deed = {
      process_connect: { relation: kind, action: 'connect', flow: 'out' },
      process_accept: { relation: kind, action: 'accept', flow: 'in' },
      process_listen: { relation: kind, action: 'bind', flow: 'out' },
    }[kind as string] as Deed | undefined;
    return this.#add(batch, process, deed ?? { relation: kind, action: 'close' }, flow);
  }

  #add(batch: Batch, subject: Described, deed: Deed, objects: Described[] = []): string | undefined {
    const [object, object2] = objects;
    const { relation, action, flow, ok } = deed;
    const event = { ts: this.#ts, host: this.#host, relation, action, flow, ok };
    return this.rows.add(batch, this.line, event, subject, object, object2);
  }

  /** The parent as its record describes it, or as the process names it. */
  #parent(process: Described): Described | undefined {
    const parent = this.#parents.of(() => Entity.of(this.#processIn(PARENT)));
    if (parent !== undefined || process.parent === undefined) return parent;
    return { id: process.parent, type: 'process' };
  }

  #processIn(slots: ProcessSlots): Described | undefined {
    const { scan } = this;
    const id = this.optional(slots.id);
    if (id === undefined) return undefined;
    const name = this.optional(slots.binary);
    const given = this.optional(slots.arguments);
    const auid = this.optional(slots.auid);
    const pod = this.optional(slots.pod);
    const uid = this.optional(slots.uid);
    return {
      id,
      type: 'process',
      name,
      cmd: name === undefined ? undefined : given === undefined ? name : `${name} ${given}`,
      pid: this.pid(slots.pid),
      parent: this.optional(slots.parent),
      user: uid === undefined ? undefined : `uid:${uid}`,
      session: auid === undefined || auid === NO_LOGIN ? undefined : `auid:${auid}`,
      container: containerId(this.optional(slots.container) ?? this.optional(slots.docker)),
      unit: pod === undefined ? undefined : `pod:${scan.text(slots.namespace)}/${pod}`,
    };
  }
}

/** Removes the runtime from `containerd://0123…`. */
function containerId(text: string | undefined): string | undefined {
  return text?.replace(/^[a-z0-9.-]+:\/\//i, '');
}
