import { readFile, stat } from 'node:fs/promises';
import type { ErrorCode } from '../../base/error-codes.js';
import { RecalError, type Where } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { EntityKey, formatKey } from '../../ingest/entity-key.js';
import { directoryError, openError } from '../../ingest/sources/input-errors.js';
import { type CsvRow, csvRows } from './csv-rows.js';

/** `core`: what the attacker made or controlled. `all`: also what the attack only touched. */
export const TIER_CHOICES = ['core', 'all'] as const;
export type TierChoice = (typeof TIER_CHOICES)[number];

export interface Label {
  /** As the file writes it. */
  readonly id: string;
  /** Numbers into the names of `Labels.attacks`. */
  readonly attacks: readonly number[];
  /** Lower case; of several rows the first that says one, `core` before any other. */
  readonly tier: string | null;
}

export interface Labels {
  readonly file: string;
  readonly form: 'text' | 'csv';
  readonly labels: readonly Label[];
  /** Where in `labels` an entity is, by its key as `formatKey` writes it. */
  readonly byKey: ReadonlyMap<string, number>;
  /** Null where the file names none: metrics over attacks are null then. */
  readonly attacks: readonly string[] | null;
  readonly rows: number;
  /** Rows of an id that an earlier row had, added to it. */
  readonly merged: number;
  /** Rows left out by the choice of tier. */
  readonly otherTier: number;
}

