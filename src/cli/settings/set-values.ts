import type { ErrorCode } from '../../base/error-codes.js';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { closestName } from '../../base/settings/closest-name.js';
import type { Settings } from '../../base/settings/settings.js';

/** Adds the values of `--set key=value` to the flags of a command. */
export function withSetValues(
  flags: Readonly<Record<string, unknown>>,
  settings: Settings,
  command: string,
): Record<string, unknown> {
  const { set, ...given } = flags;
  const merged: Record<string, unknown> = given;
  for (const text of (set as string[] | undefined) ?? []) {
    const [key, value] = splitAtEquals(text);
    const entry = settings.entries.find((each) => each.key === key);
    if (entry === undefined) throw unknownSetting(key, settings, command);
    if (merged[key] !== undefined) {
      throw usage('usage-repeated-setting', `${printable(key, 60)} is given twice`, 'leave out one of them');
    }
    merged[key] = entry.kind === 'list' ? value.split(',') : value;
  }
  return merged;
}

function splitAtEquals(text: string): [key: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  throw usage(
    'usage-invalid-argument',
    `--set needs KEY=VALUE, not '${printable(text, 60)}'`,
    'for example: --set gamma=0.7',
  );
}

function unknownSetting(key: string, { entries }: Settings, command: string): RecalError {
  const near = closestName(
    key,
    entries.map((each) => each.key),
  );
  const hint = near === undefined ? `'recal settings ${command}' lists them` : `did you mean '${near}'?`;
  return usage('usage-unknown-setting', `recal ${command} has no setting '${printable(key, 60)}'`, hint);
}

/** The error for an option that has become a `--set` setting; undefined for any other option. */
export function movedOption(flag: string, settings: Settings): RecalError | undefined {
  const name = flag.replace(/^--(no-)?/, '').replace(/=.*$/s, '');
  const key = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const entry = settings.entries.find((each) => each.bySet && each.key === key);
  if (entry === undefined) return undefined;
  const value = entry.kind === 'boolean' ? String(!flag.startsWith('--no-')) : (entry.value ?? 'VALUE');
  return usage('usage-moved-option', `--${name} is not an option`, `use --set ${key}=${value}`);
}

function usage(code: ErrorCode, message: string, hint: string): RecalError {
  return new RecalError(code, message, { hint, exit: EXIT.usage });
}
