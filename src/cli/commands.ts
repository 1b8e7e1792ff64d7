import { command as calibrate } from './calibrate.js';
import type { Command } from './command.js';
import { command as demo } from './demo.js';
import { command as detect } from './detect.js';
import { command as drift } from './drift.js';
import { command as drop } from './drop.js';
import { command as evaluate } from './evaluate.js';
import { command as explain } from './explain.js';
import { command as ingest } from './ingest.js';
import { command as inspect } from './inspect.js';
import { command as model } from './model.js';
import { command as reproduce } from './reproduce.js';
import { settingsCommand } from './settings.js';
import { command as simulate } from './simulate.js';
import { command as sweep } from './sweep.js';
import { command as train } from './train.js';

// In the order of `recal --help`. A new command is one import and one line here.
const working: readonly Command[] = [
  ...[demo, inspect, ingest, drop, train, calibrate, detect, explain, drift],
  ...[evaluate, sweep, reproduce, model, simulate],
];

export const commands: readonly Command[] = [...working, settingsCommand(working)];
