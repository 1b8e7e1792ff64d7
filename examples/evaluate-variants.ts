// Compares RECAL with a rarity baseline on a labelled simulated server and prints the average precision of both.
//
// Usage: node evaluate-variants.js FOLDER
import { join } from 'node:path';
import { evaluate, simulate } from 'recal-ids';

const folder = process.argv[2] ?? 'evaluate-variants';
const world = join(folder, 'world');
await simulate({ scenario: 'demo', seed: 2, events: 20_000, out: world });

const result = await evaluate({
  train: [join(world, 'train.json')],
  calibrate: [join(world, 'calibrate.json')],
  test: [join(world, 'test.json')],
  labels: join(world, 'labels.csv'),
  variants: ['recal', 'rarity'],
  seeds: [0],
  training: { epochs: 2 },
  out: join(folder, 'figures'),
});
for (const [name, { mean }] of Object.entries(result.variants)) {
  console.log(`${name}: average precision ${mean.ap?.toFixed(3)}, AUROC ${mean.auroc?.toFixed(3)}`);
}
console.log(`open ${join(folder, 'figures', 'report.html')}`);
