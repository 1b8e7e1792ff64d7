import { join } from 'node:path';
import { EXIT, RecalError } from '../../base/errors.js';
import { isFolder } from '../../base/files/make-folder.js';
import { printable } from '../../base/printable.js';
import { type EventsWithLead, nameEvents } from '../../detect/episodes/named-events.js';
import { type NodeText, readNodeText } from '../../features/node-text.js';
import type { Vocabulary } from '../../features/vocabulary.js';
import { readNodeAttributes } from '../../graph/node-attributes.js';
import { type NodeNames, NodeNamesBuilder } from '../../graph/node-names.js';
import { expandInputs } from '../../ingest/sources/inputs.js';
import { ingestFiles } from '../../store/ingest.js';
import type { LocatedProblem } from '../../store/ingest-counters.js';
import { type LoadedEvents, loadEvents } from '../../store/load.js';
import type { StagingOptions } from '../../store/stage-files.js';
import { type Selection, Store } from '../../store/store.js';
import type { LabelledNodes } from '../labels/labelled-nodes.js';

export const SPLIT_NAMES = ['train', 'calibrate', 'test'] as const;
export type SplitName = (typeof SPLIT_NAMES)[number];

/** A store folder and the events of it that form a split. */
export interface SplitSource {
  readonly folder: string;
  readonly selection: Selection;
}

export interface ReadingOptions extends StagingOptions {
  /** Called after each ingest with the lines that could not be read. */
  readonly noticed?: ((read: { malformed: number; problems: readonly LocatedProblem[] }) => void) | undefined;
}

export interface IngestSplitsOptions extends ReadingOptions {
  /** Gives a folder that no other run uses. Called only if there are log files to ingest. */
  folder(): Promise<string>;
}

/** The inputs of each split: log files and globs, or one store (`DIR` for the split of the same name, or `DIR#split`). */
export type SplitInputs = Readonly<Record<SplitName, readonly string[]>>;

/** Ingests log files into a store with one split each. Inputs that are stores are used as they are. */
export async function ingestSplits(
  inputs: SplitInputs,
  { folder, noticed, ...options }: IngestSplitsOptions,
): Promise<Record<SplitName, SplitSource>> {
  const sources: Partial<Record<SplitName, SplitSource>> = {};
  for (const name of SPLIT_NAMES) {
    const given = inputs[name];
    const stored = given.length === 1 ? await findStore(given[0], name) : undefined;
    if (stored !== undefined) {
      sources[name] = stored;
      continue;
    }
    for (const each of given) if ((await findStore(each, name)) !== undefined) throw mixed(name, each);
    const files = await expandInputs([...given]);
    const store = join(await folder(), 'store');
    const read = await ingestFiles(files, { ...options, store, split: name, append: true });
    noticed?.(read);
    sources[name] = { folder: store, selection: { split: name } };
  }
  return sources as Record<SplitName, SplitSource>;
}

/** Undefined if the input is not a store. */
async function findStore(input: string, name: SplitName): Promise<SplitSource | undefined> {
  if (await isFolder(input)) return { folder: input, selection: { split: name } };
  const hash = input.lastIndexOf('#');
  if (hash <= 0 || !(await isFolder(input.slice(0, hash)))) return undefined;
  return { folder: input.slice(0, hash), selection: { split: input.slice(hash + 1) } };
}

function mixed(name: SplitName, store: string): RecalError {
  return new RecalError(
    'part-mixed',
    `--${name} mixes log files with the store ${printable(store, 200)}; use log files only, or one store`,
    { hint: 'ingest the files into one split of the store with recal ingest', exit: EXIT.usage },
  );
}

/** A split in memory: its events and the names of its nodes, loaded once for all variants and seeds. */
export class LoadedSplit {
  readonly name: SplitName;
  readonly store: Store;
  readonly selection: Selection;
  readonly events: LoadedEvents;
  readonly names: NodeNames;
  /** The nodes in the terms of labels. */
  readonly labelled: LabelledNodes;
  #named: Promise<EventsWithLead> | undefined;
  #text: { tokens: readonly string[]; text: NodeText } | undefined;

  private constructor(
    source: Pick<LoadedSplit, 'name' | 'store' | 'selection'>,
    events: LoadedEvents,
    names: NodeNames,
    starts: ReadonlyMap<number, bigint>,
  ) {
    this.name = source.name;
    this.store = source.store;
    this.selection = source.selection;
    this.events = events;
    this.names = names;
    this.labelled = { count: events.keys.size, key: (node) => events.uuid(node), names, starts, events };
  }

  static async open(name: SplitName, { folder, selection }: SplitSource): Promise<LoadedSplit> {
    const store = await Store.open(folder);
    const events = await loadEvents(store, selection);
    if (events.table.length === 0) {
      const split = printable(selection.split ?? '', 80);
      throw new RecalError('nothing-selected', `the split for --${name} has no events`, {
        hint: `check the split ${split} of the store ${printable(folder, 200)}`,
        exit: EXIT.usage,
      });
    }
    const names = new NodeNamesBuilder(events.keys.size);
    const starts = new Map<number, bigint>();
    for await (const batch of readNodeAttributes(store, events)) {
      for (const attributes of batch) {
        names.add(attributes);
        if (attributes.start !== undefined) starts.set(attributes.node, attributes.start);
      }
    }
    return new LoadedSplit({ name, store, selection }, events, names.finish(), starts);
  }

  get first(): bigint {
    return this.events.table.ts[0];
  }

  get last(): bigint {
    return this.events.table.ts[this.events.table.length - 1];
  }

  /** The events, with the names of the nodes as they were known at each of them. */
  named(): Promise<EventsWithLead> {
    this.#named ??= nameEvents(this.store, this.events, this.names);
    return this.#named;
  }

  /** Tokens of the nodes, in the numbers of a vocabulary. Seeds share a vocabulary, so the last result is kept. */
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

export type Splits = Readonly<Record<SplitName, LoadedSplit>>;

export async function openSplits(sources: Readonly<Record<SplitName, SplitSource>>): Promise<Splits> {
  return {
    train: await LoadedSplit.open('train', sources.train),
    calibrate: await LoadedSplit.open('calibrate', sources.calibrate),
    test: await LoadedSplit.open('test', sources.test),
  };
}
