import { join } from 'node:path';
import { EXIT, RecalError } from '../../base/errors.js';
import { isFolder } from '../../base/make-folder.js';
import { printable } from '../../base/printable.js';
import { type NodeText, readNodeText } from '../../features/node-text.js';
import type { Vocabulary } from '../../features/vocabulary.js';
import { type NodeNames, readNodeNames } from '../../graph/node-names.js';
import { expandInputs } from '../../ingest/sources/inputs.js';
import { ingestFiles } from '../../store/ingest.js';
import type { LocatedProblem } from '../../store/ingest-counters.js';
import { type LoadedEvents, loadEvents } from '../../store/load.js';
import type { StagingOptions } from '../../store/stage-files.js';
import { type Selection, Store } from '../../store/store.js';

export const PART_NAMES = ['train', 'calibrate', 'test'] as const;
export type PartName = (typeof PART_NAMES)[number];

/** Where a part is kept. */
export interface PartPlace {
  readonly folder: string;
  readonly selection: Selection;
}

export interface ReadPartsOptions extends StagingOptions {
  /** Where log files are read to. */
  readonly folder: string;
  /** Lines that could not be read. */
  readonly noticed?: ((read: { malformed: number; problems: readonly LocatedProblem[] }) => void) | undefined;
}

export interface PlacePartsOptions extends Omit<ReadPartsOptions, 'folder'> {
  /** Asked for once there is something to read; must be this run's alone. */
  folder(): Promise<string>;
}

/** Inputs as given: log files and globs, or a store (its split of the part's name, or `DIR#split`). */
export type PartInputs = Readonly<Record<PartName, readonly string[]>>;

/** Reads log files into a store of their own, one split a part; stores stay where they are, and need no folder. */
export async function placeParts(
  inputs: PartInputs,
  { folder, noticed, ...options }: PlacePartsOptions,
): Promise<Record<PartName, PartPlace>> {
  const places: Partial<Record<PartName, PartPlace>> = {};
  for (const name of PART_NAMES) {
    const given = inputs[name];
    const stored = given.length === 1 ? await storedPart(given[0], name) : undefined;
    if (stored !== undefined) {
      places[name] = stored;
      continue;
    }
    for (const each of given) if ((await storedPart(each, name)) !== undefined) throw mixed(name, each);
    const files = await expandInputs([...given]);
    const store = join(await folder(), 'store');
    const read = await ingestFiles(files, { ...options, store, split: name, append: true });
    noticed?.(read);
    places[name] = { folder: store, selection: { split: name } };
  }
  return places as Record<PartName, PartPlace>;
}

/** Undefined where the text is not about a store. */
async function storedPart(text: string, name: PartName): Promise<PartPlace | undefined> {
  if (await isFolder(text)) return { folder: text, selection: { split: name } };
  const hash = text.lastIndexOf('#');
  if (hash <= 0 || !(await isFolder(text.slice(0, hash)))) return undefined;
  return { folder: text.slice(0, hash), selection: { split: text.slice(hash + 1) } };
}

function mixed(name: PartName, store: string): RecalError {
  return new RecalError(
    'part-mixed',
    `--${name} takes log files or one store, and ${printable(store, 200)} is a store`,
    { hint: 'a part is one split of one store: ingest what belongs together first', exit: EXIT.usage },
  );
}

/** The events of a part and what their nodes are called, read once for all contestants and seeds. */
export class Part {
  readonly name: PartName;
  readonly store: Store;
  readonly selection: Selection;
  readonly events: LoadedEvents;
  readonly names: NodeNames;
  #text: { tokens: readonly string[]; text: NodeText } | undefined;

  private constructor(
    parts: Pick<Part, 'name' | 'store' | 'selection'>,
    events: LoadedEvents,
    names: NodeNames,
  ) {
    this.name = parts.name;
    this.store = parts.store;
    this.selection = parts.selection;
    this.events = events;
    this.names = names;
  }

  static async open(name: PartName, { folder, selection }: PartPlace): Promise<Part> {
    const store = await Store.open(folder);
    const events = await loadEvents(store, selection);
    if (events.table.length === 0) {
      throw new RecalError('nothing-selected', `the part ${name} has no events`, {
        hint: `is split ${printable(selection.split ?? '', 80)} of ${printable(folder, 200)} what you mean?`,
        exit: EXIT.usage,
      });
    }
    return new Part({ name, store, selection }, events, await readNodeNames(store, events));
  }

  get first(): bigint {
    return this.events.table.ts[0];
  }

  get last(): bigint {
    return this.events.table.ts[this.events.table.length - 1];
  }

  /** Tokens in a model's numbers. Seeds share their vocabulary, so the last answer is mostly the next. */
  async text(vocabulary: Vocabulary): Promise<NodeText> {
    const { tokens } = vocabulary;
    const known = this.#text;
    if (known !== undefined && sameTokens(known.tokens, tokens)) return known.text;
    const text = await readNodeText(this.store, this.events, vocabulary);
    this.#text = { tokens, text };
    return text;
  }
}

function sameTokens(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((token, i) => token === other[i]));
}

export type Parts = Readonly<Record<PartName, Part>>;

export async function openParts(places: Readonly<Record<PartName, PartPlace>>): Promise<Parts> {
  return {
    train: await Part.open('train', places.train),
    calibrate: await Part.open('calibrate', places.calibrate),
    test: await Part.open('test', places.test),
  };
}
