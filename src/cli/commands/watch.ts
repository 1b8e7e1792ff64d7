import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings, type SettingValues } from '../../base/settings/settings.js';
import { SEVERITIES } from '../../detect/alerts/severity.js';
import { DETECTION_PRESETS, DETECTION_SETTINGS } from '../../detect/detection-config.js';
import { parseThreshold } from '../../detect/threshold/threshold.js';
import { openSinks } from '../../live/sinks/open-sink.js';
import { sourceOf } from '../../live/sources/open-source.js';
import { watch } from '../../live/watch/watch.js';
import { WatchFolder } from '../../live/watch/watch-folder.js';
import { watchLog } from '../../live/watch/watch-log.js';
import type { WatchStatus } from '../../live/watch/watch-options.js';
import { PRESETS, TRAINING_SETTINGS } from '../../model/training/training-config.js';
import { DEFAULT_EPISODES } from '../../pipeline/calibration-summary.js';
import { readManifest } from '../../store/manifest.js';
import { type CommandContext, defineCommand } from '../command.js';
import { configSettings, givenValues } from '../settings/config-settings.js';
import { durationType, nanosecondsOf, secondsOf } from '../settings/duration.js';
import { readingSettings } from '../settings/reading.js';
import { readSecret } from '../settings/secret-file.js';
import { threadsSetting } from '../settings/threads.js';
import { formatCount } from '../terminal/quantities.js';

const { format, host, timeUnit, maxLine } = readingSettings;
const file = (description: string) =>
  ({ type: z.string().min(1).optional(), description, value: 'FILE' }) as const;
const time = (fallback: string, description: string, options = {}) =>
  ({ type: durationType(options).default(fallback), description, value: 'TIME' }) as const;

const settings = defineSettings({
  dir: {
    type: z.string().min(1),
    description: 'folder for the store, models, alerts and the checkpoint',
    value: 'DIR',
  },
  to: {
    type: z.array(z.string().min(1)).default([]),
    description: 'receiver of incidents, as SHAPE:TARGET; recal send --help lists them',
    value: 'RECEIVER',
  },
  learn: time('7d', 'how long to collect events before the first model is trained'),
  retrain: time('7d', 'how often to train a new model, or never', { never: true }),
  once: {
    type: z.boolean().default(false),
    description: 'process what the sources contain now, then exit',
  },
  threshold: {
    type: z.string().default(DEFAULT_EPISODES),
    description: 'which incidents to send: top:N/day, budget:N/day, fpr:P or fdr:Q',
    value: 'RULE',
  },
  minSeverity: {
    type: z.enum(SEVERITIES).default('info'),
    description: 'leave out incidents below this severity',
    value: 'LEVEL',
  },
  tellEvery: time('30s', 'how often to look for new incidents'),
  late: time('2m', 'how long to wait for late events before closing a window'),
  span: time('1d', 'period over which incidents are ranked'),
  commitEvery: time('2s', 'how often to store new events'),
  keep: {
    type: durationType().optional(),
    description: 'remove events older than this (default: keep all)',
    value: 'TIME',
  },
  rollback: { type: z.boolean().default(false), description: 'return to the previous model' },
  metrics: {
    type: z
      .string()
      .regex(/^(off|.+:\d{1,5})$/, 'expected ADDRESS:PORT or off')
      .default('127.0.0.1:9470'),
    description: 'address of /metrics and /healthz, or off',
    value: 'ADDRESS:PORT',
  },
  log: { type: z.enum(['text', 'json']).default('text'), description: 'format of the log lines on stderr' },
  secretFile: file('file with the key that signs the body of webhooks'),
  tokenFile: file('file with the value of the Authorization header for receivers'),
  listenTokenFile: file('file with the bearer token that log senders must present'),
  listenCert: file('file with the certificate of https sources'),
  listenKey: file('file with the private key of that certificate'),
  listenCa: file('file with the certificate authorities that log senders must have a certificate from'),
  format,
  host,
  timeUnit,
  maxLine,
  threads: threadsSetting('the result'),
  ...configSettings(TRAINING_SETTINGS, PRESETS, { options: ['profile', 'window', 'epochs', 'seed'] }),
  ...configSettings(DETECTION_SETTINGS, DETECTION_PRESETS),
});

