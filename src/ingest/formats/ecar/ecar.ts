import type { Batch } from '../../batch.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import { Shape, type Slot } from '../../scan/shape.js';
import type { SlotMemo } from '../../scan/slot-memo.js';
import type { Format, ReaderOptions } from '../reader.js';
import { type Described, Entity } from '../records/event-rows.js';
import { fileAt, flowBetween, registryAt, userId } from '../records/naming.js';
import { type Made, RecordsReader } from '../records/records-reader.js';
import { type EcarMeaning, ecarMeaning } from './actions.js';

/** OpTC eCAR as JSON lines: `{"timestamp":…,"hostname":…,"object":"FILE","action":"READ","actorID":…,"objectID":…}`. */
export const ecar: Format = {
  name: 'ecar',
  module: import.meta.url,
  title: 'DARPA OpTC eCAR JSON',
  exactTime: true,
  recognises(record: unknown): boolean {
    if (typeof record !== 'object' || record === null) return false;
    return 'actorID' in record && 'objectID' in record && 'object' in record && 'action' in record;
  },
  open: (memory: ScanMemory, options: ReaderOptions) => new EcarReader(memory, options),
};

const shape = new Shape();
const TIMESTAMP = shape.integer('timestamp');
const HOST = shape.scalar('hostname');
const OBJECT = shape.scalar('object');
const ACTION = shape.scalar('action');
const ACTOR_ID = shape.scalar('actorID');
const OBJECT_ID = shape.scalar('objectID');
const PID = shape.integer('pid');
const PPID = shape.integer('ppid');
const PRINCIPAL = shape.scalar('principal');
const property = (name: string): Slot => shape.scalar(`properties.${name}`);
const IMAGE = property('image_path');
const PARENT_IMAGE = property('parent_image_path');
const COMMAND_LINE = property('command_line');
const FILE_PATH = property('file_path');
const NEW_PATH = property('new_path');
const MODULE_PATH = property('module_path');
const KEY = property('key');
const VALUE = property('value');
const SOURCE_IP = property('src_ip');
const SOURCE_PORT = property('src_port');
const DESTINATION_IP = property('dest_ip');
const DESTINATION_PORT = property('dest_port');
const PROTOCOL = property('l4protocol');
const DIRECTION = property('direction');
const USER = property('user');
const LOGON_ID = property('logon_id');
const TARGET_ID = property('tgt_pid_uuid');
const NAME = property('name');

const NO_UUID = '00000000-0000-0000-0000-000000000000';
/** The sensor writes some paths by device. OpTC hosts have one volume. */
const DEVICE = /^\\Device\\HarddiskVolume\d+\\/i;

