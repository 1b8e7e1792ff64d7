import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError, RecalError } from '../../base/errors.js';
import { readReplaced, replaceFiles, stagedPath } from '../../base/files/replace-files.js';
import { printable } from '../../base/printable.js';
import { safeJson } from '../../base/safe-json.js';
import {
  ALERT_VERSION,
  type Alert,
  alertSchema,
  type Incident,
  incidentSchema,
} from '../../detect/alerts/alert.js';
import { REPORT_FILE } from '../page/page.js';
import { alertsCsv } from './alerts-csv.js';
import { isRecalReport } from './report-path.js';

const RUN = 'run.json';
const ALERTS = 'alerts.jsonl';
const INCIDENTS = 'incidents.jsonl';
const CSV = 'alerts.csv';
/** The records of a larger file would not fit in memory. */
const MOST_BYTES = 1 << 30;
/** A folder that is replaced while it is read is read again at most this often. */
const MOST_READINGS = 3;
const CHANGED = `does not match its checksum: it was changed after ${RUN} was written`;

const text = z.string().max(4096);
const integer = z.string().regex(/^-?\d{1,20}$/);
const fileSchema = z.strictObject({
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The input and the counts of a detection run. Has no clock time, so that the same run gives the same bytes. */
const runSchema = z.strictObject({
  format: z.literal('recal-alerts'),
  version: z.literal(ALERT_VERSION),
  model: text,
  threshold: z.strictObject({
    value: z.number(),
    /** For example budget:5/day. */
    rule: text,
    /** For example that the threshold is extrapolated. */
    note: text.nullable(),
  }),
  selection: z.strictObject({
    split: text.nullable(),
    host: text.nullable(),
    from: integer.nullable(),
    to: integer.nullable(),
  }),
  /** Folder of the store; null if the events came from elsewhere. */
  store: text.nullable(),
  hosts: z.array(text).max(65_536),
  counts: z.record(z.string().max(64), z.number()),
  /** Checksums reveal files of another run. */
  files: z.strictObject({
    [ALERTS]: fileSchema,
    [INCIDENTS]: fileSchema,
    [CSV]: fileSchema,
    [REPORT_FILE]: fileSchema.optional(),
  }),
  /** SHA-256 of this record without this field. Folders of earlier versions do not have it. */
  checksum: fileSchema.shape.sha256.optional(),
});

export type AlertRun = z.output<typeof runSchema>;

export interface AlertFiles {
  readonly run: AlertRun;
  /** By score, highest first. */
  readonly alerts: readonly Alert[];
  /** By rank. */
  readonly incidents: readonly Incident[];
}

export interface AlertFilesToWrite extends Pick<AlertFiles, 'alerts' | 'incidents'> {
  readonly run: Omit<AlertRun, 'format' | 'version' | 'files' | 'checksum'>;
  /** The page for people; without it, the page of an earlier run is removed. */
  readonly report?: string | undefined;
}

/** Writes an alerts folder. All files of the run appear together, or none. */
export async function writeAlertFiles(folder: string, content: AlertFilesToWrite): Promise<AlertRun> {
  await refuseForeign(folder);
  const alerts = [...content.alerts].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  const texts = {
    [ALERTS]: lines(alerts.map((alert) => alertSchema.parse(alert))),
    [INCIDENTS]: lines(content.incidents.map((incident) => incidentSchema.parse(incident))),
    [CSV]: alertsCsv(alerts, content.incidents),
    ...(content.report === undefined ? {} : { [REPORT_FILE]: content.report }),
  };
  const sums = Object.fromEntries(Object.entries(texts).map(([name, each]) => [name, checksum(each)]));
  const run = runSchema.parse({
    format: 'recal-alerts',
    version: ALERT_VERSION,
    ...content.run,
    files: sums,
  });
  const signed = { ...run, checksum: checksum(safeJson(run)).sha256 };
  const hasOldPage = content.report === undefined && (await isRecalReport(join(folder, REPORT_FILE)));
  await replaceFiles(folder, {
    files: new Map([...Object.entries(texts), [RUN, `${safeJson(signed)}\n`]]),
    stale: hasOldPage ? [REPORT_FILE] : [],
  });
  return signed;
}

/** Reads an alerts folder and validates every record. */
export async function readAlertFiles(folder: string): Promise<AlertFiles> {
  for (let left = MOST_READINGS; ; left--) {
    const run = await readRun(folder);
    try {
      const alerts = await readLines(folder, ALERTS, run, alertSchema);
      return { run, alerts, incidents: await readLines(folder, INCIDENTS, run, incidentSchema) };
    } catch (error) {
      // Another detection may have replaced the files in between.
      const isReplaced = left > 0 && safeJson(await readRun(folder)) !== safeJson(run);
      if (!isReplaced) throw error;
    }
  }
}

/** Compares the files with the checksums of run.json. Returns what is wrong, and nothing for an intact folder. */
export async function verifyAlertFiles(folder: string): Promise<string[]> {
  const { files } = await readRun(folder);
  const wrong: string[] = [];
  for (const [name, expected] of Object.entries(files)) {
    if (expected === undefined) continue;
    const file = join(folder, name);
    const bytes = await readWhole(folder, name).catch((cause: unknown) => {
      if (isSystemError(cause, 'ENOENT')) return undefined;
      throw cause;
    });
    if (bytes === undefined) wrong.push(`${printable(file)} is missing`);
    else if (checksum(bytes).sha256 !== expected.sha256) wrong.push(`${printable(file)} ${CHANGED}`);
  }
  return wrong;
}

async function readRun(folder: string): Promise<AlertRun> {
  const file = join(folder, RUN);
  let value: unknown;
  try {
    value = JSON.parse((await readWhole(folder, RUN)).toString('utf8'));
  } catch (cause) {
    if (isSystemError(cause, 'ENOENT') || isSystemError(cause, 'ENOTDIR')) {
      throw new RecalError('no-alerts', `${printable(folder)} contains no alerts`, {
        hint: 'create them with: recal detect … --out DIR',
        cause,
      });
    }
    if (cause instanceof SyntaxError) throw damaged(file, 'not valid JSON');
    throw cause;
  }
  const head = z.looseObject({ format: z.string(), version: z.number() }).safeParse(value);
  if (!head.success || head.data.format !== 'recal-alerts') {
    throw new RecalError('foreign-file', `${printable(file)} was not written by recal detect`, {
      hint: 'use the folder that recal detect wrote with --out',
      where: { file },
    });
  }
  if (head.data.version !== ALERT_VERSION) {
    const { version } = head.data;
    throw new RecalError(
      'alerts-version',
      `the alerts in ${printable(folder)} have version ${version}; this recal reads version ${ALERT_VERSION}`,
      {
        hint: version > ALERT_VERSION ? 'update recal' : 'run recal detect again',
        where: { file },
      },
    );
  }
  const run = runSchema.safeParse(value);
  if (!run.success) throw damaged(file, describeIssue(run.error));
  const { checksum: sum, ...rest } = run.data;
  if (sum !== undefined && sum !== checksum(safeJson(rest)).sha256) {
    throw damaged(file, 'it does not match its own checksum');
  }
  return run.data;
}

async function readLines<T>(
  folder: string,
  name: typeof ALERTS | typeof INCIDENTS,
  run: AlertRun,
  schema: z.ZodType<T>,
): Promise<T[]> {
  const file = join(folder, name);
  const bytes = await readWhole(folder, name).catch((cause) => {
    throw isSystemError(cause, 'ENOENT') ? damaged(file, 'the file is missing') : cause;
  });
  if (checksum(bytes).sha256 !== run.files[name].sha256) {
    throw damaged(file, `checksum mismatch: it was changed after ${RUN} was written`);
  }
  const found: T[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    found.push(parseLine(bytes.toString('utf8', start, end), schema, file, line));
    start = end + 1;
  }
  return found;
}

function parseLine<T>(line: string, schema: z.ZodType<T>, file: string, number: number): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw damaged(file, 'not valid JSON', number);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw damaged(file, describeIssue(parsed.error), number);
  return parsed.data;
}

async function readWhole(folder: string, name: string): Promise<Buffer> {
  const file = join(folder, name);
  const { size } = await stat(stagedPath(folder, name)).catch(() => stat(file));
  if (size > MOST_BYTES) {
    throw new RecalError(
      'alerts-too-large',
      `${printable(file)} is too large: ${size} bytes, the limit is ${MOST_BYTES}`,
      {
        hint: 'run recal detect again with a stricter --threshold',
        where: { file },
      },
    );
  }
  return readReplaced(folder, name);
}

/** Throws rather than overwrite a file that recal did not write. */
async function refuseForeign(folder: string): Promise<void> {
  try {
    await readRun(folder);
  } catch (error) {
    if (!(error instanceof RecalError)) throw error;
    if (error.code === 'alerts-version' || error.code === 'alerts-damaged') return; // written by recal, so it may be replaced
    if (error.code !== 'no-alerts') throw error;
    for (const name of [ALERTS, INCIDENTS, CSV]) {
      const exists = await stat(join(folder, name)).then(
        () => true,
        () => false,
      );
      // An interrupted first run of 0.1.0 left files without run.json.
      if (exists && !(await startsLikeOurs(folder, name))) {
        throw new RecalError('foreign-file', `${printable(join(folder, name))} was not written by recal`, {
          hint: 'choose a new or empty folder',
        });
      }
    }
  }
}

async function startsLikeOurs(folder: string, name: string): Promise<boolean> {
  const start = (await readWhole(folder, name)).toString('utf8', 0, 64);
  return start === '' || start.startsWith('{"version":') || start.startsWith('alert,incident,');
}

function lines(records: readonly object[]): string {
  return records.map((record) => `${safeJson(record)}\n`).join('');
}

function checksum(content: string | Buffer): z.output<typeof fileSchema> {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function damaged(file: string, why: string, line?: number): RecalError {
  return new RecalError('alerts-damaged', `${printable(file)} is damaged: ${why}`, {
    hint: 'run recal detect again',
    where: line === undefined ? { file } : { file, line },
  });
}

function describeIssue({ issues: [{ path, message }] }: z.ZodError): string {
  return printable(path.length === 0 ? message : `${path.join('.')}: ${message}`, 200);
}
