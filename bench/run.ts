import { run as ablationOrder } from './ablation-order.js';
import { run as audit } from './audit.js';
import { run as constants } from './constants.js';
import { run as contestants } from './contestants.js';
import { run as detect } from './detect.js';
import { run as falseAlarms } from './false-alarms.js';
import { run as faults } from './faults.js';
import { run as formats } from './formats.js';
import { run as fuzz } from './fuzz.js';
import { run as hosts } from './hosts.js';
import { run as ingest } from './ingest.js';
import { run as knn } from './knn.js';
import { run as live } from './live.js';
import { run as liveAudit } from './live-audit.js';
import { run as outages } from './outages.js';
import { run as ranks } from './ranks.js';
import { run as rivalSearch } from './rival-search.js';
import { run as rivals } from './rivals.js';
import { run as simulate } from './simulate.js';
import { run as soak } from './soak.js';
import { run as study } from './study.js';
import { run as train } from './train.js';
import { run as veloxSearch } from './velox-search.js';

interface Benchmark {
  readonly summary: string;
  readonly run: (args: string[]) => Promise<void>;
}

/** Benchmarks print times, as ratios to a peer in the same run where there is one. Tests assert no times. */
const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  'ablation-order': { summary: 'compare the order of the ablations with the paper', run: ablationOrder },
  audit: { summary: 'compare recal ingest of audit logs with a pattern per field', run: audit },
  constants: { summary: 'show ranks with constants chosen on other traces', run: constants },
  contestants: { summary: 'compare all contestants on the traces of the docs', run: contestants },
  detect: { summary: 'measure time and memory of recal detect by stage', run: detect },
  'false-alarms': { summary: 'compare false alarms with the threshold rules', run: falseAlarms },
  faults: { summary: 'flip bits of stored files and kill commands', run: faults },
  formats: { summary: 'compare reading each log format with parsing lines in one thread', run: formats },
  fuzz: { summary: 'read changed logs, stores, models, labels and configurations', run: fuzz },
  hosts: { summary: 'measure the processor time of many small hosts', run: hosts },
  ingest: { summary: 'compare recal ingest with a JSON.parse loop', run: ingest },
  knn: { summary: 'compare the kNN search with brute force', run: knn },
  live: { summary: 'measure recal watch against a loop that only parses', run: live },
  'live-audit': { summary: 'break in on an audited host that recal watch has learned', run: liveAudit },
  outages: { summary: 'kill recal watch and its receiver, fill its disk, take its log away', run: outages },
  ranks: { summary: 'show at which incident each attack is first seen', run: ranks },
  'rival-search': { summary: 'compare settings of published rivals on simulated hosts', run: rivalSearch },
  rivals: { summary: 'measure time and memory of each contestant of recal compare', run: rivals },
  simulate: { summary: 'measure the simulator', run: simulate },
  soak: { summary: 'compare the memory of recal ingest for short and long logs', run: soak },
  study: { summary: 'evaluate recal with one setting changed at a time', run: study },
  train: { summary: 'compare training with PyTorch', run: train },
  'velox-search': { summary: 'compare settings of the variant velox', run: veloxSearch },
};

const [name = '', ...args] = process.argv.slice(2);
if (Object.hasOwn(BENCHMARKS, name)) await BENCHMARKS[name].run(args);
else {
  console.error('usage: npm run bench -- NAME [ARGUMENTS]\n');
  for (const [each, { summary }] of Object.entries(BENCHMARKS)) {
    console.error(`  ${each.padEnd(14)} ${summary}`);
  }
  process.exitCode = 2;
}