class EcarReader extends RecordsReader {
  readonly #meanings = this.memo<ReturnType<typeof ecarMeaning>>(OBJECT, ACTION, DIRECTION);
  readonly #hosts = this.memo<string | undefined>(HOST);
  readonly #processes = this.memo<Made>(OBJECT_ID, ACTOR_ID, IMAGE, COMMAND_LINE, PID, PRINCIPAL, USER);
  readonly #parents = this.memo<Made>(ACTOR_ID, PARENT_IMAGE, PPID);
  readonly #actors = this.memo<Made>(ACTOR_ID, IMAGE, PID, PRINCIPAL);
  readonly #images = this.memo<Entity | undefined>(IMAGE);
  readonly #keys = this.memo<Entity>(KEY, VALUE);
  readonly #files = this.memo<Made>(FILE_PATH);
  readonly #newFiles = this.memo<Made>(NEW_PATH);
  readonly #modules = this.memo<Made>(MODULE_PATH);
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
    const object = this.optional(OBJECT);
    const deed = this.optional(ACTION);
    if (object === undefined || deed === undefined) return 'not an eCAR record: no `object` or no `action`';
    batch.count(object);
    const meaning = this.#meanings.of(() => ecarMeaning(object, deed, scan.text(DIRECTION).toLowerCase()));
    const actor = this.#id(ACTOR_ID);
    const { relation, action, flow } = meaning;
    const event = {
      ts: this.time(TIMESTAMP),
      host: this.#hosts.of(() => this.#host()),
      relation,
      action,
      flow,
    };
    if (meaning.object === 'process') return this.#takeProcess(batch, event, actor);
    if (actor === undefined) {
      batch.skip('noActor');
      return undefined;
    }
    const [first, second] = this.#objects(meaning, batch);
    const subject = this.#actor(actor, batch);
    return this.rows.add(batch, this.line, event, subject, first, second);
  }

  /** Takes a PROCESS event, whose object is a process with the properties of the record. */
  #takeProcess(
    batch: Batch,
    event: { ts: bigint | undefined; host: string | undefined; relation: string } & Pick<
      EcarMeaning,
      'action' | 'flow'
    >,
    actor: string | undefined,
  ): string | undefined {
    const id = this.#id(OBJECT_ID);
    if (id === undefined) {
      batch.skip('noProcess');
      return undefined;
    }
    const process = this.#process(id, actor, batch);
    if (event.action === 'exit') return this.rows.add(batch, this.line, event, process);
    if (actor !== undefined && actor !== id) {
      const starts = event.action === 'fork';
      // The properties of a start are those of the new process, and those of any other event are the actor's.
      const subject: Described = starts ? this.#parent(actor, batch) : this.#actor(actor, batch);
      const child = starts ? process : { id, type: 'process' as const };
      const reason = this.rows.add(batch, this.line, event, subject, child);
      if (reason !== undefined || !starts) return reason;
    } else if (event.action !== 'fork') {
      batch.skip('noActor');
      return undefined;
    }
    const image = process.name;
    const run = { ...event, relation: `${event.relation}:IMAGE`, action: 'exec', flow: 'in' } as const;
    const file = this.#images.of(() => (image === undefined ? undefined : new Entity(fileAt(image))));
    return this.rows.add(batch, this.line, run, process, file);
  }

  #process(id: string, parent: string | undefined, batch: Batch): Described {
    return this.entity(this.#processes, batch, (repairs) => ({
      id,
      type: 'process',
      name: this.#path(IMAGE, repairs),
      cmd: this.optional(COMMAND_LINE),
      pid: this.pid(PID),
      parent: parent === id ? undefined : parent,
      user: userId(undefined, this.optional(PRINCIPAL) ?? this.optional(USER)),
      userName: this.optional(PRINCIPAL) ?? this.optional(USER),
    })) as Described;
  }

  #parent(id: string, batch: Batch): Described {
    return this.entity(this.#parents, batch, (repairs) => ({
      id,
      type: 'process',
      name: this.#path(PARENT_IMAGE, repairs),
      pid: this.pid(PPID),
    })) as Described;
  }

  #actor(id: string, batch: Batch): Described {
    return this.entity(this.#actors, batch, (repairs) => ({
      id,
      type: 'process',
      name: this.#path(IMAGE, repairs),
      pid: this.pid(PID),
      user: userId(undefined, this.optional(PRINCIPAL)),
      userName: this.optional(PRINCIPAL),
    })) as Described;
  }

  #objects({ object, action }: EcarMeaning, batch: Batch): (Described | undefined)[] {
    switch (object) {
      case 'file': {
        const file = this.#fileIn(FILE_PATH, this.#files, batch);
        if (file === undefined) return [this.#unnamed('file')];
        return [file, action === 'rename' ? this.#fileIn(NEW_PATH, this.#newFiles, batch) : undefined];
      }
      case 'module':
        return [this.#fileIn(MODULE_PATH, this.#modules, batch) ?? this.#unnamed('module')];
      case 'flow':
        return [this.#flows.of(() => Entity.of(this.#flow())) ?? this.#unnamed('flow')];
      case 'registry': {
        const key = this.optional(KEY);
        if (key === undefined) return [this.#unnamed('registry')];
        return [this.#keys.of(() => this.#registry(key))];
      }
      case 'user': {
        const user = this.optional(USER) ?? this.optional(LOGON_ID);
        return [user === undefined ? undefined : { id: user.toLowerCase(), type: 'principal', name: user }];
      }
      case 'target': {
        const id = this.#id(TARGET_ID);
        return [id === undefined ? undefined : { id, type: 'process' }];
      }
      case 'none':
        return [];
      default:
        return [this.#unnamed('other')];
    }
  }

  #registry(key: string): Entity {
    const value = this.optional(VALUE);
    return new Entity(registryAt(value === undefined ? key : `${key}\\${value}`));
  }

  /** An object that the record gives no name that could identify it. */
  #unnamed(type: Described['type']): Described | undefined {
    const id = this.#id(OBJECT_ID);
    return id === undefined ? undefined : { id, type, name: this.optional(NAME) };
  }

  #id(slot: Slot): string | undefined {
    const id = this.optional(slot);
    return id === NO_UUID ? undefined : id;
  }

  #flow(): Described | undefined {
    const source = { address: this.optional(SOURCE_IP), port: this.optional(SOURCE_PORT) };
    const destination = { address: this.optional(DESTINATION_IP), port: this.optional(DESTINATION_PORT) };
    const inbound = this.scan.text(DIRECTION).toLowerCase() === 'inbound';
    const [remote, local] = inbound ? [source, destination] : [destination, source];
    return flowBetween(remote, local, this.optional(PROTOCOL));
  }

  #fileIn(slot: Slot, memo: SlotMemo<Made>, batch: Batch): Described | undefined {
    return this.entity(memo, batch, (repairs) => {
      const path = this.#path(slot, repairs);
      return path === undefined ? undefined : fileAt(path);
    });
  }

  #path(slot: Slot, repairs: string[]): string | undefined {
    const path = this.optional(slot);
    if (path === undefined || !DEVICE.test(path)) return path;
    repairs.push('devicePath');
    return path.replace(DEVICE, 'C:\\');
  }

  #host(): string | undefined {
    const name = this.optional(HOST);
    return name?.split('.', 1)[0] || name;
  }
}
