import { compileDirection, DIRECTIONS } from '../../graph/direction.js';
import type { Reading } from '../../store/manifest.js';
import { type Look, renderTable } from './tables.js';

/** How each relation was read: what it does, and where its information flows. */
export function renderReadings(readings: readonly Reading[], look: Look): string[] {
  const reversed = compileDirection(
    DIRECTIONS.flow,
    readings.map(({ relation }) => relation),
  );
  const rows = readings.map((reading, i) => {
    const inward = reading.in + (reversed[i] === 1 ? reading.unset : 0);
    const total = reading.in + reading.out + reading.unset;
    return [reading.relation, reading.action, directionText(inward, total - inward), total];
  });
  return [
    ...renderTable(['relation', 'action', 'direction', 'events'], rows, look),
    '',
    'direction: information flows in (from the object to the subject), out, or both',
  ];
}

function directionText(inward: number, outward: number): string {
  if (outward === 0) return 'in';
  return inward === 0 ? 'out' : 'both';
}
