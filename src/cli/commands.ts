import type { Command } from './command.js';
import { command as calibrate } from './commands/calibrate.js';
import { command as demo } from './commands/demo.js';
import { command as detect } from './commands/detect.js';
import { command as drift } from './commands/drift.js';
import { command as drop } from './commands/drop.js';
import { command as evaluate } from './commands/evaluate.js';
import { command as explain } from './commands/explain.js';
import { command as ingest } from './commands/ingest.js';
import { command as inspect } from './commands/inspect.js';
import { command as model } from './commands/model.js';
import { command as reproduce } from './commands/reproduce.js';
import { settingsCommand } from './commands/settings.js';
import { command as simulate } from './commands/simulate.js';
import { command as sweep } from './commands/sweep.js';
import { command as train } from './commands/train.js';

// In the order of `recal --help`. A new command is one import and one line here.
const working: readonly Command[] = [
  demo,
  inspect,
  ingest,
  drop,
  train,
  calibrate,
  detect,
  explain,
  drift,
  evaluate,
  sweep,
  reproduce,
  model,
  simulate,
];

export const commands: readonly Command[] = [...working, settingsCommand(working)];
