import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RecalError } from '../../dist/base/errors.js';
import { readConfigFile } from '../../dist/base/settings/config-file.js';
import { parseLabels } from '../../dist/evaluate/labels/parse-labels.js';
import { FORMATS, formatByName } from '../../dist/ingest/formats/known-formats.js';
import { ParsePool } from '../../dist/ingest/parse/parse-pool.js';
import { ingestFiles } from '../../dist/store/ingest.js';
import { sealManifest } from '../../dist/store/integrity/manifest-checksum.js';
import { verifyStore } from '../../dist/store/integrity/verify-store.js';
import { loadEvents } from '../../dist/store/load.js';
import { readManifest } from '../../dist/store/manifest.js';
import { Store } from '../../dist/store/store.js';
import { makeModel, modelTargets } from './model-targets.js';

/** Something that reads bytes that it cannot trust. It may refuse them with an error of its own, and nothing else. */
export interface Target {
  readonly name: string;
  readonly corpus: readonly Buffer[];
  run(bytes: Buffer): Promise<void>;
}

const FIXTURES = fileURLToPath(new URL('../../test/fixtures/', import.meta.url));
const LARGEST = 2 << 20;
const fixture = (name: string) => readFileSync(join(FIXTURES, name));

/** The targets, and how to remove their files. Without a model, the smallest one is trained. */
export async function openTargets(model?: Buffer): Promise<{ targets: Target[]; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'recal-fuzz-'));
  const pool = new ParsePool(0, LARGEST, { maxLine: 1 << 20 });
  const logs = readdirSync(FIXTURES, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.in'))
    .sort();
  const log = join(folder, 'recal.ndjson');
  const store = join(folder, 'store');
  writeFileSync(log, fixture('ndjson/recal.in'));
  await ingestFiles([log], { store, threads: 0 });
  const segment = readdirSync(join(store, 'events'), { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.parquet'))[0];
  const segmentPath = join(store, 'events', segment);
  const at = (name: string) => join(folder, name);
  const targets: Target[] = [
    ...FORMATS.map(({ name }) => ({
      name: `reader-${name}`,
      corpus: logs.map(fixture),
      run: (bytes: Buffer) => readBlock(pool, name, bytes),
    })),
    {
      name: 'ingest',
      corpus: logs.map(fixture),
      async run(bytes) {
        const out = at('fuzzed-store');
        rmSync(out, { recursive: true, force: true });
        writeFileSync(at('fuzzed.log'), bytes);
        await ingestFiles([at('fuzzed.log')], { store: out, threads: 0 });
        const { damaged } = await verifyStore(out);
        if (damaged.length > 0) throw new Error('a new store is damaged');
      },
    },
    {
      name: 'manifest',
      corpus: [readFileSync(join(store, 'manifest.json'))],
      async run(bytes) {
        mkdirSync(at('manifest'), { recursive: true });
        writeFileSync(at('manifest/manifest.json'), resealed(bytes));
        await readManifest(at('manifest'));
      },
    },
    {
      name: 'segment',
      corpus: [readFileSync(segmentPath)],
      async run(bytes) {
        const intact = readFileSync(segmentPath);
        writeFileSync(segmentPath, bytes);
        try {
          await loadEvents(await Store.open(store));
          if (!bytes.equals(intact)) throw new Error('a damaged segment was read');
        } finally {
          writeFileSync(segmentPath, intact);
        }
      },
    },
    {
      name: 'labels',
      corpus: [
        Buffer.from(
          'uuid,type,name,attack,tier,reason\n1,process,"a ""b""",A1,core,x\n/etc/x,file,x,A1,touched,y\n',
        ),
        Buffer.from('{0b1c}\nABCD\n10.0.0.1:80\n'),
      ],
      async run(bytes) {
        parseLabels(bytes.toString('utf8'), 'labels.csv');
      },
    },
    {
      name: 'config',
      corpus: [
        Buffer.from(
          '{"store":"a","train":{"epochs":3,"set":{"window":15}},"detect":{"threshold":"top:5/day"}}',
        ),
      ],
      async run(bytes) {
        writeFileSync(at('config.json'), bytes);
        readConfigFile(at('config.json'), 'config.json', true);
      },
    },
  ];
  targets.push(...(await modelTargets(folder, model ?? (await makeModel(folder)))));
  const close = async () => {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { targets, close };
}

/** Runs a target. Returns what is wrong, or undefined. */
export async function attempt(target: Target, bytes: Buffer): Promise<string | undefined> {
  try {
    await target.run(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof RecalError && error.code !== 'internal') return undefined;
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** Every line of a block must be accounted for. */
async function readBlock(pool: ParsePool, name: string, given: Buffer): Promise<void> {
  const content =
    given.length === 0 || given[given.length - 1] === 10 ? given : Buffer.concat([given, Buffer.of(10)]);
  if (content.length === 0 || content.length > LARGEST) return;
  const lease = await pool.acquire();
  lease.bytes.set(content);
  const batch = await lease.parse(name, content.length);
  const lines = content.filter((byte) => byte === 10).length;
  if (batch.lines !== lines) throw new Error(`${batch.lines} of ${lines} lines are accounted for`);
  const assembler = formatByName(name).assembler?.(undefined);
  assembler?.take(batch);
  assembler?.endSource?.();
}

/** A manifest whose own checksum holds, so that the checks behind it are reached. */
function resealed(bytes: Buffer): Buffer {
  try {
    const { checksum: _, ...rest } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
    return Buffer.from(sealManifest(rest as never));
  } catch {
    return bytes;
  }
}
