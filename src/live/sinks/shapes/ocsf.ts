import { ownVersion } from '../../../base/own-version.js';
import { safeJson } from '../../../base/safe-json.js';
import type { Severity } from '../../../detect/alerts/severity.js';
import type { Notification, NotificationEntity } from '../notification.js';
import type { Shape } from '../shape.js';

const SCHEMA_VERSION = '1.3.0';
const FINDINGS = 2;
const DETECTION_FINDING = 2004;
/** Machine learning. */
const LEARNING = 4;

const ACTIVITIES = { new: 1, updated: 2, closed: 3 } as const;
const STATUSES = { new: 1, updated: 2, closed: 4 } as const;
const VERDICTS = { malicious: 2, unsure: 4, benign: 5 } as const;
const SEVERITY_IDS: Readonly<Record<Severity, number>> = { info: 1, low: 2, medium: 3, high: 4, critical: 5 };

/** OCSF 1.3.0, class Detection Finding (2004). */
export const ocsf: Shape = {
  name: 'ocsf',
  title: 'OCSF Detection Finding',
  contentType: 'application/json',
  message: (notification) => safeJson(finding(notification)),
};

function finding(notification: Notification): unknown {
  const activity = ACTIVITIES[notification.status];
  const version = ownVersion();
  return {
    activity_id: activity,
    category_uid: FINDINGS,
    class_uid: DETECTION_FINDING,
    type_uid: DETECTION_FINDING * 100 + activity,
    severity_id: SEVERITY_IDS[notification.severity],
    status_id: STATUSES[notification.status],
    time: notification.triage?.time ?? notification.last,
    start_time: notification.first,
    end_time: notification.last,
    is_alert: true,
    message: notification.sentence,
    metadata: {
      version: SCHEMA_VERSION,
      uid: `${notification.id}.${notification.revision}`,
      product: { name: 'RECAL', vendor_name: 'RECAL', version },
    },
    device: { hostname: notification.host, type_id: 0 },
    finding_info: {
      uid: notification.id,
      title: notification.title,
      desc: notification.sentence,
      first_seen_time: notification.first,
      last_seen_time: notification.last,
      analytic: { type_id: LEARNING, name: 'recal', version, uid: notification.model },
    },
    evidences: notification.entities.map((entity) => ({
      ...evidence(entity),
      ...(notification.triage && { verdict_id: VERDICTS[notification.triage.verdict] }),
    })),
    ...(notification.triage && { comment: notification.triage.note }),
    unmapped: {
      score: notification.score,
      rank: notification.rank,
      ...(notification.triage && {
        verdict: notification.triage.verdict,
        author: notification.triage.author,
      }),
    },
  };
}

function evidence({ type, name, id, pid, cmd }: NotificationEntity): object {
  const label = name ?? id;
  if (type === 'process') {
    return {
      process: { uid: id, name: label, ...(pid !== null && { pid }), ...(cmd !== null && { cmd_line: cmd }) },
    };
  }
  if (type === 'file' || type === 'module')
    return { file: { uid: id, name: label, path: label, type_id: 1 } };
  if (type === 'flow') return { dst_endpoint: endpoint(label) };
  return { data: { type, name: label, uid: id } };
}

function endpoint(name: string): unknown {
  const match = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(name);
  return match === null ? { name } : { ip: match[1], port: Number(match[2]) };
}
