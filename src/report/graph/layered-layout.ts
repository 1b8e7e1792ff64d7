/** The properties of a node that decide its place. */
export interface LayoutNode {
  readonly id: string;
  readonly process: boolean;
  /** The process that started this one. */
  readonly parent?: string;
}

export interface LayoutLink {
  readonly from: string;
  readonly to: string;
}

/** A place in the grid: layers from left to right, rows from top to bottom. Rows may be fractional. */
export interface GridPlace {
  readonly layer: number;
  readonly row: number;
}

export interface Layout {
  readonly places: ReadonlyMap<string, GridPlace>;
  /** For each link, its places in the layers between its ends, in its direction. */
  readonly routes: readonly (readonly GridPlace[])[];
}

/** A node, or the place where a link crosses a layer. */
interface Stop {
  readonly layer: number;
  readonly size: number;
  readonly joined: Stop[];
  row: number;
}

const SWEEPS = 8;
const NODE_SIZE = 1;
const PASS_SIZE = 0.6;

/**
 * Lays out a small provenance graph. Processes follow the order of their tree. Inputs of a process come before it and
 * outputs after it, so that most arrows point right. A long link gets its own lane past the nodes between its ends. The
 * result depends only on the order of the input.
 */
export function layeredLayout(nodes: readonly LayoutNode[], links: readonly LayoutLink[]): Layout {
  const layers = compact(assignLayers(nodes, links));
  const columns: Stop[][] = Array.from({ length: Math.max(0, ...layers.values()) + 1 }, () => []);
  const add = (layer: number, size: number): Stop => {
    const stop = { layer, size, joined: [], row: 0 };
    columns[layer].push(stop);
    return stop;
  };
  const stops = new Map(nodes.map((node) => [node.id, add(layers.get(node.id) as number, NODE_SIZE)]));
  const passes = links.map((link) => {
    const from = stops.get(link.from) as Stop;
    const to = stops.get(link.to) as Stop;
    const step = Math.sign(to.layer - from.layer);
    const between: Stop[] = [];
    for (let layer = from.layer + step; step !== 0 && layer !== to.layer; layer += step)
      between.push(add(layer, PASS_SIZE));
    const chain = [from, ...between, to];
    for (let i = 1; i < chain.length; i++) {
      if (chain[i] === chain[i - 1]) continue;
      chain[i].joined.push(chain[i - 1]);
      chain[i - 1].joined.push(chain[i]);
    }
    return between;
  });

  for (const column of columns)
    for (const [i, stop] of column.entries()) stop.row = i - (column.length - 1) / 2;
  // Barycentre method, in alternating directions: each column follows the rows of its neighbours.
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) settle(column);
  }
  const top = Math.min(0, ...columns.flat().map((stop) => stop.row));
  const placeOf = (stop: Stop): GridPlace => ({ layer: stop.layer, row: stop.row - top });
  return {
    places: new Map(nodes.map((node) => [node.id, placeOf(stops.get(node.id) as Stop)])),
    routes: passes.map((between) => between.map(placeOf)),
  };
}

function assignLayers(nodes: readonly LayoutNode[], links: readonly LayoutLink[]): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const layers = new Map<string, number>();
  for (const node of nodes) {
    if (!node.process) continue;
    // In a forged log two processes may have started each other: stop before a repetition.
    const path = new Set<string>([node.id]);
    let at = node.parent === undefined ? undefined : byId.get(node.parent);
    while (at !== undefined && !path.has(at.id)) {
      path.add(at.id);
      at = at.parent === undefined ? undefined : byId.get(at.parent);
    }
    // Processes are in even layers, everything else in odd ones.
    layers.set(node.id, 2 * (path.size - 1));
  }
  const processLayer = (id: string): number[] =>
    byId.get(id)?.process === true ? [layers.get(id) as number] : [];
  for (const node of nodes) {
    if (node.process) continue;
    const writers = links.flatMap((link) => (link.to === node.id ? processLayer(link.from) : []));
    const readers = links.flatMap((link) => (link.from === node.id ? processLayer(link.to) : []));
    if (writers.length > 0) layers.set(node.id, Math.min(...writers) + 1);
    else if (readers.length > 0) layers.set(node.id, Math.min(...readers) - 1);
    else layers.set(node.id, 1);
  }
  return layers;
}

/** Numbers the layers in use from 0. */
function compact(layers: ReadonlyMap<string, number>): Map<string, number> {
  const used = [...new Set(layers.values())].sort((a, b) => a - b);
  return new Map([...layers].map(([id, layer]) => [id, used.indexOf(layer)]));
}

/**
 * Sorts a column by the mean row of each stop's neighbours, then puts each stop as close to that row as the sizes allow.
 * Least squares under a fixed order is isotonic regression, solved by pooling stops that collide.
 */
function settle(column: Stop[]): void {
  const target = new Map(column.map((stop) => [stop, meanRow(stop)]));
  const order = new Map(column.map((stop, i) => [stop, i]));
  column.sort((a, b) => num(target, a) - num(target, b) || num(order, a) - num(order, b));
  const offsets: number[] = [];
  const pools: { sum: number; count: number }[] = [];
  for (const [i, stop] of column.entries()) {
    offsets.push(i === 0 ? 0 : offsets[i - 1] + (column[i - 1].size + stop.size) / 2);
    pools.push({ sum: num(target, stop) - offsets[i], count: 1 });
    while (pools.length > 1 && mean(pools[pools.length - 1]) < mean(pools[pools.length - 2])) {
      const last = pools.pop() as { sum: number; count: number };
      pools[pools.length - 1].sum += last.sum;
      pools[pools.length - 1].count += last.count;
    }
  }
  let i = 0;
  for (const pool of pools) {
    for (let k = 0; k < pool.count; k++, i++) column[i].row = mean(pool) + offsets[i];
  }
}

function meanRow(stop: Stop): number {
  const others = stop.joined.filter((other) => other.layer !== stop.layer);
  return others.length === 0 ? stop.row : others.reduce((sum, other) => sum + other.row, 0) / others.length;
}

const num = (map: ReadonlyMap<Stop, number>, stop: Stop): number => map.get(stop) as number;
const mean = (pool: { sum: number; count: number }): number => pool.sum / pool.count;
