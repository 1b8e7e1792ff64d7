import type { Batch } from '../../batch.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import type { Shape, Slot } from '../../scan/shape.js';
import { SlotMemo } from '../../scan/slot-memo.js';
import { digitsOf, nanosecondsIn, TIME_UNITS } from '../../time.js';
import { JsonLinesReader } from '../json-lines.js';
import type { ReaderOptions } from '../reader.js';
import { type Described, Entity, EventRows } from './event-rows.js';
import { TimeReader } from './time-reader.js';

/** An entity that was made of some fields, and the corrections to count each time. */
export interface Made {
  readonly described: Entity | undefined;
  readonly repairs: readonly string[];
}

/** The base of readers of JSON lines whose records are whole events and whose identifiers are texts. */
export abstract class RecordsReader extends JsonLinesReader {
  protected override readonly eventKind = 'event';
  protected readonly rows = new EventRows();
  protected readonly times = new TimeReader();

  constructor(shape: Shape, memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  override read(block: Uint8Array, length: number, batch: Batch): void {
    this.rows.beginBlock();
    super.read(block, length, batch);
  }

  /** Keeps what is made of these fields, because records repeat them. */
  protected memo<T>(...slots: Slot[]): SlotMemo<T> {
    return new SlotMemo<T>(this.scan, slots);
  }

  /** The same for entities. Corrections that `make` notes in `repairs` count for every record. */
  protected entity(
    memo: SlotMemo<Made>,
    batch: Batch,
    make: (repairs: string[]) => Described | undefined,
  ): Described | undefined {
    const { described, repairs } = memo.of(() => {
      const noted: string[] = [];
      return { described: Entity.of(make(noted)), repairs: noted };
    });
    if (repairs.length > 0) for (const reason of repairs) batch.repair(reason);
    return described;
  }

  /** Returns the text of a field, or undefined if it has none. */
  protected optional(slot: Slot): string | undefined {
    const { scan } = this;
    return scan.has(slot) && !scan.isRaw(slot) ? scan.text(slot) : undefined;
  }

  /** Returns the JSON of an object or array, or an empty text. */
  protected json(slot: Slot): string {
    return this.scan.isRaw(slot) ? this.scan.text(slot) : '';
  }

  /** Returns a process number, or undefined if the field is no integer of 31 bits. */
  protected pid(slot: Slot): number | undefined {
    const { scan } = this;
    const fits = scan.isInteger(slot) && scan.word(slot, 1) === 0 && scan.word(slot, 0) <= 0x7fffffff;
    return fits ? scan.word(slot, 0) : undefined;
  }

  /** Returns an integer, or undefined. */
  protected integer(slot: Slot): bigint | undefined {
    const { scan } = this;
    if (!scan.isInteger(slot)) return undefined;
    return (BigInt(scan.word(slot, 1) | 0) << 32n) | BigInt(scan.word(slot, 0));
  }

  /** Returns a time in nanoseconds: RFC 3339, or an integer since 1970 whose length tells its unit. */
  protected time(slot: Slot): bigint | undefined {
    const { scan } = this;
    const number = this.integer(slot);
    if (number === undefined) {
      if (!scan.isString(slot)) return undefined;
      return scan.isPlain(slot)
        ? this.times.readBytes(scan.bytes, scan.start(slot), scan.stop(slot))
        : this.times.read(scan.freshText(slot));
    }
    const unit = TIME_UNITS.find((each) => digitsOf(each) === scan.digits(slot));
    return unit === undefined || number < 0n ? undefined : number * nanosecondsIn(unit);
  }
}
