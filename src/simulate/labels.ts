import { type SimEntity, TYPE_OF_KIND } from './kernel/entities.js';

/** `core`: the attacker made or controlled it. `touched`: it was there before, and the attack changed or used it. */
export type Tier = 'core' | 'touched';

export interface Label {
  readonly entity: SimEntity;
  readonly attack: string;
  readonly tier: Tier;
  readonly reason: string;
}

/** A benign thing that nobody had done before: what a detector is most likely to mistake for an attack. */
export interface Unusual {
  readonly uuid: string;
  readonly type: string;
  readonly activity: string;
  readonly entity: SimEntity;
}

/** Collects who is who while the world runs. */
export class LabelBook {
  private readonly labels = new Map<string, Label>();
  private readonly scans: string[] = [];
  private readonly unusual: Unusual[] = [];

  add(entity: SimEntity, attack: string, tier: Tier, reason: string): void {
    // The first reason stands: an entity labelled core stays core.
    const earlier = this.labels.get(entity.uuid);
    if (earlier && (earlier.tier === 'core' || tier === 'touched')) return;
    this.labels.set(entity.uuid, { entity, attack, tier, reason });
  }

  /** A flow of a port scan: attack activity, but thousands of them say no more than one. */
  addScan(entity: SimEntity): void {
    this.scans.push(entity.uuid);
  }

  addUnusual(entity: SimEntity, activity: string): void {
    this.unusual.push({ uuid: entity.uuid, type: TYPE_OF_KIND[entity.kind], activity, entity });
  }

  /** Labels of entities that the log really holds. */
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

  /** Both tiers, one identifier a line. */
  text(): string {
    return this.seen.map(({ entity }) => `${entity.uuid}\n`).join('');
  }

  /** In the style of ThreaTrace: the same, and every flow of every scan. */
  scanText(): string {
    return this.text() + this.scans.map((uuid) => `${uuid}\n`).join('');
  }

  /** Benign but unusual entities, so that scoring can look at them apart. */
  unusualCsv(): string {
    const rows = this.unusual
      .filter(({ entity }) => entity.firstSeenIn >= 0)
      .map(({ uuid, type, activity, entity }) => [uuid, type, entity.name, activity].map(cell).join(','));
    return `uuid,type,name,activity\n${rows.map((row) => `${row}\n`).join('')}`;
  }
}

/** RFC 4180, and a leading apostrophe where a spreadsheet would take the text for a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
