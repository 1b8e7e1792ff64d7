import type { Batch } from '../../batch.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import { Shape, type Slot } from '../../scan/shape.js';
import type { SlotMemo } from '../../scan/slot-memo.js';
import type { Format, ReaderOptions } from '../reader.js';
import { type Deed, type Described, Entity } from '../records/event-rows.js';
import { domainNamed, fileAt, flowBetween, registryAt, userId } from '../records/naming.js';
import { type Made, RecordsReader } from '../records/records-reader.js';
import { type OcsfObject, ocsfMeaning } from './classes.js';

/** Events of the Open Cybersecurity Schema Framework, one per line: `{"class_uid":1007,"activity_id":1,"time":…,…}`. */
export const ocsf: Format = {
  name: 'ocsf',
  module: import.meta.url,
  title: 'OCSF JSON',
  exactTime: true,
  recognises(record: unknown): boolean {
    if (typeof record !== 'object' || record === null || !('class_uid' in record)) return false;
    return 'time' in record && ('activity_id' in record || 'type_uid' in record);
  },
  open: (memory: ScanMemory, options: ReaderOptions) => new OcsfReader(memory, options),
};

const shape = new Shape();
const CLASS = shape.scalar('class_uid');
const ACTIVITY = shape.scalar('activity_id');
const TYPE = shape.integer('type_uid');
const TIME = shape.integer('time');
const STATUS = shape.scalar('status_id');
const DEVICE_NAME = shape.scalar('device.hostname');
const DEVICE_LABEL = shape.scalar('device.name');
const DEVICE_ID = shape.scalar('device.uid');
const DIRECTION = shape.scalar('connection_info.direction_id');
const PROTOCOL = shape.scalar('connection_info.protocol_name');

/** The slots of a process. */
interface ProcessSlots {
  uid: Slot;
  cpid: Slot;
  pid: Slot;
  created: Slot;
  path: Slot;
  filePath: Slot;
  name: Slot;
  cmd: Slot;
  userId: Slot;
  userName: Slot;
  session: Slot;
  container: Slot;
  parent?: ProcessSlots;
}
function processAt(at: string, generations: number): ProcessSlots {
  const field = (path: string): Slot => shape.scalar(`${at}.${path}`);
  return {
    uid: field('uid'),
    cpid: field('cpid'),
    pid: shape.integer(`${at}.pid`),
    created: shape.integer(`${at}.created_time`),
    path: field('path'),
    filePath: field('file.path'),
    name: field('name'),
    cmd: field('cmd_line'),
    userId: field('user.uid'),
    userName: field('user.name'),
    session: field('session.uid'),
    container: field('container.uid'),
    ...(generations > 0 && { parent: processAt(`${at}.parent_process`, generations - 1) }),
  };
}
const ACTOR = processAt('actor.process', 1);
const PROCESS = processAt('process', 1);
const ACTOR_USER = shape.scalar('actor.user.uid');
const ACTOR_USER_NAME = shape.scalar('actor.user.name');

const FILE = shape.scalar('file.path');
const FILE_RESULT = shape.scalar('file_result.path');
const MODULE = shape.scalar('module.file.path');
const DRIVER = shape.scalar('driver.file.path');
const KEY = shape.scalar('reg_key.path');
const VALUE_PATH = shape.scalar('reg_value.path');
const VALUE_NAME = shape.scalar('reg_value.name');
const DOMAIN = shape.scalar('query.hostname');
const USER_ID = shape.scalar('user.uid');
const USER_NAME = shape.scalar('user.name');
const SOURCE_IP = shape.scalar('src_endpoint.ip');
const SOURCE_PORT = shape.scalar('src_endpoint.port');
const DESTINATION_IP = shape.scalar('dst_endpoint.ip');
const DESTINATION_PORT = shape.scalar('dst_endpoint.port');

/** `direction_id` of a connection that the other end opened. */
const INBOUND = '1';
const FAILURE = '2';

/** The slots that describe a process, with those that identify its parent. */
function slotsOf({ parent, ...own }: ProcessSlots): Slot[] {
  return [...Object.values(own), ...(parent === undefined ? [] : slotsOf(parent))];
}

