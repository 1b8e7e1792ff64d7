import type { Collector } from './collectors/collector.js';
import { type SimEntity, TYPE_OF_KIND } from './kernel/entities.js';

/** `core`: the attacker created or controlled the entity. `touched`: it existed before and the attack changed or used it. */
export type Tier = 'core' | 'touched';

interface Label {
  readonly entity: SimEntity;
  readonly attack: string;
  readonly tier: Tier;
  readonly reason: string;
}

/** An entity of benign work that does not occur before the test, which a detector may mistake for an attack. */
interface UnusualEntity {
  readonly activity: string;
  readonly entity: SimEntity;
}

/** Collects the labels of a host while it runs. */
export class LabelCollector {
  private readonly labels = new Map<string, Label>();
  private readonly scans: SimEntity[] = [];
  private readonly unusual: UnusualEntity[] = [];

  /** With a collector, entities have the natural keys of its log instead of UUIDs. */
  constructor(private readonly collector?: Collector) {}

  add(entity: SimEntity, attack: string, tier: Tier, reason: string): void {
    // The first label of a tier stays, and core replaces touched.
    const earlier = this.labels.get(entity.uuid);
    if (earlier && (earlier.tier === 'core' || tier === 'touched')) return;
    this.labels.set(entity.uuid, { entity, attack, tier, reason });
  }

  /** Adds a flow of a port scan. Scans are listed separately, because they have thousands of flows. */
  addScan(entity: SimEntity): void {
    this.scans.push(entity);
  }

  addUnusual(entity: SimEntity, activity: string): void {
    this.unusual.push({ activity, entity });
  }

  /** The labels of entities that the log names. */
  get seen(): Label[] {
    return [...this.labels.values()].filter(({ entity }) => isSeen(entity));
  }

  /** Labelled entities that the log does not name: its format cannot express them. */
  get unseen(): number {
    return this.labels.size - this.seen.length;
  }

  /** True if keys are those of the log's own format, which are unique on one host only. */
  get hasNaturalKeys(): boolean {
    return this.collector !== undefined;
  }

  get scanFlows(): number {
    return this.scans.length;
  }

  csv(): string {
    const rows = this.keyed(this.seen, ({ attack, tier, reason }) => [attack, tier, reason]);
    return `${this.keyColumn},type,name,attack,tier,reason\n${rows}`;
  }

  /** The ids of both tiers, one per line. */
  text(): string {
    return lines(this.seen.flatMap(({ entity }) => this.keysOf(entity)));
  }

  /** The ids of both tiers and of all scan flows, as in ThreaTrace's lists. */
  scanText(): string {
    const scans = this.scans.filter((entity) => this.collector === undefined || isSeen(entity));
    return lines(
      [...this.seen.map(({ entity }) => entity), ...scans].flatMap((entity) => this.keysOf(entity)),
    );
  }

  unusualCsv(): string {
    const rows = this.keyed(
      this.unusual.filter(({ entity }) => isSeen(entity)),
      ({ activity }) => [activity],
    );
    return `${this.keyColumn},type,name,activity\n${rows}`;
  }

  private get keyColumn(): string {
    return this.hasNaturalKeys ? 'key' : 'uuid';
  }

  private keysOf(entity: SimEntity): readonly string[] {
    return this.collector === undefined ? [entity.uuid] : this.collector.keysOf(entity);
  }

  /** One row for each key. Several entities can have one key, such as connections to one address; the first stays. */
  private keyed<T extends { readonly entity: SimEntity }>(
    items: readonly T[],
    cells: (item: T) => string[],
  ): string {
    const known = new Set<string>();
    let rows = '';
    for (const item of items) {
      const { kind, name } = item.entity;
      for (const key of this.keysOf(item.entity)) {
        if (known.has(key)) continue;
        known.add(key);
        rows += `${[key, TYPE_OF_KIND[kind], name, ...cells(item)].map(cell).join(',')}\n`;
      }
    }
    return rows;
  }
}

function isSeen(entity: SimEntity): boolean {
  return entity.firstSeenIn >= 0;
}

function lines(keys: readonly string[]): string {
  return [...new Set(keys)].map((key) => `${key}\n`).join('');
}

/** A cell by RFC 4180, with a leading apostrophe if a spreadsheet would read it as a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
