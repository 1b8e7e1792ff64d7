import { ownVersion } from '../../../base/own-version.js';
import { safeJson } from '../../../base/safe-json.js';
import type { Severity } from '../../../detect/alerts/severity.js';
import type { Shape } from '../shape.js';

/** Numbers and texts of OpenTelemetry's log data model. */
const SEVERITIES: Readonly<Record<Severity, readonly [number, string]>> = {
  info: [9, 'INFO'],
  low: [10, 'INFO2'],
  medium: [13, 'WARN'],
  high: [17, 'ERROR'],
  critical: [21, 'FATAL'],
};

/** One ExportLogsServiceRequest of OTLP/HTTP with JSON encoding, for `/v1/logs` of a collector. */
export const otlp: Shape = {
  name: 'otlp',
  title: 'OpenTelemetry log record',
  contentType: 'application/json',
  message(notification) {
    const [severityNumber, severityText] = SEVERITIES[notification.severity];
    const [process] = notification.entities.filter(({ type }) => type === 'process');
    const attributes = [
      text('event.name', 'recal.finding'),
      text('recal.incident', notification.id),
      text('recal.status', notification.status),
      integer('recal.revision', notification.revision),
      integer('recal.rank', notification.rank),
      { key: 'recal.score', value: { doubleValue: notification.score } },
      text('recal.model', notification.model),
    ];
    if (notification.triage !== undefined) {
      const { verdict, note, author } = notification.triage;
      attributes.push(text('recal.verdict', verdict), text('recal.note', note), text('recal.author', author));
    }
    if (process !== undefined) {
      attributes.push(text('process.executable.path', process.name ?? process.id));
      if (process.pid !== null) attributes.push(integer('process.pid', process.pid));
    }
    return safeJson({
      resourceLogs: [
        {
          resource: { attributes: [text('service.name', 'recal'), text('host.name', notification.host)] },
          scopeLogs: [
            {
              scope: { name: 'recal', version: ownVersion() },
              logRecords: [
                {
                  timeUnixNano: `${notification.last}000000`,
                  observedTimeUnixNano: `${notification.last}000000`,
                  severityNumber,
                  severityText,
                  eventName: 'recal.finding',
                  body: { stringValue: notification.sentence },
                  attributes,
                },
              ],
            },
          ],
        },
      ],
    });
  },
};

type Attribute = { key: string; value: Record<string, unknown> };

function text(key: string, value: string): Attribute {
  return { key, value: { stringValue: value } };
}

/** 64-bit integers are strings in OTLP's JSON. */
function integer(key: string, value: number): Attribute {
  return { key, value: { intValue: String(value) } };
}
