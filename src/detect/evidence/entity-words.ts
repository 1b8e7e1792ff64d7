import type { EntityType } from '../../ingest/event.js';

const WORDS: Readonly<Record<EntityType, readonly [singular: string, plural: string]>> = {
  process: ['process', 'processes'],
  file: ['file', 'files'],
  flow: ['network flow', 'network flows'],
  pipe: ['pipe', 'pipes'],
  memory: ['memory region', 'memory regions'],
  registry: ['registry key', 'registry keys'],
  principal: ['user', 'users'],
  module: ['module', 'modules'],
  srcsink: ['device', 'devices'],
  other: ['other entity', 'other entities'],
};

export function singularOf(type: EntityType): string {
  return WORDS[type][0];
}

export function pluralOf(type: EntityType): string {
  return WORDS[type][1];
}
