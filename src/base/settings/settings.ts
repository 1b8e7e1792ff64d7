import type { z } from 'zod';
import { EXIT, RecalError, type Where } from '../errors.js';
import { closestName } from './closest-name.js';
import type { ConfigFile } from './config-file.js';

/** Declares a setting. Its flag, environment variable and configuration key follow from its name. */
export interface Setting<T extends z.ZodType = z.ZodType> {
  /** A setting is required unless its type has `.default(…)` or `.optional()`. */
  readonly type: T;
  readonly description: string;
  /** The placeholder for the value in `--help`: `--store <DIR>`. */
  readonly value?: string;
  /** A one-letter flag, such as `-o`. */
  readonly short?: string;
  /** Describes the default in words if the type has none. */
  readonly defaultText?: string;
  /** True for a setting without an option of its own: the command line gives it with `--set key=value`. */
  readonly bySet?: boolean;
}

export type SettingShape = Readonly<Record<string, Setting>>;

export type SettingValues<S extends SettingShape> = { readonly [K in keyof S]: z.output<S[K]['type']> };

/** How the text of a flag or an environment variable is converted before the type checks it. */
export type SettingKind = 'boolean' | 'number' | 'bigint' | 'text' | 'list';

/** A setting with its names and the facts that follow from its type. */
export interface DeclaredSetting extends Setting {
  /** The key in the configuration file: `timeUnit`. */
  readonly key: string;
  /** `--time-unit`, or `--set timeUnit` for a setting without an option of its own. */
  readonly flag: string;
  /** `RECAL_TIME_UNIT` */
  readonly env: string;
  readonly kind: SettingKind;
  /** The allowed values, if the type lists them. */
  readonly choices: readonly string[] | undefined;
  readonly default: unknown;
}

export interface Settings<S extends SettingShape = SettingShape> {
  readonly shape: S;
  readonly entries: readonly DeclaredSetting[];
}

/**
 * Declares settings by their camelCase names. `{ timeUnit: … }` becomes the flag `--time-unit`, the environment variable
 * `RECAL_TIME_UNIT` and the key `timeUnit` of recal.config.json.
 */
export function defineSettings<const S extends SettingShape>(shape: S): Settings<S> {
  const entries = Object.entries(shape).map(([key, setting]): DeclaredSetting => {
    if (!/^[a-z][a-zA-Z0-9]*$/.test(key))
      throw new TypeError(`the name of setting '${key}' must be in camelCase`);
    const words = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const core = unwrap(setting.type);
    const missing = setting.type.safeParse(undefined);
    return {
      ...setting,
      key,
      flag: setting.bySet ? `--set ${key}` : `--${words}`,
      env: `RECAL_${words.replaceAll('-', '_').toUpperCase()}`,
      kind: kindOf(core, key),
      choices: choicesOf(core),
      default: missing.success ? missing.data : undefined,
    };
  });
  return { shape, entries };
}

/** Where a value came from. */
export type SettingSource =
  | { from: 'flag'; name: string }
  | { from: 'environment'; name: string }
  | { from: 'file'; name: string; where: Where }
  | { from: 'default' };

/** The places that settings come from. Earlier ones override later ones. */
export interface SettingPlaces {
  /** Values from the command line: text, a list of texts, or a boolean for a switch. */
  flags: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string | undefined>>;
  file?: ConfigFile | undefined;
}

export interface ResolvedSettings<S extends SettingShape> {
  values: SettingValues<S>;
  sources: { readonly [K in keyof S]: SettingSource };
}

/**
 * Finds and checks the value of every setting. The order is: flag, environment variable, the command's section of the
 * configuration file, the top of that file, default.
 */
export function resolveSettings<S extends SettingShape>(
  settings: Settings<S>,
  places: SettingPlaces,
  section?: string,
): ResolvedSettings<S> {
  const values: Record<string, unknown> = {};
  const sources: Record<string, SettingSource> = {};
  for (const entry of settings.entries) {
    const { source, raw } = findValue(entry, places, section);
    sources[entry.key] = source;
    values[entry.key] = checkValue(entry, raw, source);
  }
  return { values, sources } as ResolvedSettings<S>;
}

/** Like `resolveSettings`, but reports a required setting that is not set as `missing` instead of throwing. */
export function surveySettings(
  settings: Settings,
  places: SettingPlaces,
  section?: string,
): { entry: DeclaredSetting; value: unknown; source: SettingSource; missing: boolean }[] {
  return settings.entries.map((entry) => {
    const { source, raw } = findValue(entry, places, section);
    const missing = source.from === 'default' && !entry.type.safeParse(raw).success;
    return { entry, source, missing, value: missing ? undefined : checkValue(entry, raw, source) };
  });
}

/** Finds environment variables that look like misspelt settings. Other RECAL_ variables may belong to other programs. */
export function misspeltVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly Settings[],
): { name: string; meant: string }[] {
  const names = known.flatMap((settings) => settings.entries.map((entry) => entry.env));
  const found: { name: string; meant: string }[] = [];
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith('RECAL_') || names.includes(name)) continue;
    // The common prefix must not make short names look alike.
    const meant = closestName(
      name.slice(6),
      names.map((known) => known.slice(6)),
    );
    if (meant !== undefined) found.push({ name, meant: `RECAL_${meant}` });
  }
  return found;
}

interface FoundValue {
  source: SettingSource;
  raw: unknown;
}

