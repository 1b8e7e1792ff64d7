import { nameTemplate } from '../../../features/name-template.js';
import type { EntityType } from '../../../ingest/event.js';

/** The kinds of behaviour, from coarse to fine. */
export const BEHAVIOUR_KINDS = ['rel', 'process', 'net', 'port', 'dir', 'ext', 'name'] as const;
export type BehaviourKind = (typeof BEHAVIOUR_KINDS)[number];

/** What an event says about the program of its subject. */
export interface Behaviour {
  readonly kind: BehaviourKind;
  /** Tells behaviours of one kind apart. */
  readonly what: readonly (string | number)[];
}

const ADDRESS = /^\[?([0-9a-fA-F.:]+?)\]?:(\d+)\n?$/;
/** Ports from here on are chosen by the system, so they are one behaviour. */
const FIRST_HIGH_PORT = 10_000;
const DIRECTORY_LEVELS = 4;
const PATHS: ReadonlySet<EntityType> = new Set<EntityType>(['file', 'module', 'registry', 'pipe']);

/** The behaviours of an event with this relation, towards an object of this type and name. */
export function behavioursOf(relation: string, type: EntityType, name: string): Behaviour[] {
  const found: Behaviour[] = [{ kind: 'rel', what: [relation, type] }];
  if (type === 'process') found.push({ kind: 'process', what: [relation, nameTemplate(name)] });
  else if (type === 'flow') {
    const { net, port } = splitAddress(name);
    found.push({ kind: 'net', what: [relation, net] }, { kind: 'port', what: [relation, port] });
  } else if (PATHS.has(type)) {
    const template = nameTemplate(name);
    const parts = template.split('/');
    const base = parts[parts.length - 1];
    const directory = parts.slice(0, -1).slice(0, DIRECTORY_LEVELS).join('/');
    const dot = base.lastIndexOf('.');
    found.push(
      { kind: 'dir', what: [relation, type, directory] },
      { kind: 'ext', what: [relation, type, dot < 0 ? '' : base.slice(dot + 1)] },
      { kind: 'name', what: [relation, type, template] },
    );
  }
  return found;
}

/** The network of an address (two octets, or three groups of IPv6) and its port. */
function splitAddress(name: string): { net: string; port: string | number } {
  const match = ADDRESS.exec(name);
  if (match === null) return { net: name, port: '' };
  const [, address, digits] = match;
  const port = Number(digits);
  return {
    net: address.includes('.')
      ? address.split('.').slice(0, 2).join('.')
      : address.split(':').slice(0, 3).join(':'),
    port: port < FIRST_HIGH_PORT ? port : 'high',
  };
}
