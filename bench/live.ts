import { parseArgs } from 'node:util';
import { FORMATS } from './live/logs.js';
import { measureRates } from './live/rates.js';
import { measureMemory } from './live/soak.js';
import { measureSpeed } from './live/speed.js';
import { describeMachine, withFolder } from './measurement.js';

/**
 * `npm run bench -- live [--only speed,rates,soak] [--events 500000] [--formats auditd,cdm18,ndjson]` measures `recal watch` on
 * auditd text, CDM and recal NDJSON, beside a loop that only parses each line.
 *
 * - `speed`: events stored per second while it learns, and events per second from the log to scored windows, without the training
 * - `rates`: at which rate of new lines the lag grows, with `--seconds 10` at each rate
 * - `soak`: the memory of the main process for `--lengths 1000000,5000000` events, with `--entities 0.625` new entities per event
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: 'speed,rates,soak' },
      events: { type: 'string', default: '500000' },
      formats: { type: 'string', default: FORMATS.join(',') },
      seconds: { type: 'string', default: '10' },
      lengths: { type: 'string', default: '1000000,5000000' },
      entities: { type: 'string', default: '0.625' },
    },
  });
  const { events } = values;
  const seconds = Number(values.seconds);
  const lengths = values.lengths.split(',').map(Number);
  const formats = FORMATS.filter((each) => values.formats.split(',').includes(each));
  const parts = {
    speed: (folder: string) => measureSpeed(folder, formats, events),
    rates: (folder: string) => measureRates(folder, { formats, events, seconds }),
    soak: (folder: string) => measureMemory(folder, lengths, Number(values.entities)),
  };
  console.log(describeMachine());
  for (const [name, part] of Object.entries(parts))
    if (values.only.split(',').includes(name)) await withFolder(`live-${name}`, part);
}
