import { formatEndpoint } from '../network.js';
import { Described, type Details } from './entities.js';
import { type EventRule, type ObjectRule, PROCESS_FIELDS, type ProcessRole } from './event-table.js';
import { type DataField, type Field, type FieldGroup, type Fields, fieldGroup } from './fields.js';

/** Names of Windows are the same in any case; those of Linux are not. */
export type Naming = 'windows' | 'linux';

/** A record whose entities are being named. */
export interface Named {
  fields: Fields;
  naming: Naming;
  /** True if the record tells of a new process. */
  creation: boolean;
  /** The number of processes whose GUID lacks the part that tells processes of one second apart. */
  incomplete: number;
}

/** The most names that are kept in lower case, and the most users. Those that are full start anew. */
const MAX_KEPT = 1 << 14;

/** The fields that tell of the processes of a record, by their roles. They mean different things in a naming. */
const OF_ROLE = groupsOfNamings((role: ProcessRole) => [
  ...Object.values(PROCESS_FIELDS[role]),
  ...(role === 'parent' ? (['ParentCommandLine'] as const) : []),
]);
const OF_NEW = groupsOfNamings(() => [
  ...Object.values(PROCESS_FIELDS.process),
  ...Object.values(PROCESS_FIELDS.parent),
  'CommandLine',
  'LogonGuid',
  'LogonId',
]);
const OF_FLOW = fieldGroup('SourceIp', 'SourcePort', 'DestinationIp', 'DestinationPort', 'Initiated');
const OF_DOMAIN = fieldGroup('QueryName');
const OF_FIELD = groupsOfNamings((field: DataField) => [field]);

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
export function subjectOf(subject: EventRule['subject'], record: Named): Described | undefined {
  if (subject === 'system') return SYSTEM;
  if (subject === 'user') {
    const name = record.fields.text('User');
    return name === '' ? undefined : userOf(name, record.naming);
  }
  return processOf(subject, record);
}

const SYSTEM = new Described('process:system', 'process', { name: 'System', pid: 4 });
const NOTHING: readonly Described[] = [];

/** Returns what the event acts on: none, one or two entities. */
export function objectsOf(rule: ObjectRule | undefined, record: Named): readonly Described[] {
  if (rule === undefined) return NOTHING;
  const { fields, naming } = record;
  switch (rule.type) {
    case 'process': {
      const process = processOf(rule.role, record);
      return process === undefined ? NOTHING : [process];
    }
    case 'flow':
      return fields.memo(OF_FLOW, () => flowOf(fields));
    case 'pipe':
      return pipeOf(fields.text(rule.field), record);
    case 'domain':
      return fields.memo(OF_DOMAIN, () =>
        named(fields, rule.field).map(
          (name) => new Described(`dns:${name.toLowerCase()}`, 'flow', { kind: 'domain', name }),
        ),
      );
    case 'wmi':
      return fields.memo(groupOfWmi(rule), () => [
        ...wmiPart('consumer', fields, rule.consumer),
        ...wmiPart('filter', fields, rule.filter),
      ]);
    case 'file':
    case 'registry': {
      const { type, field, renamed } = rule;
      const first = fields.memo(OF_FIELD(naming, field), () => namedBy(field, type, record));
      if (renamed === undefined) return first;
      return [...first, ...fields.memo(OF_FIELD(naming, renamed), () => namedBy(renamed, type, record))];
    }
  }
}

/** The file or registry key that a field names, if it names one. */
function namedBy(
  field: DataField,
  type: 'file' | 'registry',
  { fields, naming }: Named,
): readonly Described[] {
  return named(fields, field).map((name) => new Described(idOf(name, naming), type, { name }));
}

/** Returns a user as an entity. */
function userOf(name: string, naming: Naming): Described {
  const users = USERS[naming];
  let user = users.get(name);
  if (user === undefined) {
    if (users.size === MAX_KEPT) users.clear();
    user = new Described(idOf(name, naming), 'principal', { name });
    users.set(name, user);
  }
  return user;
}

const USERS: Readonly<Record<Naming, Map<string, Described>>> = { windows: new Map(), linux: new Map() };

