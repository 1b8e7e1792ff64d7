import { EntityKey } from '../entity-key.js';
import { type EntityType, TYPE_NUMBERS } from '../event.js';

/** An entity as the state knows it. `generation` and `upsert` tell where the current batch describes it. */
export class EntityRecord {
  readonly key = new EntityKey();
  generation = 0;
  upsert = -1;
  /** The text of `id` and `name` on the tape of a batch. */
  textGeneration = 0;
  text = 0;
  id: string;
  readonly type: EntityType;
  /** The number of the type in a batch. */
  readonly typeNumber: number;
  kind: string | undefined;
  name: string | undefined;
  /** The local address of a flow. */
  local: string | undefined;

  constructor(type: EntityType, id: string) {
    this.type = type;
    this.typeNumber = TYPE_NUMBERS.get(type) as number;
    this.id = id;
  }

  /** Sets the key from the identifier. */
  static of(type: EntityType, id: string, kind?: string, name = id): EntityRecord {
    const record = new EntityRecord(type, id);
    record.key.fromText(id);
    record.kind = kind;
    record.name = name;
    return record;
  }

  /** Makes the next event with the entity describe it again. */
  changed(): void {
    this.generation = 0;
  }
}
