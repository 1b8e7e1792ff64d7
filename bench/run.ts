import { run as detect } from './detect.js';
import { run as falseAlarms } from './false-alarms.js';
import { run as ingest } from './ingest.js';
import { run as knn } from './knn.js';
import { run as simulate } from './simulate.js';
import { run as study } from './study.js';
import { run as train } from './train.js';

// `npm run bench -- NAME [ARGUMENTS]`: time is a ratio to a peer measured in the same run where there is one; tests assert none.
const benches: Record<string, (args: string[]) => Promise<void>> = {
  detect,
  'false-alarms': falseAlarms,
  ingest,
  knn,
  simulate,
  study,
  train,
};

const [name, ...rest] = process.argv.slice(2);
const bench = benches[name ?? ''];
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [arguments]`);
  process.exitCode = 2;
} else await bench(rest);
