import { createHash } from 'node:crypto';
import { safeJson } from '../../../base/safe-json.js';
import type { Notification, NotificationEntity } from '../notification.js';
import type { Shape } from '../shape.js';

/** The namespace that STIX 2.1 defines for deterministic ids of observables. */
const NAMESPACE = '00abedb4-aa42-466c-9c01-fed23315a9b7';

interface StixObject {
  readonly type: string;
  readonly id: string;
  readonly [property: string]: unknown;
}

/** A STIX 2.1 bundle: the observed processes, files and connections, and a report about them. */
export const stix: Shape = {
  name: 'stix',
  title: 'STIX 2.1 bundle',
  contentType: 'application/stix+json;version=2.1',
  message: (notification) => safeJson(bundle(notification)),
};

function bundle(notification: Notification): unknown {
  const observables = new Map<string, StixObject>();
  for (const entity of notification.entities) {
    for (const object of observablesOf(entity)) observables.set(object.id, object);
  }
  const seen = {
    first_observed: iso(notification.first),
    last_observed: iso(notification.last),
    number_observed: 1,
  };
  const made = { spec_version: '2.1', created: iso(notification.first), modified: iso(notification.last) };
  const identity: StixObject = {
    ...made,
    type: 'identity',
    id: `identity--${uuid5('identity', 'RECAL')}`,
    created: '2025-01-01T00:00:00.000Z',
    modified: '2025-01-01T00:00:00.000Z',
    name: 'RECAL',
    identity_class: 'system',
  };
  const observed: StixObject = {
    ...made,
    ...seen,
    type: 'observed-data',
    id: `observed-data--${uuid5('observed-data', notification.id)}`,
    created_by_ref: identity.id,
    object_refs: [...observables.keys()],
  };
  const grouping: StixObject = {
    ...made,
    type: 'grouping',
    id: `grouping--${uuid5('grouping', notification.id)}`,
    created_by_ref: identity.id,
    name: notification.title,
    description: notification.sentence,
    context: 'suspicious-activity',
    object_refs: observables.size === 0 ? [identity.id] : [observed.id, ...observables.keys()],
  };
  const objects =
    observables.size === 0 ? [identity, grouping] : [identity, ...observables.values(), observed, grouping];
  return {
    type: 'bundle',
    id: `bundle--${uuid5('bundle', `${notification.id}.${notification.revision}`)}`,
    objects,
  };
}

function observablesOf({ type, name, id, pid, cmd }: NotificationEntity): StixObject[] {
  const label = name ?? id;
  if (type === 'process') {
    // The specification gives processes random ids; ours depend on the log's own id, so a case exported twice is the same.
    const image = file(label);
    const process: StixObject = {
      type: 'process',
      spec_version: '2.1',
      id: `process--${uuid5('process', id)}`,
      ...(pid !== null && { pid }),
      command_line: cmd ?? label,
      image_ref: image.id,
    };
    return [image, process];
  }
  if (type === 'file' || type === 'module') return [file(label)];
  if (type !== 'flow') return [];
  const match = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(label);
  const value = match?.[1] ?? label;
  const kind = value.includes(':') ? 'ipv6-addr' : 'ipv4-addr';
  const isAddress = /^[0-9a-fA-F.:]+$/.test(value);
  const address: StixObject = isAddress
    ? { type: kind, spec_version: '2.1', id: `${kind}--${uuid5(kind, JSON.stringify({ value }))}`, value }
    : {
        type: 'domain-name',
        spec_version: '2.1',
        id: `domain-name--${uuid5('domain-name', JSON.stringify({ value }))}`,
        value,
      };
  const traffic: StixObject = {
    type: 'network-traffic',
    spec_version: '2.1',
    id: `network-traffic--${uuid5('network-traffic', label)}`,
    dst_ref: address.id,
    ...(match !== null && { dst_port: Number(match[2]) }),
    protocols: ['tcp'],
  };
  return [address, traffic];
}

function file(path: string): StixObject {
  const name = path.split(/[\\/]/).at(-1) || path;
  return { type: 'file', spec_version: '2.1', id: `file--${uuid5('file', path)}`, name };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** A version 5 UUID. */
function uuid5(kind: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(`${kind}:${name}`)
    .digest();
  digest[6] = (digest[6] & 0x0f) | 0x50;
  digest[8] = (digest[8] & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
