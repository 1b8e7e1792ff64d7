import type { CommandDefinition, CommandEntry } from './command.js';

/** Commands in the order of `recal --help`. A command's modules load only when it runs. */
const working: readonly CommandEntry[] = [
  entry(
    'demo',
    'simulate a host under attack and find the attack, in about a minute',
    () => import('./commands/demo.js'),
  ),
  entry(
    'inspect',
    'show the contents of log files without storing them',
    () => import('./commands/inspect.js'),
  ),
  entry(
    'rules',
    'print a configuration for auditd, Sysmon, Tetragon or Falco',
    () => import('./commands/rules.js'),
  ),
  entry('ingest', 'read log files into a store', () => import('./commands/ingest.js')),
  entry('export', 'write events of a store as recal NDJSON', () => import('./commands/export.js')),
  entry('drop', 'remove old days from a store', () => import('./commands/drop.js')),
  entry(
    'verify',
    'check the files of a store or a results folder against their checksums',
    () => import('./commands/verify.js'),
  ),
  entry(
    'repair',
    'make a damaged store readable again by setting damaged parts aside',
    () => import('./commands/repair.js'),
  ),
  entry('train', 'train a model on benign events from a store', () => import('./commands/train.js')),
  entry(
    'calibrate',
    'calibrate a model for a new host or after drift, without training',
    () => import('./commands/calibrate.js'),
  ),
  entry(
    'detect',
    'score events with a model and write ranked, explained alerts and incidents',
    () => import('./commands/detect.js'),
  ),
  entry(
    'explain',
    'show why an alert or an incident was raised',
    () => import('./commands/incidents/explain.js'),
  ),
  entry(
    'incidents',
    'list incidents and the decisions about them',
    () => import('./commands/incidents/incidents.js'),
  ),
  entry('triage', 'record a verdict about an incident', () => import('./commands/incidents/triage.js')),
  entry('suppress', 'hide matching incidents until a date', () => import('./commands/incidents/suppress.js')),
  entry(
    'accept',
    'accept the new behaviours of a harmless incident as normal',
    () => import('./commands/incidents/accept.js'),
  ),
  entry(
    'send',
    'send incidents to other systems: webhooks, chat, syslog, SIEM',
    () => import('./commands/incidents/send.js'),
  ),
  entry(
    'doctor',
    'check the sensor, the store, the model and the machine',
    () => import('./commands/doctor.js'),
  ),
  entry(
    'watch',
    'follow logs, learn normal behaviour, and send incidents as they happen',
    () => import('./commands/watch.js'),
  ),
  entry(
    'drift',
    'check whether recent events still resemble those a model was calibrated on',
    () => import('./commands/drift.js'),
  ),
  entry(
    'evaluate',
    'compare variants of the detector on labelled logs',
    () => import('./commands/research/evaluate.js'),
  ),
  entry(
    'compare',
    'run RECAL and published detectors on the same labelled logs',
    () => import('./commands/research/compare.js'),
  ),
  entry(
    'sweep',
    'evaluate every combination of the given setting values',
    () => import('./commands/research/sweep.js'),
  ),
  entry(
    'reproduce',
    'run the published comparison on DARPA E3 logs',
    () => import('./commands/research/reproduce.js'),
  ),
  entry('model', 'show, sign or verify a model file', () => import('./commands/model.js')),
  entry(
    'simulate',
    'write realistic logs of a simulated host with labelled attacks',
    () => import('./commands/simulate.js'),
  ),
];

export const commands: readonly CommandEntry[] = [
  ...working,
  entry('settings', 'show the current settings and where each comes from', async () => {
    const { settingsCommand } = await import('./commands/settings.js');
    return { command: settingsCommand(working) };
  }),
];

function entry(
  name: string,
  summary: string,
  load: () => Promise<{ readonly command: CommandDefinition }>,
): CommandEntry {
  return { name, summary, load: async () => ({ ...(await load()).command, name, summary }) };
}