function processOf(role: ProcessRole, record: Named): Described | undefined {
  const { fields, naming } = record;
  const isNew = role === 'process' && record.creation;
  const process = isNew
    ? fields.memo(OF_NEW(naming, 'process'), () => newProcess(fields, naming))
    : fields.memo(OF_ROLE(naming, role), () => knownProcess(role, fields, naming));
  if (process?.incomplete === true) record.incomplete++;
  return process;
}

function knownProcess(role: ProcessRole, fields: Fields, naming: Naming): Described | undefined {
  // Other events write the image in other cases, and on Linux sometimes its last part only.
  const cmd = role === 'parent' ? fields.text('ParentCommandLine') : undefined;
  return describeProcess(role, fields, naming, { hint: true, cmd });
}

function describeProcess(
  role: ProcessRole,
  fields: Fields,
  naming: Naming,
  { hint, cmd, session, parent }: Details,
): Described | undefined {
  const names = PROCESS_FIELDS[role];
  const guid = guidOf(fields.text(names.guid));
  if (guid === '') return undefined;
  const userName = fields.text(names.user);
  const pid = pidOf(fields.text(names.pid));
  const incomplete = guid.endsWith(NO_TOKEN) && pid !== undefined;
  return new Described(incomplete ? `${guid}/${pid}` : guid, 'process', {
    hint,
    cmd,
    session,
    parent,
    name: fields.text(names.image),
    user: userName === '' ? undefined : userOf(userName, naming),
    incomplete,
    pid,
  });
}

/** A process with what only its creation tells. */
function newProcess(fields: Fields, naming: Naming): Described | undefined {
  const logon = guidOf(fields.text('LogonGuid'));
  const logonId = fields.text('LogonId').toLowerCase();
  return describeProcess('process', fields, naming, {
    hint: false,
    cmd: fields.text('CommandLine'),
    session: logon !== '' ? logon : logonId !== '' ? `logon:${logonId}` : '',
    parent: describeProcess('parent', fields, naming, {})?.id,
  });
}

/** The other end of a connection. Windows and Linux write the initiator as the source. */
function flowOf(fields: Fields): readonly Described[] {
  const source = formatEndpoint(fields.text('SourceIp'), fields.text('SourcePort'));
  const destination = formatEndpoint(fields.text('DestinationIp'), fields.text('DestinationPort'));
  const incoming = fields.text('Initiated') === 'false';
  const [remote, local] = incoming ? [source, destination] : [destination, source];
  if (remote === undefined) return [];
  return [new Described(remote.toLowerCase(), 'flow', { name: remote, local: local ?? '' })];
}

/** All anonymous pipes share their name, so each process has its own. */
function pipeOf(name: string, record: Named): readonly Described[] {
  if (name === '') return [];
  const owner = name.toLowerCase() === ANONYMOUS_PIPE ? (processOf('process', record)?.id ?? '') : '';
  return [new Described(`pipe:${idOf(name, record.naming)}${owner}`, 'pipe', { name })];
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
    : [new Described(`wmi:${part}:${name.toLowerCase()}`, 'other', { kind: `wmi ${part}`, name })];
}

/** The fields of a rule, for each rule: they mean different things in others. */
const OF_WMI = new Map<ObjectRule, FieldGroup>();

function groupOfWmi(rule: ObjectRule & { type: 'wmi' }): FieldGroup {
  let group = OF_WMI.get(rule);
  if (group === undefined) {
    group = fieldGroup(...[rule.consumer, rule.filter].filter((field) => field !== undefined));
    OF_WMI.set(rule, group);
  }
  return group;
}

function named(fields: Fields, field: DataField): string[] {
  const text = fields.text(field);
  return text === '' ? [] : [text];
}

function idOf(name: string, naming: Naming): string {
  if (naming === 'linux') return name;
  let id = LOWERED.get(name);
  if (id === undefined) {
    if (LOWERED.size === MAX_KEPT) LOWERED.clear();
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

/** Returns the group of fields for each naming and case. The same case always gives the same fields. */
function groupsOfNamings<K extends string>(
  fieldsOf: (of: K) => readonly Field[],
): (naming: Naming, of: K) => FieldGroup {
  const groups: Record<Naming, Map<K, FieldGroup>> = { windows: new Map(), linux: new Map() };
  return (naming, of) => {
    let group = groups[naming].get(of);
    if (group === undefined) {
      group = fieldGroup(...fieldsOf(of));
      groups[naming].set(of, group);
    }
    return group;
  };
}
