import type { EntityType } from '../event.js';

/**
 * The record kinds of CDM18 and CDM20 that define entities, with the entity type. The reader handles `Event` and `Host`;
 * it skips and counts all other kinds (markers, UnitDependency, provenance tags). The table has no prototype, because
 * the kind comes from the log and may be `constructor`.
 */
export const ENTITY_KINDS: Readonly<Record<string, EntityType>> = Object.assign(Object.create(null), {
  Subject: 'process',
  FileObject: 'file',
  NetFlowObject: 'flow',
  PacketSocketObject: 'flow',
  UnnamedPipeObject: 'pipe',
  IpcObject: 'pipe',
  MemoryObject: 'memory',
  RegistryKeyObject: 'registry',
  SrcSinkObject: 'srcsink',
  Principal: 'principal',
  UnknownProvenanceNode: 'other',
} satisfies Record<string, EntityType>);
