import type { Batch } from '../../batch.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import { Shape, type Slot } from '../../scan/shape.js';
import type { Format, ReaderOptions } from '../reader.js';
import { type Described, Entity } from '../records/event-rows.js';
import { domainNamed, fileAt, flowBetween, registryAt, userId } from '../records/naming.js';
import { RecordsReader } from '../records/records-reader.js';
import { categoryOf, type EcsMeaning, ecsMeaning } from './actions.js';

/**
 * Events in the Elastic Common Schema with stable process ids, as Elastic Defend writes them, one document per line. The
 * documents of an Elasticsearch export lie in `_source`.
 */
export const ecs: Format = {
  name: 'ecs',
  module: import.meta.url,
  title: 'Elastic Defend / ECS JSON',
  exactTime: true,
  recognises(record: unknown): boolean {
    if (!isFields(record)) return false;
    const document = isFields(record._source) ? record._source : record;
    if (!('@timestamp' in document) || 'winlog' in document || 'auditd' in document) return false;
    const { event, process } = document;
    return isFields(event) && 'category' in event && isFields(process) && 'entity_id' in process;
  },
  open: (memory: ScanMemory, options: ReaderOptions) => new EcsReader(memory, options),
};

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const shape = new Shape();
const places = (path: string): string[] => [path, `_source.${path}`];
const field = (path: string): Slot => shape.scalar(...places(path));
/** A text or a list of texts. */
const texts = (path: string): Slot => shape.raw(...places(path));

const TIMESTAMP = field('@timestamp');
const KIND = field('event.kind');
const CATEGORY = texts('event.category');
const ACTION = texts('event.action');
const TYPE = texts('event.type');
const OUTCOME = field('event.outcome');
const HOST_NAME = field('host.name');
const HOST_ID = field('host.id');
const USER_ID = field('user.id');
const USER_NAME = field('user.name');
const CONTAINER = field('container.id');
const POD = field('orchestrator.resource.name');

/** The slots of a process. */
interface ProcessSlots {
  id: Slot;
  pid: Slot;
  executable: Slot;
  name: Slot;
  cmd: Slot;
}
const processAt = (at: string): ProcessSlots => ({
  id: field(`${at}.entity_id`),
  pid: shape.integer(...places(`${at}.pid`)),
  executable: field(`${at}.executable`),
  name: field(`${at}.name`),
  cmd: field(`${at}.command_line`),
});
const PROCESS = processAt('process');
const PARENT = processAt('process.parent');
const TARGET = processAt('Target.process');
const LOGON_ID = field('process.Ext.authentication_id');
const SESSION_LEADER = field('process.session_leader.entity_id');

const FILE_PATH = field('file.path');
const OLD_PATH = field('file.Ext.original.path');
const LIBRARY_PATH = field('dll.path');
const REGISTRY_PATH = field('registry.path');
const DOMAIN = field('dns.question.name');
const SOURCE_IP = field('source.ip');
const SOURCE_PORT = field('source.port');
const DESTINATION_IP = field('destination.ip');
const DESTINATION_PORT = field('destination.port');
const DIRECTION = field('network.direction');
const TRANSPORT = field('network.transport');

/** More values than a record has. */
const MOST_VALUES = 8;

const slotsOf = (process: ProcessSlots): Slot[] => Object.values(process);
const OWN = [USER_ID, USER_NAME, CONTAINER, POD, LOGON_ID, SESSION_LEADER];

