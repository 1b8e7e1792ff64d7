import { beforeAll, expect, test } from 'vitest';
import { columnsOf } from '../../../src/cli/terminal/columns.js';
import { renderTextGraph } from '../../../src/cli/terminal/text-graph.js';
import type { Alert } from '../../../src/detect/alerts/alert.js';
import { ENTITIES, HOSTILE, makeSmallAlerts } from '../../detect/alerts/small-alerts.js';
import { sharedFolder } from '../../folders.js';

const wide = { width: Number.POSITIVE_INFINITY, unicode: true };
let alert: Alert;
beforeAll(async () => {
  const { alerts } = await makeSmallAlerts(sharedFolder(), { dropper: HOSTILE.terminal });
  alert = alerts.find(({ entity }) => entity.id === ENTITIES.nginx) as Alert;
});

test('the last line counts all other interactions, also those not in the alert', () => {
  const { interactions } = alert.neighbourhood;
  const more = { ...alert, neighbourhood: { total: 1004, interactions } };
  expect(renderTextGraph(more, wide, { most: 1 })).toEqual([
    'nginx (process, pid 98651)',
    '├─ EVENT_EXECUTE → \\e[2J\\e]0;owned\\x07sh\\r\\nforged line (file)',
    '└─ … 1,003 more interactions',
  ]);
});

test('there is one line per neighbour and direction', () => {
  const [first] = alert.neighbourhood.interactions;
  const open = { ...first, relation: 'EVENT_OPEN', count: 2 };
  const twice = { ...alert, neighbourhood: { total: 2, interactions: [first, open] } };
  expect(renderTextGraph(twice, wide)[1]).toMatch(/^└─ EVENT_EXECUTE, EVENT_OPEN ×2 → /);
});

test('prints ASCII, cut to the width, with marks and the parent', () => {
  const parent = { id: 'p', type: 'process', name: 'init' } as const;
  const marks = new Map([
    ['p', 'alert #1'],
    [ENTITIES.nginx, 'alert #2'],
  ]);
  const lines = renderTextGraph(
    { ...alert, entity: { ...alert.entity, parent } },
    { width: 40, unicode: false },
    { marks },
  );
  expect(lines.slice(0, 2)).toEqual([
    'parent init (process) [alert #1]',
    'nginx (process, pid 98651) [alert #2]',
  ]);
  for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(40);
  expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
  expect(lines.at(-1)).toMatch(/^`- EVENT_READ x31 -> /);
});
