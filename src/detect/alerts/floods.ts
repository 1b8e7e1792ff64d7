/** The best incidents of a flood stay as they are. */
const SHOWN = 3;

/** Incidents by rank, of which floods are folded. */
export interface FoldedFloods<Item> {
  readonly ranked: readonly Item[];
  /** For each flood: the item that stands for it, and the items folded into it. */
  readonly floods: ReadonlyMap<Item, readonly Item[]>;
  /** The items of `ranked` whose kind floods. */
  readonly loud: ReadonlySet<Item>;
}

/**
 * Folds floods: of more than `most` incidents of one kind the best few stay, and one that stands for all others follows at the place
 * of the best of them. Other incidents keep their order and move up, so that noise cannot push them off a list.
 */
export function foldFloods<Item>(
  ranked: readonly Item[],
  kindOf: (item: Item) => string,
  { most, fold }: { readonly most: number; readonly fold: (items: readonly Item[]) => Item },
): FoldedFloods<Item> {
  const kinds = new Map<string, Item[]>();
  const kindAt = ranked.map((item) => {
    const kind = kindOf(item);
    const others = kinds.get(kind);
    if (others === undefined) kinds.set(kind, [item]);
    else others.push(item);
    return kind;
  });
  const floods = new Map<Item, readonly Item[]>();
  const loud = new Set<Item>();
  const seen = new Map<string, number>();
  const kept = ranked.flatMap((item, i) => {
    const members = kinds.get(kindAt[i]) as Item[];
    if (members.length <= most) return [item];
    const before = seen.get(kindAt[i]) ?? 0;
    seen.set(kindAt[i], before + 1);
    if (before < SHOWN) {
      loud.add(item);
      return [item];
    }
    if (before > SHOWN) return [];
    const folded = members.slice(SHOWN);
    const flood = fold(folded);
    floods.set(flood, folded);
    loud.add(flood);
    return [flood];
  });
  return { ranked: floods.size === 0 ? ranked : kept, floods, loud };
}
