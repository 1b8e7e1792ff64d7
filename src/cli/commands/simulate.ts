import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import { checkOutFolder } from '../../pipeline/out-folder.js';
import { type ScenarioManifest, totalCounts } from '../../simulate/manifest.js';
import { type Days, FORMATS, LAYOUTS, PLACEMENTS, SCENARIOS } from '../../simulate/options.js';
import { MANIFEST_FILE } from '../../simulate/output-folder.js';
import { simulate } from '../../simulate/simulate.js';
import { defineCommand } from '../command.js';
import { formatCount, formatDuration } from '../terminal/quantities.js';
import { type Look, renderTable } from '../terminal/tables.js';

export const command = defineCommand({
  details:
    'Writes logs, labels and scenario.json. The same options give the same bytes. An earlier simulation in the folder is ' +
    'replaced.',
  examples: [
    'recal simulate --scenario demo --out world',
    'recal simulate --scenario freebsd-server --events 5000000 --seed 7 --layout e3 --out e3',
    'recal simulate --scenario linux-desktop --attacks none --drift 0.5 --days 7,7,14 --out drifting',
  ],
  arguments: {},
  settings: defineSettings({
    scenario: {
      type: z.enum(SCENARIOS),
      description: `kind of host: ${SCENARIOS.join(', ')}`,
      value: 'NAME',
    },
    out: {
      type: z.string().min(1),
      description: 'new or empty folder, or one with an earlier simulation',
      value: 'DIR',
    },
    seed: {
      type: z.coerce.number().int().default(1),
      description: 'seed of the simulated world',
      value: 'N',
    },
    events: {
      type: z.coerce.number().int().positive().optional(),
      description: 'events per host in format cdm18 (default: 60,000 for demo, otherwise 1,000,000)',
      value: 'N',
    },
    stealth: {
      type: z.coerce.number().min(0).max(1).default(0.5),
      description: 'how quiet the attacks are, from 0 (loud) to 1 (quiet)',
      value: '0..1',
    },
    format: {
      type: z.enum(FORMATS).default('cdm18'),
      description: 'format of the logs; auditd, sysmon and tetragon for Linux hosts only',
    },
    layout: {
      type: z.enum(LAYOUTS).default('parts'),
      description: "parts: files for train, calibrate and test; e3: file names and dates of DARPA's release",
    },
    hosts: { type: z.coerce.number().int().min(1).default(1), description: 'number of hosts', value: 'N' },
    attacks: {
      type: z.enum(PLACEMENTS).default('test'),
      description: 'split with attacks; none for a benign host',
    },
    unusual: {
      type: z.enum(PLACEMENTS).default('test'),
      description: 'split with rare benign work; none for a test split like the others',
    },
    drift: {
      type: z.coerce.number().min(0).max(1).default(0),
      description: 'how much the host changes when the test split starts, from 0 to 1',
      value: '0..1',
    },
    days: {
      type: z
        .string()
        .regex(/^\d+,\d+,\d+$/, 'expected three whole numbers, such as 7,7,14')
        .optional(),
      description: 'days of train, calibrate and test (default: depends on the number of events)',
      value: 'N,N,N',
    },
  }),
  async run(_args, { events, days, ...settings }, { out, signal, progress }) {
    await checkOutFolder(settings.out);
    const started = performance.now();
    if (existsSync(join(settings.out, MANIFEST_FILE))) {
      out.info(`replacing the simulation in ${printable(settings.out)}`);
    }
    const bar = progress('simulating', { unit: 'events' });
    const options = {
      ...settings,
      ...(events === undefined ? {} : { events }),
      ...(days === undefined ? {} : { days: days.split(',').map(Number) as unknown as Days }),
    };
    const manifest = await simulate(options, (at) => bar.update(at.events), signal).finally(() =>
      bar.finish(),
    );
    const seconds = (performance.now() - started) / 1000;
    out.result({ ...manifest, seconds }, () => render(manifest, settings.out, seconds, out));
    return EXIT.done;
  },
});

function* render(manifest: ScenarioManifest, folder: string, seconds: number, look: Look): Generator<string> {
  yield* renderTable(
    ['host', 'file', 'role', 'from', 'events'],
    manifest.hosts.flatMap((host) =>
      host.files.map((file) => [host.name, file.name, file.role, file.from.slice(0, 19), file.events]),
    ),
    look,
  );
  yield '';
  if (manifest.hosts.some(({ attacks }) => attacks.length > 0)) {
    yield* renderAttacks(manifest, look);
    yield '';
  }
  yield* renderOmissions(manifest);
  const labels = manifest.hosts.reduce((sum, { labels }) => sum + labels.core + labels.touched, 0);
  const rate = formatCount(Math.round(manifest.events / seconds));
  const time = formatDuration(seconds * 1000);
  yield `${countOf(manifest.events, 'event')}, ${labels} labelled nodes in ${printable(folder)} (${time}, ${rate} events/s)`;
}

/** What the format of a collector leaves out. */
function* renderOmissions({ format, hosts }: ScenarioManifest): Generator<string> {
  const calls = Object.entries(totalCounts(hosts.map(({ unrecorded }) => unrecorded ?? {})));
  if (calls.length > 0) {
    const total = calls.reduce((sum, [, count]) => sum + count, 0);
    const most = calls.slice(0, 5).map(([call, count]) => `${call} ${formatCount(count)}`);
    yield `${format} does not record ${countOf(total, 'call')}: ${most.join(', ')}${calls.length > 5 ? ', …' : ''}`;
  }
  const unseen = hosts.reduce((sum, { labels }) => sum + (labels.unseen ?? 0), 0);
  if (unseen > 0) yield `${formatCount(unseen)} entities of attacks are not in the log and have no label`;
}

function* renderAttacks(manifest: ScenarioManifest, look: Look): Generator<string> {
  yield* renderTable(
    ['attack', 'what', 'from', 'until', 'events'],
    manifest.hosts.flatMap((host) =>
      host.attacks.map((attack) => [
        attack.id,
        attack.name,
        attack.from.slice(0, 19),
        attack.until.slice(0, 19),
        attack.events,
      ]),
    ),
    look,
  );
}
