import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScenarioManifest } from '../../src/simulate/manifest.js';
import type { SimulateOptions } from '../../src/simulate/options.js';
import { simulate } from '../../src/simulate/simulate.js';

/** A simulation on disk, until `removeSimulations`. */
export interface TestSimulation {
  directory: string;
  manifest: ScenarioManifest;
}

const directories: string[] = [];

export async function makeSimulation(options: Omit<SimulateOptions, 'out'>): Promise<TestSimulation> {
  const directory = await mkdtemp(join(tmpdir(), 'recal-simulation-'));
  directories.push(directory);
  return { directory, manifest: await simulate({ ...options, out: directory }) };
}

export async function removeSimulations(): Promise<void> {
  await Promise.all(directories.splice(0).map((path) => rm(path, { recursive: true, force: true })));
}

/** Every file of a folder, by name. */
export async function contents(directory: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(directory)).sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name))] as const)),
  );
}

export async function lines(directory: string, name: string): Promise<string[]> {
  const text = await readFile(join(directory, name), 'utf8');
  return text.split('\n').slice(0, -1);
}

export interface CdmRecord {
  kind: string;
  body: Record<string, unknown>;
  line: string;
}

export async function cdmRecords(directory: string, name: string): Promise<CdmRecord[]> {
  return (await lines(directory, name)).map((line) => {
    const { datum } = JSON.parse(line) as { datum: Record<string, Record<string, unknown>> };
    const [[key, body]] = Object.entries(datum) as [[string, Record<string, unknown>]];
    return { kind: key.replace('com.bbn.tc.schema.avro.cdm18.', ''), body, line };
  });
}

/** The id inside an Avro union, or undefined. */
export function uuidOf(union: unknown): string | undefined {
  return (union as Record<string, string> | null)?.['com.bbn.tc.schema.avro.cdm18.UUID'];
}

export function csvRows(text: string): string[][] {
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((match) => match[1] as string));
}
