import { singularOf } from '../../detect/evidence/entity-words.js';
import type { EntityType } from '../../ingest/event.js';

/** The name of an entity, or a substitute for a missing one. */
export function entityName(entity: {
  readonly name: string | null | undefined;
  readonly type: EntityType;
}): string {
  return entity.name ?? `unnamed ${singularOf(entity.type)}`;
}