export const command = defineCommand({
  details:
    'A source is a file or glob (with its rotated and compressed parts), - for standard input, unix:PATH for the socket of ' +
    "auditd's af_unix plugin, or http://ADDRESS:PORT to take logs from Fluent Bit or Vector. RECAL collects events, trains a model, " +
    'then sends incidents to the receivers as they happen. After a stop or a crash, the same command continues where it left off.',
  examples: [
    'recal watch /var/log/audit/audit.log --dir /var/lib/recal --to slack:https://hooks.example.com/T1/B2',
    'recal watch unix:/run/audispd_events --dir /var/lib/recal --to ocsf:/var/lib/recal/findings.jsonl --keep 30d',
    'recal watch /var/log/tetragon/tetragon.log --dir host --to recal:- --once',
  ],
  arguments: { sources: { description: 'where the logs come from', many: true } },
  settings,
  async run({ sources: specs }, values, context) {
    const { out, signal } = context;
    parseThreshold(values.threshold); // fails before anything is opened
    const folder = new WatchFolder(values.dir);
    await refuseStore(values.dir);
    await folder.make();
    const token = (await readSecret(values.listenTokenFile)) ?? process.env.RECAL_LISTEN_TOKEN;
    const tls = await tlsOf(values);
    const sources = specs.map((spec) => sourceOf(spec, { spool: folder.spool, token, tls }));
    const secret = await readSecret(values.secretFile);
    const authorization = await readSecret(values.tokenFile);
    const sinks = await openSinks(values.to, { secret, authorization });
    const { keep, metrics, threads } = values;
    const status = await watch({
      folder,
      sources,
      sinks,
      signal,
      threads,
      reading: {
        format: values.format,
        host: values.host,
        timeUnit: values.timeUnit,
        maxLine: values.maxLine,
      },
      once: values.once,
      rollback: values.rollback,
      learn: nanosecondsOf(values.learn),
      retrain: nanosecondsOf(values.retrain),
      span: nanosecondsOf(values.span),
      latenessMs: secondsOf(values.late) * 1000,
      tellEveryMs: secondsOf(values.tellEvery) * 1000,
      commitEveryMs: secondsOf(values.commitEvery) * 1000,
      keep: keep === undefined ? undefined : nanosecondsOf(keep),
      threshold: values.threshold,
      minSeverity: values.minSeverity,
      metrics: metrics === 'off' || (values.once && !isGiven(context)) ? undefined : metrics,
      training: givenValues(TRAINING_SETTINGS, values),
      detection: givenValues(DETECTION_SETTINGS, values),
      log: watchLog(values.log, (line, level) => {
        if (values.log === 'json') process.stderr.write(`${line}\n`);
        else if (level === 'info') out.info(line);
        else out.warn(line);
      }),
      progress: (now) => out.status(describe(now)),
    }).finally(() => out.status(''));
    out.result(status, () => [`${describe(status)}; the store is ${printable(folder.store)}`]);
    return EXIT.done;
  },
});

/** The watch keeps a store of its own, and would mix its files with those of another. */
async function refuseStore(dir: string): Promise<void> {
  if ((await readManifest(dir)) === undefined) return;
  throw new RecalError(
    'usage-invalid-argument',
    `${printable(dir)} is a store, not a folder of recal watch`,
    {
      hint: 'set --dir to another folder; the watch keeps its own store in it',
      exit: EXIT.usage,
    },
  );
}

/** A single run needs no metrics unless they are asked for. */
function isGiven({ places }: CommandContext): boolean {
  return places.flags.metrics !== undefined;
}

async function tlsOf(values: SettingValues<typeof settings.shape>) {
  const { listenCert, listenKey, listenCa } = values;
  if (listenCert === undefined || listenKey === undefined) return undefined;
  const [cert, key] = [await readSecret(listenCert), await readSecret(listenKey)];
  return { cert, key, ca: await readSecret(listenCa) };
}

function describe({ phase, learned, events, told, incidents, suppressed, waiting }: WatchStatus): string {
  const what = phase === 'learning' ? `learning: ${Math.floor(learned * 100)} % collected` : phase;
  const rest = waiting > 0 ? `; ${formatCount(waiting)} notifications wait for a receiver` : '';
  const held = suppressed > 0 ? `; ${formatCount(suppressed)} suppressed` : '';
  return `${what}; this run: ${countOf(events, 'event')}, ${countOf(told, 'notification')}; incidents so far: ${formatCount(incidents)}${held}${rest}`;
}
