import type { Action } from '../../actions.js';
import type { DataField } from './fields.js';

/** The processes that a record can name, each by its own fields. */
export type ProcessRole = 'process' | 'parent' | 'source' | 'target';

/** The fields of a process. */
export interface ProcessFields {
  guid: DataField;
  pid: DataField;
  image: DataField;
  user: DataField;
}

export const PROCESS_FIELDS: Readonly<Record<ProcessRole, ProcessFields>> = {
  process: { guid: 'ProcessGuid', pid: 'ProcessId', image: 'Image', user: 'User' },
  parent: { guid: 'ParentProcessGuid', pid: 'ParentProcessId', image: 'ParentImage', user: 'ParentUser' },
  source: { guid: 'SourceProcessGuid', pid: 'SourceProcessId', image: 'SourceImage', user: 'SourceUser' },
  target: { guid: 'TargetProcessGuid', pid: 'TargetProcessId', image: 'TargetImage', user: 'TargetUser' },
};

/** What an event acts on, and the field that identifies it. */
export type ObjectRule =
  | { type: 'file' | 'registry'; field: DataField; renamed?: DataField }
  | { type: 'pipe'; field: DataField }
  | { type: 'process'; role: ProcessRole }
  /** The other end of a connection. */
  | { type: 'flow' }
  | { type: 'domain'; field: DataField }
  /** The parts of a WMI subscription, by the fields that name them. */
  | { type: 'wmi'; filter?: DataField; consumer?: DataField };

/** How a record of one event id, or of one variant of it, becomes events. */
export interface EventRule {
  /** Sysmon's own name, and the variant after a colon where one name has several meanings. */
  relation: string;
  /** Of a process access, the access rights decide; this is the action without readable rights. */
  action: Action;
  /** The direction of information; undefined if it depends on the access rights. */
  flow: 'in' | 'out' | undefined;
  /** The process that acts. `system` is the operating system, `user` the user of a record without a process. */
  subject: ProcessRole | 'system' | 'user';
  object?: ObjectRule;
  /** False if Sysmon blocked the action. */
  ok?: false;
  /** The fields to keep as attributes of the event. */
  attributes?: readonly DataField[];
}

/** The rules of an event id. `choose` is the field whose value selects a variant; `rule` holds for all others. */
interface EventEntry {
  rule: EventRule;
  choose?: { field: DataField; variants: Readonly<Record<string, EventRule>> };
}

const file = (relation: string, action: Action, more: Partial<EventRule> = {}): EventRule => ({
  relation,
  action,
  flow: 'out',
  subject: 'process',
  object: { type: 'file', field: 'TargetFilename' },
  ...more,
});

const registry = (variant: string, action: Action): EventRule => ({
  relation: `RegistryEvent:${variant}`,
  action,
  flow: 'out',
  subject: 'process',
  object: { type: 'registry', field: 'TargetObject' },
});

const renamed = (variant: string): EventRule => ({
  ...registry(variant, 'rename'),
  object: { type: 'registry', field: 'TargetObject', renamed: 'NewName' },
});

const pipe = (variant: string, action: Action): EventRule => ({
  relation: `PipeEvent:${variant}`,
  action,
  flow: 'out',
  subject: 'process',
  object: { type: 'pipe', field: 'PipeName' },
});

const wmi = (part: string, object: ObjectRule): EventEntry => {
  const rule = (relation: string, action: Action): EventRule => ({
    relation,
    action,
    flow: 'out',
    subject: 'user',
    object,
    attributes: ['Type'],
  });
  return {
    rule: rule(`WmiEvent:${part}Created`, 'create'),
    choose: {
      field: 'Operation',
      variants: {
        Modified: rule(`WmiEvent:${part}Modified`, 'write'),
        Deleted: rule(`WmiEvent:${part}Deleted`, 'delete'),
      },
    },
  };
};

const network = (relation: string, action: Action, flow: 'in' | 'out'): EventRule => ({
  relation,
  action,
  flow,
  subject: 'process',
  object: { type: 'flow' },
});

const REGISTRY_VARIANTS = {
  CreateKey: registry('CreateKey', 'regset'),
  CreateValue: registry('CreateValue', 'regset'),
  SetValue: registry('SetValue', 'regset'),
  DeleteKey: registry('DeleteKey', 'regdel'),
  DeleteValue: registry('DeleteValue', 'regdel'),
  RenameKey: renamed('RenameKey'),
  RenameValue: renamed('RenameValue'),
};

