import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The golden pairs in test/fixtures, in one folder per format: `x.in` is a log, `x.events.ndjson` the expected records.

const FOLDER = fileURLToPath(new URL('./fixtures/', import.meta.url));

/** The names of the fixtures of each format. */
export const FIXTURES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  readdirSync(FOLDER)
    .sort()
    .map((format) => [
      format,
      readdirSync(FOLDER + format)
        .filter((file) => file.endsWith('.in'))
        .map((file) => file.slice(0, -'.in'.length))
        .sort(),
    ]),
);

/** Every file in the folders of fixtures, as `format/file`. */
export const FIXTURE_FILES: readonly string[] = Object.keys(FIXTURES).flatMap((format) =>
  readdirSync(FOLDER + format).map((file) => `${format}/${file}`),
);

export function fixtureLog(name: string): string {
  return readFileSync(`${FOLDER}${formatOf(name)}/${name}.in`, 'utf8');
}

export function goldenPath(name: string): string {
  return `${FOLDER}${formatOf(name)}/${name}.events.ndjson`;
}

export function fixtureGolden(name: string): string {
  return readFileSync(goldenPath(name), 'utf8');
}

function formatOf(name: string): string {
  const found = Object.entries(FIXTURES).find(([, names]) => names.includes(name));
  if (found === undefined) throw new Error(`no fixture is called ${name}`);
  return found[0];
}