class EcsReader extends RecordsReader {
  readonly #own = this.memo<Entity | undefined>(...slotsOf(PROCESS), PARENT.id, ...OWN);
  readonly #parent = this.memo<Entity | undefined>(...slotsOf(PARENT));
  readonly #category = this.memo<string[]>(CATEGORY);
  readonly #actions = this.memo<string[]>(ACTION);
  readonly #image = this.memo<Entity | undefined>(PROCESS.executable, PROCESS.name);
  readonly #registry = this.memo<Entity | undefined>(REGISTRY_PATH);
  readonly #file = this.memo<Entity | undefined>(FILE_PATH);
  readonly #flows = this.memo<Entity | undefined>(
    SOURCE_IP,
    SOURCE_PORT,
    DESTINATION_IP,
    DESTINATION_PORT,
    DIRECTION,
    TRANSPORT,
  );

  constructor(memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  protected override take(batch: Batch): string | undefined {
    const { scan } = this;
    if (!scan.has(TIMESTAMP)) return 'not an ECS document: no `@timestamp`';
    const category = categoryOf(this.#category.of(() => this.#values(CATEGORY)));
    batch.count(category ?? 'noCategory');
    if (scan.has(KIND) && !scan.is(KIND, 'event')) {
      batch.skip(`kind:${scan.text(KIND).slice(0, 64)}`);
      return undefined;
    }
    const process = this.#own.of(() => Entity.of(this.#process(PROCESS, this.optional(PARENT.id))));
    if (category === undefined || process === undefined) {
      batch.skip(category === undefined ? 'noCategory' : 'noProcess');
      return undefined;
    }
    const actions = this.#actions.of(() => this.#values(ACTION));
    // Newer versions join the events of short processes: `["fork", "exec", "end"]`.
    for (const action of actions.length > 0 ? actions : this.#values(TYPE).slice(0, 1)) {
      const reason = this.#takeAction(batch, category, action, process);
      if (reason !== undefined) return reason;
    }
    if (batch.line[batch.events - 1] !== this.line || batch.events === 0) batch.skip('noAction');
    return undefined;
  }

  #takeAction(batch: Batch, category: string, name: string, process: Described): string | undefined {
    const meaning = ecsMeaning(category, name);
    const { action, flow } = meaning;
    const event = {
      ts: this.time(TIMESTAMP),
      host: this.optional(HOST_NAME) ?? this.optional(HOST_ID),
      relation: `${category}:${name}`,
      action,
      flow,
      ok: this.scan.is(OUTCOME, 'failure') ? false : undefined,
    };
    if (meaning.object !== 'child') {
      const [object, object2] = this.#objects(meaning, process);
      return this.rows.add(batch, this.line, event, process, object, object2);
    }
    const parent = this.#parent.of(() => Entity.of(this.#process(PARENT, undefined, false)));
    if (parent !== undefined) {
      const reason = this.rows.add(batch, this.line, event, parent, process);
      if (reason !== undefined) return reason;
    }
    if (name === 'fork' || process.name === undefined) return undefined;
    const image = { ...event, relation: `${event.relation}:image`, action: 'exec', flow: 'in' } as const;
    return this.rows.add(batch, this.line, image, process, this.#imageOf(process));
  }

  #objects({ object }: EcsMeaning, process: Described): (Described | undefined)[] {
    switch (object) {
      case 'image':
        return [this.#imageOf(process)];
      case 'target':
        return [this.#process(TARGET, undefined, false)];
      case 'file':
        return [this.#file.of(() => Entity.of(this.#named(FILE_PATH, fileAt)))];
      case 'renamed': {
        const [from, to] = [this.#named(OLD_PATH, fileAt), this.#named(FILE_PATH, fileAt)];
        return from === undefined ? [to] : [from, to];
      }
      case 'library':
        return [this.#named(LIBRARY_PATH, fileAt) ?? this.#named(FILE_PATH, fileAt)];
      case 'registry':
        return [this.#registry.of(() => Entity.of(this.#named(REGISTRY_PATH, registryAt)))];
      case 'domain':
        return [this.#named(DOMAIN, domainNamed)];
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

  /** The program of the process as a file. */
  #imageOf({ name }: Described): Described | undefined {
    return this.#image.of(() => (name === undefined ? undefined : new Entity(fileAt(name))));
  }

  #named(slot: Slot, describe: (name: string) => Described): Described | undefined {
    const name = this.optional(slot);
    return name === undefined ? undefined : describe(name);
  }

  /** The source of a connection is the end that opened it. */
  #flow(): Described | undefined {
    const source = { address: this.optional(SOURCE_IP), port: this.optional(SOURCE_PORT) };
    const destination = { address: this.optional(DESTINATION_IP), port: this.optional(DESTINATION_PORT) };
    const inbound = this.scan.is(DIRECTION, 'ingress') || this.scan.is(DIRECTION, 'inbound');
    const [remote, local] = inbound ? [source, destination] : [destination, source];
    return flowBetween(remote, local, this.optional(TRANSPORT));
  }

  #process(slots: ProcessSlots, parent: string | undefined, own = true): Described | undefined {
    const id = this.optional(slots.id);
    if (id === undefined) return undefined;
    const described = {
      id,
      type: 'process' as const,
      name: this.optional(slots.executable) ?? this.optional(slots.name),
      cmd: this.optional(slots.cmd),
      pid: this.pid(slots.pid),
      parent,
    };
    if (!own) return described;
    return {
      ...described,
      user: userId(this.optional(USER_ID), this.optional(USER_NAME)),
      userName: this.optional(USER_NAME),
      session: this.optional(LOGON_ID) ?? this.optional(SESSION_LEADER),
      container: this.optional(CONTAINER),
      unit: this.optional(POD),
    };
  }

  /** Returns the texts of a field that is a text or a list of texts. */
  #values(slot: Slot): string[] {
    if (!this.scan.has(slot)) return [];
    if (!this.scan.isRaw(slot)) return [this.scan.text(slot)];
    const list: unknown = JSON.parse(this.scan.text(slot));
    return Array.isArray(list)
      ? list.filter((value) => typeof value === 'string' && value !== '').slice(0, MOST_VALUES)
      : [];
  }
}
