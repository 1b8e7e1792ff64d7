import { formatEndpoint } from '../network.js';
import type { Described } from './entities.js';
import { type EventRule, type ObjectRule, PROCESS_FIELDS, type ProcessRole } from './event-table.js';
import type { DataField, Fields } from './fields.js';

/** Names of Windows are the same in any case; those of Linux are not. */
export type Naming = 'windows' | 'linux';

/** A record whose processes are being named. */
export interface Processes {
  fields: Fields;
  naming: Naming;
  /** True if the record tells of a new process. */
  creation: boolean;
  /** The processes that were described before. */
  memo: ProcessMemo;
  /** The number of processes whose GUID lacks the part that tells processes of one second apart. */
  incomplete: number;
}

/** Descriptions of processes by their GUID as written. A log repeats them in nearly every record. */
export type ProcessMemo = Map<string, Described & { pidText: string }>;

/** A memo that is full starts anew. */
const MAX_MEMO = 1 << 14;

const GUID = /^\{?([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})\}?$/;
const NO_GUID = '00000000-0000-0000-0000-000000000000';
const NO_TOKEN = '-0000-000000000000';
const ANONYMOUS_PIPE = '<anonymous pipe>';

/** Returns a GUID in lower case without braces, or an empty text. */
function guidOf(text: string): string {
  const guid = GUID.exec(text)?.[1].toLowerCase() ?? '';
  return guid === NO_GUID ? '' : guid;
}

/** Returns the process that acts, or undefined if the record does not name it. */
export function subjectOf(subject: EventRule['subject'], processes: Processes): Described | undefined {
  if (subject === 'system') return { id: 'process:system', type: 'process', name: 'System', pid: 4 };
  if (subject === 'user') {
    const name = processes.fields.text('User');
    return name === '' ? undefined : userOf(name, processes.naming);
  }
  return processOf(subject, processes);
}

/** Returns what the event acts on: none, one or two entities. */
export function objectsOf(rule: ObjectRule | undefined, processes: Processes): Described[] {
  if (rule === undefined) return [];
  const { fields, naming } = processes;
  switch (rule.type) {
    case 'process':
      return [processOf(rule.role, processes)].filter((process) => process !== undefined);
    case 'flow':
      return flowOf(fields);
    case 'pipe':
      return pipeOf(fields.text(rule.field), processes);
    case 'domain':
      return named(fields, rule.field).map((name) => ({
        id: `dns:${name.toLowerCase()}`,
        type: 'flow',
        kind: 'domain',
        name,
      }));
    case 'wmi':
      return [...wmiPart('consumer', fields, rule.consumer), ...wmiPart('filter', fields, rule.filter)];
    case 'file':
    case 'registry':
      return [
        ...named(fields, rule.field),
        ...(rule.renamed === undefined ? [] : named(fields, rule.renamed)),
      ].map((name) => ({ id: idOf(name, naming), type: rule.type, name }));
  }
}

/** Returns a user as an entity. */
export function userOf(name: string, naming: Naming): Described {
  return { id: idOf(name, naming), type: 'principal', name };
}

function processOf(role: ProcessRole, processes: Processes): Described | undefined {
  const { fields, naming, memo } = processes;
  const names = PROCESS_FIELDS[role];
  const guidText = fields.text(names.guid);
  const name = fields.text(names.image);
  const userName = fields.text(names.user);
  const pidText = fields.text(names.pid);
  const isNew = role === 'process' && processes.creation;
  const known = isNew || role === 'parent' ? undefined : memo.get(guidText);
  if (known?.name === name && known.userName === userName && known.pidText === pidText) {
    if (known.incomplete === true) processes.incomplete++;
    return known;
  }
  const guid = guidOf(guidText);
  if (guid === '') return undefined;
  const pid = pidOf(pidText);
  const incomplete = guid.endsWith(NO_TOKEN) && pid !== undefined;
  if (incomplete) processes.incomplete++;
  const process = {
    id: incomplete ? `${guid}/${pid}` : guid,
    type: 'process' as const,
    name,
    // Other events write the image in other cases, and on Linux sometimes its last part only.
    hint: !isNew,
    user: idOf(userName, naming),
    userName,
    pidText,
    incomplete,
    ...(pid !== undefined && { pid }),
  };
  if (isNew) return { ...process, ...newProcess(processes) };
  if (role === 'parent') return { ...process, cmd: fields.text('ParentCommandLine') };
  if (memo.size === MAX_MEMO) memo.clear();
  memo.set(guidText, process);
  return process;
}

/** What only the creation of a process tells. */
function newProcess(processes: Processes): Partial<Described> {
  const { fields } = processes;
  const logon = guidOf(fields.text('LogonGuid'));
  const logonId = fields.text('LogonId').toLowerCase();
  const parent = processOf('parent', { ...processes, incomplete: 0 });
  return {
    cmd: fields.text('CommandLine'),
    session: logon !== '' ? logon : logonId !== '' ? `logon:${logonId}` : '',
    ...(parent !== undefined && { parent: parent.id }),
  };
}

/** The other end of a connection. Windows and Linux write the initiator as the source. */
function flowOf(fields: Fields): Described[] {
  const source = formatEndpoint(fields.text('SourceIp'), fields.text('SourcePort'));
  const destination = formatEndpoint(fields.text('DestinationIp'), fields.text('DestinationPort'));
  const incoming = fields.text('Initiated') === 'false';
  const [remote, local] = incoming ? [source, destination] : [destination, source];
  if (remote === undefined) return [];
  return [{ id: remote.toLowerCase(), type: 'flow', name: remote, local: local ?? '' }];
}

/** All anonymous pipes share their name, so each process has its own. */
function pipeOf(name: string, processes: Processes): Described[] {
  if (name === '') return [];
  const owner = name.toLowerCase() === ANONYMOUS_PIPE ? (processOf('process', processes)?.id ?? '') : '';
  return [{ id: `pipe:${idOf(name, processes.naming)}${owner}`, type: 'pipe', name }];
}

/** Names a filter or a consumer. Bindings write `"CommandLineEventConsumer.Name=\\"X\\""` for what is `"X"` elsewhere. */
function wmiPart(part: 'consumer' | 'filter', fields: Fields, field: DataField | undefined): Described[] {
  if (field === undefined) return [];
  const text = fields
    .text(field)
    .trim()
    .replaceAll('\\"', '"')
    .replace(/^"(.*)"$/s, '$1');
  const name = /\bName="([^"]*)"$/.exec(text)?.[1] ?? text;
  return name === ''
    ? []
    : [{ id: `wmi:${part}:${name.toLowerCase()}`, type: 'other', kind: `wmi ${part}`, name }];
}

function named(fields: Fields, field: DataField): string[] {
  const text = fields.text(field);
  return text === '' ? [] : [text];
}

function idOf(name: string, naming: Naming): string {
  if (naming === 'linux') return name;
  let id = LOWERED.get(name);
  if (id === undefined) {
    if (LOWERED.size === MAX_MEMO) LOWERED.clear();
    id = name.toLowerCase();
    LOWERED.set(name, id);
  }
  return id;
}

/** Names in lower case. A log repeats them, and equal texts are found faster if they are the same object. */
const LOWERED = new Map<string, string>();

function pidOf(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) <= 0x7fffffff ? Number(text) : undefined;
}
