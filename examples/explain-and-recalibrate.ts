// Explains the first incident of an earlier detection, then recalibrates the model on benign events and detects again.
//
// Usage: node explain-and-recalibrate.js FOLDER   (the folder that detect-incidents.js filled)
import { join } from 'node:path';
import { calibrate, detect, explain, readAlertFiles } from 'recal-ids';

const folder = process.argv[2] ?? 'detect-incidents';
const [store, model, alerts] = ['store', 'model.recal', 'alerts'].map((name) => join(folder, name));

const { incidents } = await readAlertFiles(alerts);
const { explained, rawEvents } = await explain({ alerts, id: incidents[0].id, events: 5 });
for (const alert of explained) {
  console.log(alert.sentence);
  for (const { kind, relation, value, n } of alert.evidence.slice(0, 3)) {
    console.log(`  ${kind} ${relation ?? ''}: ${value.toFixed(3)}, compared with ${n} benign values`);
  }
}
for (const { time, relation, object } of rawEvents[0].events) {
  console.log(`  ${time.iso} ${relation} ${object?.name ?? ''}`);
}

// A cautious analyst keeps events out of calibration that already look like an attack.
const { threshold, keptOut } = await calibrate({
  store,
  model,
  selection: { split: 'calibrate' },
  keepOut: 'fpr:0.01',
});
console.log(`kept out ${keptOut?.high ?? 0} instances; ${threshold.rule} is now score ${threshold.tau.toFixed(2)}`);
const again = await detect({ store, model, selection: { split: 'test' }, out: join(folder, 'recalibrated') });
console.log(`${again.counts.incidents} incidents after recalibration`);
