import { type Process, type SimEntity, TYPE_OF_KIND } from '../kernel/entities.js';
import type { Dialect, HostIdentity } from './dialect.js';

/** recal NDJSON: events describe their own entities and have the relation names of the simulated performer. */
export function ndjson(host: HostIdentity, performer: Dialect): Dialect {
  const kinds = new Map<SimEntity['kind'], string>();
  const start = `","seq":`;
  const afterSequence = `,"host":"${host.uuid}","rel":"`;

  /** The kind in the performer's own record. */
  function kindOf(entity: SimEntity): string {
    let kind = kinds.get(entity.kind);
    if (kind === undefined) {
      const record = performer.entity(entity);
      kind =
        /"type":"((?:FILE_OBJECT|SUBJECT|SRCSINK)_[A-Z_]+)"/.exec(record?.line ?? '')?.[1] ??
        record?.record ??
        '';
      kinds.set(entity.kind, kind);
    }
    return kind;
  }

  function describe(entity: SimEntity): string {
    let text = `{"id":"${entity.uuid}","type":"${TYPE_OF_KIND[entity.kind]}","kind":"${kindOf(entity)}"`;
    if (entity.name !== '') text += `,"name":"${entity.name}"`;
    if (entity.kind === 'process') {
      const { commandLine, pid, parent } = entity as Process;
      if (commandLine !== '') text += `,"cmd":${JSON.stringify(commandLine)}`;
      text += `,"pid":${pid}`;
      if (parent !== undefined) text += `,"parent":"${parent.uuid}"`;
    }
    return `${text}}`;
  }

  function text(entity: SimEntity): string {
    if (entity.text === '') entity.text = describe(entity);
    return entity.text;
  }

  return {
    relations: performer.relations,
    resolution: performer.resolution,
    opening: () => [],
    user: () => undefined,
    entity: () => undefined,
    event(e) {
      let line = `{"ts":"${e.time}${start}${e.sequence}${afterSequence}${e.relation}"`;
      if (e.subject !== undefined) line += `,"subj":${text(e.subject)}`;
      if (e.object !== undefined) line += `,"obj":${text(e.object)}`;
      if (e.object2 !== undefined) line += `,"obj2":${text(e.object2)}`;
      if (e.call === 'openForWriting' || e.call === 'create') line += ',"flow":"out"';
      return e.size < 0 ? `${line}}\n` : `${line},"attrs":{"size":${e.size}}}\n`;
    },
  };
}
