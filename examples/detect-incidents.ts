// Trains on benign days of a simulated server, judges the day of the attack and prints the incidents.
//
// Usage: node detect-incidents.js FOLDER
import { join } from 'node:path';
import { detect, ingestFiles, simulate, train } from 'recal-ids';

const folder = process.argv[2] ?? 'detect-incidents';
const [world, store, model] = ['world', 'store', 'model.recal'].map((name) => join(folder, name));

// A simulated server: training days, a calibration day and a day with attacks.
await simulate({ scenario: 'demo', seed: 1, events: 20_000, out: world });
for (const split of ['train', 'calibrate', 'test']) {
  await ingestFiles([join(world, `${split}.json`)], { store, split, append: true });
}

const training = await train({
  store,
  model,
  selection: { split: 'train' },
  calibrateSplit: 'calibrate',
  training: { epochs: 2, seed: 1 },
  watch: { notice: ({ message }) => console.warn(message) },
});
console.log(`trained on ${training.events} events, model ${training.id.slice(0, 12)}`);

const { incidents, report } = await detect({
  store,
  model,
  selection: { split: 'test' },
  threshold: 'fpr:0.01',
  out: join(folder, 'alerts'),
});
for (const { rank, score, sentence } of incidents.slice(0, 5)) {
  console.log(`${rank}. score ${score.toFixed(1)}: ${sentence}`);
}
console.log(`open ${report}`);
