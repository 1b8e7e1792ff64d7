import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The fields of recal NDJSON that the baseline uses. */
interface Line {
  rel: string;
  subj?: { id: string; type: string; name?: string };
  obj?: { id: string; type: string; name?: string };
  obj2?: { id: string; type: string; name?: string };
}

export interface RareNode {
  id: string;
  type: string;
  name: string;
  /** Share of its distinct triples that are not in train or calibrate. */
  share: number;
  /** Number of these triples, which breaks ties. */
  unseen: number;
}

/** The object-name prefix of method §10: the first four components, digits replaced by `#`. */
function prefixOf(name: string): string {
  return name
    .split('/')
    .filter((part) => part !== '')
    .slice(0, 4)
    .join('/')
    .replace(/\d+/g, '#');
}

/**
 * The `rarity` baseline of method §10 on recal NDJSON files: the share of a node's (program name, relation, object-name
 * prefix) triples that are new. The rarest node is first.
 */
export async function rarity(before: readonly string[], test: string): Promise<RareNode[]> {
  const seen = new Set<string>();
  for (const file of before) {
    for await (const line of lines(file)) for (const [, triple] of triplesOf(line)) seen.add(triple);
  }
  const nodes = new Map<string, { type: string; name: string; triples: Set<string> }>();
  for await (const line of lines(test)) {
    for (const [object, triple] of triplesOf(line)) {
      for (const entity of [line.subj, object]) {
        if (!entity) continue;
        let node = nodes.get(entity.id);
        if (!node) {
          node = { type: entity.type, name: '', triples: new Set() };
          nodes.set(entity.id, node);
        }
        node.name = entity.name ?? node.name;
        node.triples.add(triple);
      }
    }
  }
  const ranked: RareNode[] = [];
  for (const [id, { type, name, triples }] of nodes) {
    let unseen = 0;
    for (const triple of triples) if (!seen.has(triple)) unseen++;
    ranked.push({ id, type, name, share: unseen / triples.size, unseen });
  }
  return ranked.sort((a, b) => b.share - a.share || b.unseen - a.unseen || (a.id < b.id ? -1 : 1));
}

function triplesOf(line: Line): [object: Line['obj'], triple: string][] {
  const program = line.subj?.name ?? '';
  return [line.obj, line.obj2]
    .filter((object) => object !== undefined)
    .map((object) => [object, `${program}\t${line.rel}\t${prefixOf(object?.name ?? '')}`]);
}

async function* lines(file: string): AsyncGenerator<Line> {
  for await (const text of createInterface({ input: createReadStream(file) })) yield JSON.parse(text) as Line;
}

/** Probability that a positive ranks above a negative; equal scores count half. */
export function auroc(nodes: readonly RareNode[], isPositive: (node: RareNode) => boolean): number {
  let positives = 0;
  let below = 0;
  let wins = 0;
  // From the least rare node upwards, one group of equal scores at a time.
  for (let end = nodes.length; end > 0; ) {
    const last = nodes[end - 1] as RareNode;
    let start = end;
    let groupPositives = 0;
    while (start > 0 && sameScore(nodes[start - 1] as RareNode, last)) {
      start--;
      if (isPositive(nodes[start] as RareNode)) groupPositives++;
    }
    const groupNegatives = end - start - groupPositives;
    wins += groupPositives * (below + groupNegatives / 2);
    positives += groupPositives;
    below += groupNegatives;
    end = start;
  }
  return positives === 0 || below === 0 ? Number.NaN : wins / (positives * below);
}

function sameScore(a: RareNode, b: RareNode): boolean {
  return a.share === b.share && a.unseen === b.unseen;
}
