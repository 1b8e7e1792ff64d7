import type { DetectionReport } from '../../src/report/detection/detection-report.js';
import type { SmallAlerts } from '../detect/alerts/small-alerts.js';

/** A report of one incident with three alerts; `given` replaces parts of it. */
export function smallReport(small: SmallAlerts, given: Partial<DetectionReport> = {}): DetectionReport {
  const { alerts, incidents, events } = small;
  const { ts, length } = events.table;
  return {
    alerts,
    incidents,
    span: [ts[0], ts[length - 1]],
    belowThreshold: [],
    run: {
      model: 'b'.repeat(64),
      hosts: ['h'],
      selection: { split: 'test', host: null, from: null, to: null },
      counts: {
        events: 36,
        entities: 5,
        instances: 5,
        candidates: 5,
        graphs: 1,
        alerts: 3,
        alertsLeftOut: 0,
      },
    },
    threshold: { value: 5, rule: 'budget:5/day', note: null, hostDays: 1 },
    ...given,
  };
}
