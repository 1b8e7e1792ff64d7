import { type SimEntity, TYPE_OF_KIND } from './kernel/entities.js';

/** `core`: the attacker created or controlled the entity. `touched`: it existed before and the attack changed or used it. */
export type Tier = 'core' | 'touched';

export interface Label {
  readonly entity: SimEntity;
  readonly attack: string;
  readonly tier: Tier;
  readonly reason: string;
}

/** An entity of benign work that does not occur before the test, which a detector may mistake for an attack. */
interface UnusualEntity {
  readonly uuid: string;
  readonly type: string;
  readonly activity: string;
  readonly entity: SimEntity;
}

/** Collects the labels of a host while it runs. */
export class LabelCollector {
  private readonly labels = new Map<string, Label>();
  private readonly scans: string[] = [];
  private readonly unusual: UnusualEntity[] = [];

  add(entity: SimEntity, attack: string, tier: Tier, reason: string): void {
    // The first label of a tier stays, and core replaces touched.
    const earlier = this.labels.get(entity.uuid);
    if (earlier && (earlier.tier === 'core' || tier === 'touched')) return;
    this.labels.set(entity.uuid, { entity, attack, tier, reason });
  }

  /** Adds a flow of a port scan. Scans are listed separately, because they have thousands of flows. */
  addScan(entity: SimEntity): void {
    this.scans.push(entity.uuid);
  }

  addUnusual(entity: SimEntity, activity: string): void {
    this.unusual.push({ uuid: entity.uuid, type: TYPE_OF_KIND[entity.kind], activity, entity });
  }

  /** The labels of entities that have events. */
  get seen(): Label[] {
    return [...this.labels.values()].filter((label) => label.entity.firstSeenIn >= 0);
  }

  get scanFlows(): number {
    return this.scans.length;
  }

  csv(): string {
    const rows = this.seen.map(({ entity, attack, tier, reason }) =>
      [entity.uuid, TYPE_OF_KIND[entity.kind], entity.name, attack, tier, reason].map(cell).join(','),
    );
    return `uuid,type,name,attack,tier,reason\n${rows.map((row) => `${row}\n`).join('')}`;
  }

  /** The ids of both tiers, one per line. */
  text(): string {
    return this.seen.map(({ entity }) => `${entity.uuid}\n`).join('');
  }

  /** The ids of both tiers and of all scan flows, as in ThreaTrace's lists. */
  scanText(): string {
    return this.text() + this.scans.map((uuid) => `${uuid}\n`).join('');
  }

  unusualCsv(): string {
    const rows = this.unusual
      .filter(({ entity }) => entity.firstSeenIn >= 0)
      .map(({ uuid, type, activity, entity }) => [uuid, type, entity.name, activity].map(cell).join(','));
    return `uuid,type,name,activity\n${rows.map((row) => `${row}\n`).join('')}`;
  }
}

/** A cell by RFC 4180, with a leading apostrophe if a spreadsheet would read it as a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
