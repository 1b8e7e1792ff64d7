import { ownVersion } from '../../../base/own-version.js';
import { safeJson } from '../../../base/safe-json.js';
import type { Notification, NotificationEntity } from '../notification.js';
import type { Shape } from '../shape.js';
import { SEVERITY_SCORES } from './severity-scores.js';

const ECS_VERSION = '8.11.0';

/** An Elastic Common Schema document for the data stream `logs-recal.alerts-default`. */
export const ecs: Shape = {
  name: 'ecs',
  title: 'Elastic Common Schema',
  contentType: 'application/json',
  message: (notification) => safeJson(document(notification)),
};

function document(notification: Notification): unknown {
  const of = (type: NotificationEntity['type']) =>
    notification.entities.filter((entity) => entity.type === type);
  const [process] = of('process');
  const [file] = of('file');
  const addresses = of('flow').flatMap(({ name }) => (name === null ? [] : [name.replace(/:\d+$/, '')]));
  return {
    '@timestamp': new Date(notification.last).toISOString(),
    ecs: { version: ECS_VERSION },
    data_stream: { type: 'logs', dataset: 'recal.alerts', namespace: 'default' },
    event: {
      kind: 'alert',
      category: ['intrusion_detection'],
      type: ['info'],
      module: 'recal',
      dataset: 'recal.alerts',
      id: `${notification.id}.${notification.revision}`,
      severity: SEVERITY_SCORES[notification.severity],
      risk_score: SEVERITY_SCORES[notification.severity],
      reason: notification.sentence,
      start: new Date(notification.first).toISOString(),
      end: new Date(notification.last).toISOString(),
    },
    rule: { id: 'recal', name: 'RECAL incident', version: ownVersion(), ruleset: notification.model },
    host: { name: notification.host },
    related: { hosts: [notification.host], ip: [...new Set(addresses)] },
    message: notification.sentence,
    ...(process !== undefined && {
      process: {
        entity_id: process.id,
        executable: process.name ?? process.id,
        ...(process.pid !== null && { pid: process.pid }),
        ...(process.cmd !== null && { command_line: process.cmd }),
      },
    }),
    ...(file !== undefined && { file: { path: file.name ?? file.id } }),
    recal: {
      incident: notification.id,
      revision: notification.revision,
      status: notification.status,
      rank: notification.rank,
      score: notification.score,
      ...(notification.triage && { triage: notification.triage }),
      entities: notification.entities.map(({ type, name, id, score }) => ({ type, name: name ?? id, score })),
    },
  };
}