const MAX_BYTES = 1 << 28;
const EXAMPLES = 3;
const SEVERAL = ';';
// Exports write UUIDs in quotes or braces.
const NOTED_UUID = /^(["'{]*[0-9a-f-]{36}["'}]*)\s+#.*$/i;
const UUID = /^["'{]*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})["'}]*$/i;
const UUID_AND_MORE = /^["'{]*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}["'}]*[^0-9a-f"'}-]/i;
// Every other byte of plain words is 0; a byte order mark read as UTF-8 is two characters that could not be read.
const UTF_16 = /^(?:\uFFFD\uFFFD)?(?:(?:[^\0]\0){4}|(?:\0[^\0]){4})/;

/** A file of ids, one a line, or a CSV with a header that holds `uuid` and optionally `attack` and `tier`. */
export async function readLabels(path: string, tier: TierChoice = 'all'): Promise<Labels> {
  try {
    const info = await stat(path);
    if (info.isDirectory()) throw await directoryError(path);
    if (info.size > MAX_BYTES) {
      throw wrong(
        'labels-too-large',
        `a label file of more than ${MAX_BYTES} bytes`,
        'is this a log? Labels are one id a line, or a CSV with a uuid column',
        { file: path },
      );
    }
    return parseLabels(await readFile(path, 'utf8'), path, tier);
  } catch (error) {
    throw error instanceof RecalError ? error : await openError(path, error);
  }
}

/** `file` is for messages only. */
export function parseLabels(text: string, file: string, tier: TierChoice = 'all'): Labels {
  if (UTF_16.test(text)) {
    throw wrong('labels-utf16', 'the label file is UTF-16', 'save it as UTF-8', { file });
  }
  if (text.includes('\0')) {
    throw wrong('labels-not-text', 'the label file is not text', 'unpack it first if it is compressed', {
      file,
    });
  }
  const plain = text.replace(/^\uFEFF/, '');
  const book = new LabelBook(file, tier);
  const rows = csvRows(plain, file);
  const first = rows.next();
  if (first.done) {
    throw wrong(
      'labels-empty',
      'the label file names no id',
      'without labels nothing can be measured; was the export interrupted?',
      { file },
    );
  }
  const header = first.value.cells.map((cell) => cell.trim().toLowerCase());
  if (header.includes('uuid')) {
    readTable(header, rows, book);
    return book.close('csv');
  }
  if (header.length > 1) {
    throw wrong(
      'labels-header',
      "the first row is no header: it has no column 'uuid'",
      'begin the file with: uuid,attack,tier (attack and tier may be missing)',
      { file, line: first.value.line },
    );
  }
  readList(plain, book);
  return book.close('text');
}

function readList(text: string, book: LabelBook): void {
  let line = 0;
  for (const raw of text.split('\n')) {
    line++;
    const id = raw.trim().replace(NOTED_UUID, '$1');
    if (id === '' || id.startsWith('#')) continue;
    if (UUID_AND_MORE.test(id) || /^uuid\W/i.test(id)) {
      throw wrong(
        'labels-row',
        'more than an id on a line of a list',
        'a file with columns needs commas between them and a header with uuid',
        { file: book.file, line },
      );
    }
    book.add(id, [], null);
  }
}

function readTable(header: readonly string[], rows: Iterable<CsvRow>, book: LabelBook): void {
  const [id, attack, tier] = ['uuid', 'attack', 'tier'].map((name) => header.indexOf(name));
  for (const { cells, line } of rows) {
    if (cells.length !== header.length) {
      throw wrong(
        'labels-row',
        `a row of ${cells.length} cells under a header of ${header.length}`,
        'a cell that holds a comma must be in double quotes',
        { file: book.file, line },
      );
    }
    if (cells[id].trim() === '') {
      throw wrong('labels-row', 'a row without a uuid', 'name the entity, or remove the row', {
        file: book.file,
        line,
      });
    }
    const attacks = attack < 0 ? [] : cells[attack].split(SEVERAL).map((name) => name.trim());
    const said = tier < 0 ? '' : cells[tier].trim().toLowerCase();
    book.add(
      cells[id].trim(),
      attacks.filter((name) => name !== ''),
      said === '' ? null : said,
    );
  }
  if (book.rows === 0) {
    throw wrong(
      'labels-empty',
      'the label file has a header and no row',
      'without labels nothing can be measured; was the export interrupted?',
      { file: book.file },
    );
  }
}

/** Merges rows to one label per entity. A row of another tier is left out before that, its attacks with it. */
class LabelBook {
  readonly file: string;
  readonly #tier: TierChoice;
  readonly #labels: { id: string; attacks: number[]; tier: string | null }[] = [];
  readonly #byKey = new Map<string, number>();
  readonly #attacks = new Map<string, number>();
  readonly #tiers = new Set<string>();
  rows = 0;
  #merged = 0;
  #otherTier = 0;

  constructor(file: string, tier: TierChoice) {
    this.file = file;
    this.#tier = tier;
  }

  add(id: string, attacks: readonly string[], tier: string | null): void {
    this.rows++;
    if (tier !== null) this.#tiers.add(tier);
    if (this.#tier === 'core' && tier !== 'core') {
      this.#otherTier++;
      return;
    }
    const key = keyOf(id);
    let at = this.#byKey.get(key);
    if (at === undefined) {
      at = this.#labels.push({ id, attacks: [], tier }) - 1;
      this.#byKey.set(key, at);
    } else this.#merged++;
    const label = this.#labels[at];
    if (label.tier === null || tier === 'core') label.tier = tier;
    for (const name of attacks) {
      const attack = this.#attacks.get(name) ?? this.#attacks.size;
      this.#attacks.set(name, attack);
      if (!label.attacks.includes(attack)) label.attacks.push(attack);
    }
  }

  close(form: Labels['form']): Labels {
    if (this.#labels.length === 0) {
      const known = [...this.#tiers].slice(0, EXAMPLES).map((tier) => `'${printable(tier, 64)}'`);
      throw wrong(
        'labels-tier',
        'no label is of tier core',
        `use --tier all: ${known.length === 0 ? 'the file has no tiers' : `its tiers are ${known.join(', ')}`}`,
        { file: this.file },
      );
    }
    return {
      file: this.file,
      form,
      labels: this.#labels,
      byKey: this.#byKey,
      attacks: this.#attacks.size === 0 ? null : [...this.#attacks.keys()],
      rows: this.rows,
      merged: this.#merged,
      otherTier: this.#otherTier,
    };
  }
}

/** UUIDs in any case, quoted, braced or bare, and any other id as ingest takes it. */
function keyOf(id: string): string {
  const uuid = UUID.exec(id)?.[1];
  if (uuid !== undefined) return uuid.toUpperCase();
  const key = new EntityKey();
  key.fromText(id);
  return formatKey(key.w0, key.w1, key.w2, key.w3);
}

function wrong(code: ErrorCode, message: string, hint: string, where: Where): RecalError {
  return new RecalError(code, message, { hint, where });
}
