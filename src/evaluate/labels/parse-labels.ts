import type { ErrorCode } from '../../base/error-codes.js';
import { RecalError, type Where } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { type CsvRow, csvRows } from './csv-rows.js';
import type { Labels, TierChoice } from './labels.js';
import { entityKeys } from './natural-key.js';

const EXAMPLES = 3;
/** The column with the entity. */
const ID_COLUMNS = ['uuid', 'key'];
const ATTACK_SEPARATOR = ';';
// Some exports write UUIDs in quotes or braces.
const COMMENTED_UUID = /^(["'{]*[0-9a-f-]{36}["'}]*)\s+#.*$/i;
const UUID_AND_MORE = /^["'{]*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}["'}]*[^0-9a-f"'}-]/i;
// In UTF-16 every other byte of ASCII text is 0. Read as UTF-8, a byte order mark gives two replacement characters.
const UTF_16 = /^(?:\uFFFD\uFFFD)?(?:(?:[^\0]\0){4}|(?:\0[^\0]){4})/;

/** Parses the text of a label file. Error messages name `file`. */
export function parseLabels(text: string, file: string, tier: TierChoice = 'all'): Labels {
  if (UTF_16.test(text)) {
    throw labelError('labels-utf16', 'the label file is UTF-16', 'save it as UTF-8', { file });
  }
  if (text.includes('\0')) {
    throw labelError('labels-not-text', 'the label file is not text', 'unpack the file if it is compressed', {
      file,
    });
  }
  const plain = text.replace(/^\uFEFF/, '');
  const merger = new LabelMerger(file, tier);
  const rows = csvRows(plain, file);
  const first = rows.next();
  if (first.done) {
    throw labelError(
      'labels-empty',
      'the label file is empty',
      'add one id per line, or export the file again',
      { file },
    );
  }
  const header = first.value.cells.map((cell) => cell.trim().toLowerCase());
  if (ID_COLUMNS.some((name) => header.includes(name))) {
    readTable(header, rows, merger);
    return merger.finish('csv');
  }
  if (header.length > 1) {
    throw labelError(
      'labels-header',
      "the first row has no column 'uuid' or 'key'",
      'begin the file with the header uuid,attack,tier or key,attack,tier (attack and tier are optional)',
      { file, line: first.value.line },
    );
  }
  readList(plain, merger);
  return merger.finish('text');
}

function readList(text: string, merger: LabelMerger): void {
  let line = 0;
  for (const raw of text.split('\n')) {
    line++;
    const id = raw.trim().replace(COMMENTED_UUID, '$1');
    if (id === '' || id.startsWith('#')) continue;
    if (UUID_AND_MORE.test(id) || /^uuid\W/i.test(id)) {
      throw labelError(
        'labels-row',
        'the line has more than an id',
        'write one id per line, or a CSV with commas and a header with uuid or key',
        { file: merger.file, line },
      );
    }
    merger.add(id, [], null);
  }
}

function readTable(header: readonly string[], rows: Iterable<CsvRow>, merger: LabelMerger): void {
  const id = header.findIndex((name) => ID_COLUMNS.includes(name));
  const [attack, tier] = ['attack', 'tier'].map((name) => header.indexOf(name));
  for (const { cells, line } of rows) {
    if (cells.length !== header.length) {
      throw labelError(
        'labels-row',
        `the row has ${cells.length} cells and the header has ${header.length}`,
        'put cells that contain a comma in double quotes',
        { file: merger.file, line },
      );
    }
    if (cells[id].trim() === '') {
      throw labelError(
        'labels-row',
        `the row has no ${header[id]}`,
        `add the ${header[id]}, or remove the row`,
        { file: merger.file, line },
      );
    }
    const attacks = attack < 0 ? [] : cells[attack].split(ATTACK_SEPARATOR).map((name) => name.trim());
    const tierText = tier < 0 ? '' : cells[tier].trim().toLowerCase();
    merger.add(
      cells[id].trim(),
      attacks.filter((name) => name !== ''),
      tierText === '' ? null : tierText,
    );
  }
  if (merger.rows === 0) {
    throw labelError(
      'labels-empty',
      'the label file has a header but no rows',
      'add rows, or export the file again',
      { file: merger.file },
    );
  }
}

/** Merges rows into one label per entity. Rows of another tier are left out first, together with their attacks. */
class LabelMerger {
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
    const keys = entityKeys(id);
    let at = this.#byKey.get(keys[keys.length - 1]);
    if (at === undefined) at = this.#labels.push({ id, attacks: [], tier }) - 1;
    else this.#merged++;
    for (const key of keys) this.#byKey.set(key, at);
    const label = this.#labels[at];
    if (label.tier === null || tier === 'core') label.tier = tier;
    for (const name of attacks) {
      const attack = this.#attacks.get(name) ?? this.#attacks.size;
      this.#attacks.set(name, attack);
      if (!label.attacks.includes(attack)) label.attacks.push(attack);
    }
  }

  finish(form: Labels['form']): Labels {
    if (this.#labels.length === 0) {
      const known = [...this.#tiers].slice(0, EXAMPLES).map((tier) => `'${printable(tier, 64)}'`);
      throw labelError(
        'labels-tier',
        'the file has no label of tier core',
        `use --tier all; ${known.length === 0 ? 'the file has no tiers' : `its tiers are ${known.join(', ')}`}`,
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

function labelError(code: ErrorCode, message: string, hint: string, where: Where): RecalError {
  return new RecalError(code, message, { hint, where });
}
