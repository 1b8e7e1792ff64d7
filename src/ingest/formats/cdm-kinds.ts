import type { EntityType } from '../event.js';

/**
 * The record kinds of CDM18 and CDM20 that define an entity, and what each is to us. `Event` and `Host` are handled
 * by the reader; every other kind (markers, UnitDependency, provenance tags) makes no node and is counted as skipped.
 * No prototype, because the kind is the log's word: `constructor` is no kind of record.
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
