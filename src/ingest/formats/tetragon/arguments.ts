import { formatEndpoint } from '../network.js';
import type { Described } from '../records/event-rows.js';
import type { FunctionMeaning } from './functions.js';

type Fields = Readonly<Record<string, unknown>>;

/** The arguments of a probe, by what they can tell. */
export interface ProbeArguments {
  paths: string[];
  texts: string[];
  numbers: number[];
  sockets: Fields[];
  modules: string[];
  users: string[];
}

/** More arguments than a probe can have. */
const MOST_ARGUMENTS = 32;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a text or number as text. 64-bit integers are written as strings. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** Sorts the arguments of a probe, whose text is a JSON array. Redacted and unknown ones are left out. */
export function readArguments(...jsons: readonly string[]): ProbeArguments {
  const found: ProbeArguments = { paths: [], texts: [], numbers: [], sockets: [], modules: [], users: [] };
  for (const json of jsons) {
    if (json === '') continue;
    const value: unknown = JSON.parse(json);
    const list = Array.isArray(value) ? value : [value];
    for (const item of list.slice(0, MOST_ARGUMENTS)) if (isFields(item)) takeArgument(item, found);
  }
  return found;
}

function takeArgument(argument: Fields, found: ProbeArguments): void {
  for (const [kind, value] of Object.entries(argument)) {
    switch (kind) {
      case 'file_arg':
      case 'path_arg':
      case 'linux_binprm_arg':
      case 'dentry_arg':
        if (isFields(value) && textOf(value.path) !== '') found.paths.push(textOf(value.path));
        break;
      case 'string_arg':
        if (textOf(value) !== '') found.texts.push(textOf(value));
        break;
      case 'int_arg':
      case 'uint_arg':
      case 'long_arg':
      case 'ulong_arg':
      case 'size_arg':
        if (textOf(value) !== '') found.numbers.push(Number(textOf(value)));
        break;
      case 'sock_arg':
      case 'skb_arg':
      case 'sockaddr_arg':
        if (isFields(value)) found.sockets.push(value);
        break;
      case 'sockaddrun_arg':
        if (isFields(value) && textOf(value.path) !== '') found.paths.push(textOf(value.path));
        break;
      case 'module_arg':
        if (isFields(value) && textOf(value.name) !== '') found.modules.push(textOf(value.name));
        break;
      case 'bpf_attr_arg':
      case 'bpf_prog_arg': {
        const name = isFields(value) ? textOf(value.ProgName ?? value.name) : '';
        if (name !== '') found.modules.push(`bpf:${name}`);
        break;
      }
      case 'process_credentials_arg':
      case 'cred_arg': {
        const uid = isFields(value) ? textOf(value.euid ?? value.uid) : '';
        if (uid !== '') found.users.push(uid);
        break;
      }
    }
  }
}

/** Returns the objects of a call: none, one, or two if the call has two paths. */
export function objectsOf(meaning: FunctionMeaning, found: ProbeArguments): Described[] {
  switch (meaning.object) {
    case 'path': {
      if (found.paths.length === 0 && found.sockets.length > 0) return socketOf(found.sockets[0], 'remote');
      const paths = found.paths.length > 0 ? found.paths : found.texts;
      const two = meaning.action === 'rename' || meaning.action === 'link';
      return paths.slice(0, two ? 2 : 1).map(file);
    }
    case 'remote':
    case 'sender':
    case 'local':
      if (found.sockets.length > 0) return socketOf(found.sockets[0], meaning.object);
      return found.paths.slice(0, 1).map(file);
    case 'module': {
      const [name] = [...found.modules, ...found.texts];
      if (name !== undefined) return [{ id: `module:${name}`, type: 'module', name }];
      return found.paths.slice(0, 1).map(file);
    }
    case 'memory':
      return found.texts.slice(0, 1).map((name) => ({ id: `memfd:${name}`, type: 'memory', name }));
    case 'user': {
      const [user] = [...found.users, ...found.numbers.filter((id) => id >= 0).map(String)];
      return user === undefined ? [] : [{ id: `uid:${user}`, type: 'principal', name: `uid:${user}` }];
    }
    case 'none':
      return [];
  }
}

function file(path: string): Described {
  return { id: path, type: 'file', name: path };
}

/** Returns the flow of a socket, packet or address. A socket without a remote end is known by its local one. */
function socketOf(socket: Fields, end: 'remote' | 'sender' | 'local'): Described[] {
  const address = formatEndpoint(textOf(socket.addr), textOf(socket.port));
  const source = formatEndpoint(textOf(socket.saddr), textOf(socket.sport));
  const destination = formatEndpoint(textOf(socket.daddr), textOf(socket.dport));
  const [far, near] = end === 'sender' ? [source, destination] : [destination, source];
  const listening = end === 'local' || /^(?:0\.0\.0\.0|::)$/.test(textOf(socket.daddr));
  const name = address ?? (listening ? (near ?? far) : (far ?? near));
  if (name === undefined) return [];
  const kind = textOf(socket.protocol) || undefined;
  return [{ id: name, type: 'flow', kind, name, local: near === name ? undefined : near }];
}