function findValue(entry: DeclaredSetting, places: SettingPlaces, section: string | undefined): FoundValue {
  const flag = places.flags[entry.key];
  if (flag !== undefined) {
    const name = flag === false ? entry.flag.replace('--', '--no-') : entry.flag;
    return { source: { from: 'flag', name }, raw: fromText(entry, flag) };
  }
  const variable = places.env[entry.env];
  // Shell scripts and unit files set a variable to the empty text to unset it.
  if (variable !== undefined && variable !== '') {
    const text = entry.kind === 'list' ? variable.split(',') : variable;
    return { source: { from: 'environment', name: entry.env }, raw: fromText(entry, text) };
  }
  const { file } = places;
  if (file !== undefined) {
    const own = section === undefined ? undefined : file.sections.get(section)?.values.get(entry.key);
    const given = own ?? file.shared.get(entry.key);
    if (given !== undefined) {
      const name = own === undefined ? entry.key : `${section}.${entry.key}`;
      const where = { file: file.path, line: given.line };
      const raw = entry.kind === 'bigint' ? fromText(entry, String(given.value)) : given.value;
      return { source: { from: 'file', name, where }, raw };
    }
  }
  return { source: { from: 'default' }, raw: undefined };
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['0', 'false', 'no', 'off'];

/** Converts text to the kind of the setting. Other text stays as it is, so that the type rejects it by name. */
function fromText(entry: DeclaredSetting, given: unknown): unknown {
  if (Array.isArray(given)) {
    const numbers = kindOf(unwrap(elementOf(unwrap(entry.type))), entry.key) === 'number';
    return given.map((item) => (numbers && NUMBER.test(item) ? Number(item) : item));
  }
  if (typeof given !== 'string') return given;
  const text = given.trim();
  switch (entry.kind) {
    case 'boolean': {
      const word = text.toLowerCase();
      return TRUE.includes(word) ? true : FALSE.includes(word) ? false : given;
    }
    case 'number':
      return NUMBER.test(text) ? Number(text) : given;
    case 'bigint':
      return /^[+-]?\d+$/.test(text) ? BigInt(text) : given;
    default:
      return given;
  }
}

function checkValue(entry: DeclaredSetting, raw: unknown, source: SettingSource): unknown {
  const parsed = entry.type.safeParse(raw);
  if (parsed.success) return parsed.data;
  if (source.from === 'default') {
    const placeholder = entry.value === undefined ? '' : ` ${entry.value}`;
    throw new RecalError('settings-missing', `${entry.flag} is required: ${entry.description}`, {
      hint: `add ${entry.flag}${placeholder}, set ${entry.env}, or set "${entry.key}" in recal.config.json`,
      exit: EXIT.usage,
    });
  }
  const issue = parsed.error.issues[0];
  const kind = { flag: 'option', environment: 'environment variable', file: 'setting' }[source.from];
  throw new RecalError(
    'settings-invalid',
    `${kind} ${source.name}: ${expectation(issue, entry)}, not ${quote(raw)}`,
    {
      hint: `${entry.flag}: ${entry.description}`,
      exit: EXIT.usage,
      ...(source.from === 'file' ? { where: source.where } : {}),
    },
  );
}

function expectation(issue: z.core.$ZodIssue, entry: DeclaredSetting): string {
  if (entry.choices !== undefined) return `expected ${list(entry.choices)}`;
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expected ${list(issue.values.map(String))}`;
    case 'too_small':
    case 'too_big': {
      const [word, bound] =
        issue.code === 'too_small'
          ? [issue.inclusive ? 'at least' : 'more than', issue.minimum]
          : [issue.inclusive ? 'at most' : 'less than', issue.maximum];
      return `expected ${word} ${bound}${unitOf(issue.origin, Number(bound))}`;
    }
    default:
      return issue.message;
  }
}

function unitOf(origin: string, count: number): string {
  const unit = origin === 'string' ? ' character' : origin === 'array' ? ' value' : '';
  return unit === '' || count === 1 ? unit : `${unit}s`;
}

const TYPE_NAMES: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  bigint: 'a whole number',
  boolean: 'true or false',
  string: 'text',
  array: 'a list',
};

function list(choices: readonly string[]): string {
  return choices.length === 1 ? choices[0] : `one of ${choices.join(', ')}`;
}

function quote(raw: unknown): string {
  if (raw === null || raw === true || raw === false) return String(raw);
  const text = typeof raw === 'object' ? JSON.stringify(raw) : String(raw);
  return `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'`;
}

interface LooseDef {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
  entries?: Record<string, string | number>;
  values?: unknown[];
}

const defOf = (type: z.ZodType): LooseDef => type.def as unknown as LooseDef;

/** Returns the type inside `.default()`, `.optional()`, `.transform()` and the like. */
function unwrap(type: z.ZodType): z.ZodType {
  const { innerType, in: input } = defOf(type);
  const inner = innerType ?? input;
  return inner === undefined ? type : unwrap(inner);
}

function elementOf(type: z.ZodType): z.ZodType {
  return defOf(type).element ?? type;
}

function choicesOf(type: z.ZodType): string[] | undefined {
  const { entries, values } = defOf(type);
  if (entries !== undefined) return Object.values(entries).map(String);
  return values?.map(String);
}

function kindOf(type: z.ZodType, key: string): SettingKind {
  const name = defOf(type).type;
  switch (name) {
    case 'boolean':
    case 'number':
    case 'bigint':
      return name;
    case 'string':
    case 'enum':
    case 'literal':
      return 'text';
    case 'array':
      return 'list';
    default:
      throw new TypeError(`setting '${key}': a value of type ${name} cannot be given on a command line`);
  }
}