class OcsfReader extends RecordsReader {
  readonly #processes = new Map<ProcessSlots, SlotMemo<Made>>(
    [ACTOR, PROCESS, PROCESS.parent as ProcessSlots].map((slots) => [
      slots,
      this.memo<Made>(...slotsOf(slots), ...(slots === ACTOR ? [ACTOR_USER, ACTOR_USER_NAME] : [])),
    ]),
  );
  readonly #files = this.memo<Entity | undefined>(FILE);
  readonly #flows = this.memo<Entity | undefined>(
    SOURCE_IP,
    SOURCE_PORT,
    DESTINATION_IP,
    DESTINATION_PORT,
    DIRECTION,
    PROTOCOL,
  );

  constructor(memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  protected override take(batch: Batch): string | undefined {
    const { scan } = this;
    const classId = this.optional(CLASS);
    if (classId === undefined) return 'not an OCSF event: no `class_uid`';
    const kind = `class:${classId.slice(0, 64)}`;
    batch.count(kind);
    const meaning = ocsfMeaning(classId, this.#activity(), scan.is(DIRECTION, INBOUND));
    if (meaning === undefined) {
      batch.skip(kind);
      return undefined;
    }
    const { relation, action, flow } = meaning;
    const event = {
      ts: this.time(TIME),
      host: this.optional(DEVICE_NAME) ?? this.optional(DEVICE_LABEL) ?? this.optional(DEVICE_ID),
      relation,
      action,
      flow,
      ok: scan.is(STATUS, FAILURE) ? false : undefined,
    };
    if (meaning.object === 'launched') return this.#takeLaunch(batch, event);
    const subject = this.#subject(action === 'exit', batch);
    if (subject === undefined) {
      batch.skip('noProcess');
      return undefined;
    }
    const [object, object2] = action === 'exit' ? [] : this.#objects(meaning.object, batch);
    return this.rows.add(batch, this.line, event, subject, object, object2);
  }

  /** The activity, which some producers only write as the last two digits of `type_uid`. */
  #activity(): number {
    const stated = this.optional(ACTIVITY);
    return stated === undefined ? Number((this.integer(TYPE) ?? 0n) % 100n) : Number(stated);
  }

  /** The process that acts. The process that ends may come alone. */
  #subject(ends: boolean, batch: Batch): Described | undefined {
    const own = ends ? this.#process(PROCESS, batch) : undefined;
    return own ?? this.#process(ACTOR, batch) ?? this.#process(PROCESS, batch);
  }

  #takeLaunch(batch: Batch, event: Deed): string | undefined {
    const process = this.#process(PROCESS, batch);
    if (process === undefined) {
      batch.skip('noProcess');
      return undefined;
    }
    const parent =
      this.#process(ACTOR, batch) ??
      (PROCESS.parent === undefined ? undefined : this.#process(PROCESS.parent, batch));
    if (parent !== undefined) {
      const object = { ...process, parent: parent.id };
      const reason = this.rows.add(batch, this.line, event, parent, object);
      if (reason !== undefined || process.name === undefined) return reason;
    }
    const image = { ...event, relation: `${event.relation}:image`, action: 'exec', flow: 'in' } as const;
    const subject = parent === undefined ? process : { ...process, parent: parent.id };
    const object = process.name === undefined ? undefined : fileAt(process.name);
    return this.rows.add(batch, this.line, image, subject, object);
  }

  #objects(object: OcsfObject, batch: Batch): (Described | undefined)[] {
    switch (object) {
      case 'process':
        return [this.#process(PROCESS, batch)];
      case 'file':
        return [this.#files.of(() => Entity.of(this.#named(FILE, fileAt)))];
      case 'renamed': {
        const [from, to] = [this.#named(FILE, fileAt), this.#named(FILE_RESULT, fileAt)];
        return from === undefined ? [to] : [from, to];
      }
      case 'module':
        return [this.#named(MODULE, fileAt)];
      case 'driver':
        return [this.#named(DRIVER, fileAt)];
      case 'domain':
        return [this.#named(DOMAIN, domainNamed)];
      case 'registry': {
        const value = this.optional(VALUE_NAME);
        const path = this.optional(KEY) ?? this.optional(VALUE_PATH);
        return [
          path === undefined ? undefined : registryAt(value === undefined ? path : `${path}\\${value}`),
        ];
      }
      case 'user': {
        const id = userId(this.optional(USER_ID), this.optional(USER_NAME));
        return [
          id === undefined ? undefined : { id, type: 'principal', name: this.optional(USER_NAME) ?? id },
        ];
      }
      case 'flow':
        return [this.#flows.of(() => Entity.of(this.#flow()))];
      default:
        return [];
    }
  }

  #flow(): Described | undefined {
    const source = { address: this.optional(SOURCE_IP), port: this.optional(SOURCE_PORT) };
    const destination = { address: this.optional(DESTINATION_IP), port: this.optional(DESTINATION_PORT) };
    const inbound = this.scan.is(DIRECTION, INBOUND);
    const [remote, local] = inbound ? [source, destination] : [destination, source];
    return flowBetween(remote, local, this.optional(PROTOCOL));
  }

  #named(slot: Slot, describe: (name: string) => Described): Described | undefined {
    const name = this.optional(slot);
    return name === undefined ? undefined : describe(name);
  }

  #process(slots: ProcessSlots, batch: Batch): Described | undefined {
    const memo = this.#processes.get(slots) as SlotMemo<Made>;
    return this.entity(memo, batch, (repairs) => this.#describe(slots, repairs));
  }

  #describe(slots: ProcessSlots, repairs: string[]): Described | undefined {
    const pid = this.pid(slots.pid);
    const id = this.optional(slots.uid) ?? this.optional(slots.cpid) ?? this.#idOf(pid, slots, repairs);
    if (id === undefined) return undefined;
    const actor = slots === ACTOR;
    const userName = this.optional(slots.userName) ?? (actor ? this.optional(ACTOR_USER_NAME) : undefined);
    return {
      id,
      type: 'process',
      name: this.optional(slots.filePath) ?? this.optional(slots.path) ?? this.optional(slots.name),
      cmd: this.optional(slots.cmd),
      pid,
      parent: slots.parent === undefined ? undefined : this.#parentId(slots.parent, repairs),
      user: userId(this.optional(slots.userId) ?? (actor ? this.optional(ACTOR_USER) : undefined), userName),
      userName,
      session: this.optional(slots.session),
      container: this.optional(slots.container),
    };
  }

  #parentId(slots: ProcessSlots, repairs: string[]): string | undefined {
    return (
      this.optional(slots.uid) ?? this.optional(slots.cpid) ?? this.#idOf(this.pid(slots.pid), slots, repairs)
    );
  }

  /** Without a unique id, a process is its number and its start. The number alone is reused. */
  #idOf(pid: number | undefined, slots: ProcessSlots, repairs: string[]): string | undefined {
    if (pid === undefined) return undefined;
    const created = this.time(slots.created);
    if (created !== undefined) return `pid:${pid}@${created}`;
    repairs.push('noStart');
    return `pid:${pid}`;
  }
}