/** Sysmon's event ids that become events of the graph. */
export const EVENT_TABLE: Readonly<Record<number, EventEntry>> = {
  1: {
    rule: {
      relation: 'ProcessCreate',
      action: 'fork',
      flow: 'out',
      subject: 'parent',
      object: { type: 'process', role: 'process' },
    },
  },
  2: { rule: file('FileCreateTime', 'chmod') },
  3: {
    rule: network('NetworkConnect', 'connect', 'out'),
    choose: {
      field: 'Initiated',
      variants: { false: network('NetworkConnect:Incoming', 'accept', 'in') },
    },
  },
  5: { rule: { relation: 'ProcessTerminate', action: 'exit', flow: 'out', subject: 'process' } },
  6: {
    rule: {
      relation: 'DriverLoad',
      action: 'load',
      flow: 'in',
      subject: 'system',
      object: { type: 'file', field: 'ImageLoaded' },
    },
  },
  7: { rule: file('ImageLoad', 'load', { flow: 'in', object: { type: 'file', field: 'ImageLoaded' } }) },
  8: {
    rule: {
      relation: 'CreateRemoteThread',
      action: 'inject',
      flow: 'out',
      subject: 'source',
      object: { type: 'process', role: 'target' },
      attributes: ['StartModule', 'StartFunction'],
    },
  },
  9: { rule: file('RawAccessRead', 'read', { flow: 'in', object: { type: 'file', field: 'Device' } }) },
  10: {
    rule: {
      relation: 'ProcessAccess',
      action: 'access',
      flow: undefined,
      subject: 'source',
      object: { type: 'process', role: 'target' },
      attributes: ['GrantedAccess'],
    },
  },
  11: { rule: file('FileCreate', 'create') },
  12: {
    rule: registry('CreateKey', 'regset'),
    choose: { field: 'EventType', variants: REGISTRY_VARIANTS },
  },
  13: { rule: registry('SetValue', 'regset'), choose: { field: 'EventType', variants: REGISTRY_VARIANTS } },
  14: { rule: renamed('RenameKey'), choose: { field: 'EventType', variants: REGISTRY_VARIANTS } },
  15: { rule: file('FileCreateStreamHash', 'create') },
  17: { rule: pipe('CreatePipe', 'create') },
  18: { rule: pipe('ConnectPipe', 'connect') },
  19: wmi('Filter', { type: 'wmi', filter: 'Name' }),
  20: wmi('Consumer', { type: 'wmi', consumer: 'Name' }),
  21: wmi('Binding', { type: 'wmi', consumer: 'Consumer', filter: 'Filter' }),
  22: {
    rule: {
      relation: 'DnsQuery',
      action: 'query',
      flow: 'in',
      subject: 'process',
      object: { type: 'domain', field: 'QueryName' },
      attributes: ['QueryResults'],
    },
  },
  23: { rule: file('FileDelete', 'delete') },
  24: { rule: { relation: 'ClipboardChange', action: 'write', flow: 'out', subject: 'process' } },
  25: {
    rule: {
      relation: 'ProcessTampering',
      action: 'inject',
      flow: 'out',
      subject: 'process',
      attributes: ['Type'],
    },
  },
  26: { rule: file('FileDeleteDetected', 'delete') },
  27: { rule: file('FileBlockExecutable', 'create', { ok: false }) },
  28: { rule: file('FileBlockShredding', 'delete', { ok: false }) },
  29: { rule: file('FileExecutableDetected', 'create') },
};

/** The program that a new process runs, as an event of its own. */
export const IMAGE_RULE: EventRule = {
  relation: 'ProcessCreate:Image',
  action: 'exec',
  flow: 'in',
  subject: 'process',
  object: { type: 'file', field: 'Image' },
};

/** The event ids whose `UtcTime` comes from a clock of its own, which lies behind after a machine is resumed. */
export const OWN_CLOCK: ReadonlySet<number> = new Set([3, 22]);

/** The event ids about Sysmon itself. They are no events of the graph, but tell what it may have missed. */
export const SENSOR_EVENTS: Readonly<Record<number, string>> = {
  4: 'ServiceStateChange',
  16: 'ServiceConfigurationChange',
  255: 'Error',
};

/** Sysmon's names of all event ids, without variants. */
export const RECORD_NAMES: ReadonlyMap<number, string> = new Map([
  ...Object.entries(EVENT_TABLE).map(([id, { rule }]) => [Number(id), rule.relation.split(':')[0]] as const),
  ...Object.entries(SENSOR_EVENTS).map(([id, name]) => [Number(id), name] as const),
]);

const CREATE_THREAD = 0x2;
const CHANGE_MEMORY = 0x8;
const READ_MEMORY = 0x10;
const WRITE_MEMORY = 0x20;
/** A duplicated handle gives what its owner may do. */
const DUPLICATE_HANDLE = 0x40;
const INTRUDING = CREATE_THREAD | CHANGE_MEMORY | READ_MEMORY | WRITE_MEMORY | DUPLICATE_HANDLE;
/** To query or limit a process, to read its security descriptor, and to wait for its end. */
const ASKING = 0x400 | 0x1000 | 0x2000 | 0x20000 | 0x100000;

/** What the rights of a process access tell. Most accesses of a log only ask for the state of the target. */
export interface ProcessAccess {
  readonly action: Action;
  /**
   * Reading memory or asking for the state brings information to the source. Only rights to change the target without
   * reading it make information flow to the target; event 8 tells of threads that are created.
   */
  readonly flow: 'in' | 'out';
  /** Whether they go beyond asking for the state of the target. */
  readonly isNotable: boolean;
}

const ANY_RIGHTS: ProcessAccess = { action: 'access', flow: 'in', isNotable: true };

/** Reads the field `GrantedAccess`. A record without readable rights may have any. */
export function processAccess(grantedAccess: string): ProcessAccess {
  if (!/^0x[0-9a-f]{1,8}$/i.test(grantedAccess)) return ANY_RIGHTS;
  const rights = Number(grantedAccess);
  const changes = (rights & (CREATE_THREAD | WRITE_MEMORY)) !== 0;
  return {
    action: (rights & INTRUDING) !== 0 ? 'access' : 'query',
    flow: changes && (rights & READ_MEMORY) === 0 ? 'out' : 'in',
    isNotable: (rights & ~ASKING) !== 0,
  };
}
