import { join } from 'node:path';
import { z } from 'zod';
import { EXIT, RecalError } from '../../../base/errors.js';
import { printable } from '../../../base/printable.js';
import { defineSettings } from '../../../base/settings/settings.js';
import { SEVERITIES } from '../../../detect/alerts/severity.js';
import { openSinks, SHAPES } from '../../../live/sinks/open-sink.js';
import { sendAlerts } from '../../../live/sinks/send-alerts.js';
import { defineCommand } from '../../command.js';
import { readSecret } from '../../settings/secret-file.js';
import { triageSetting } from '../../settings/triage.js';
import { formatCount } from '../../terminal/quantities.js';

export const command = defineCommand({
  details:
    `Sends the incidents of an alerts folder to receivers. A receiver is SHAPE:TARGET. Shapes: ${SHAPES.map(({ name, title }) => `${name} (${title})`).join(', ')}. ` +
    'Targets: a file, - for standard output, or an http, https, udp, tcp or tls URL. Each receiver gets each incident once, and later its verdict from recal triage. ' +
    'Incidents that could not be delivered are kept in a file (--dead-letters).',
  examples: [
    'recal send slack:https://hooks.example.com/T1/B2 --alerts alerts',
    'recal send cef:udp://127.0.0.1:514 ocsf:findings.jsonl --alerts alerts --min-severity medium',
    'recal send recal:https://soc.example.com/hook --alerts alerts --secret-file hook.key',
  ],
  arguments: { receivers: { description: 'where to send, as SHAPE:TARGET', many: true } },
  settings: defineSettings({
    alerts: { type: z.string().min(1), description: 'folder that recal detect wrote', value: 'DIR' },
    top: {
      type: z.coerce.number().int().min(1).optional(),
      description: 'send only the first N incidents',
      value: 'N',
    },
    minSeverity: {
      type: z.enum(SEVERITIES).default('info'),
      description: 'leave out incidents below this severity',
      value: 'LEVEL',
    },
    triage: triageSetting,
    state: {
      type: z.string().min(1).optional(),
      description: 'file that records what was sent (default: sent.json in the alerts folder)',
      value: 'FILE',
    },
    deadLetters: {
      type: z.string().min(1).optional(),
      description: 'file for what was not delivered (default: undelivered.jsonl in the alerts folder)',
      value: 'FILE',
    },
    secretFile: {
      type: z.string().min(1).optional(),
      description: 'file with the key that signs the body of webhooks',
      value: 'FILE',
    },
    tokenFile: {
      type: z.string().min(1).optional(),
      description: 'file with the value of the Authorization header',
      value: 'FILE',
    },
    attempts: {
      type: z.coerce.number().int().min(1).max(20).default(6),
      description: 'how many times to try each delivery',
      value: 'N',
    },
  }),
  async run({ receivers }, settings, { out, signal }) {
    const { alerts, top, minSeverity, attempts } = settings;
    const secret = await readSecret(settings.secretFile);
    const authorization = await readSecret(settings.tokenFile);
    const sinks = await openSinks(receivers, { secret, authorization });
    const deadLetters = settings.deadLetters ?? join(alerts, 'undelivered.jsonl');
    try {
      const sent = await sendAlerts(alerts, sinks, {
        top,
        minSeverity,
        attempts,
        state: settings.state ?? join(alerts, 'sent.json'),
        deadLetters,
        triage: settings.triage,
        signal,
      });
      out.result(sent, () => [
        `incidents: ${formatCount(sent.incidents)}; receivers: ${sinks.length}; ${formatCount(sent.delivered)} sent, ${formatCount(sent.known)} sent before, ${formatCount(sent.failed.length)} not delivered`,
        ...(sent.suppressed > 0
          ? [
              `${formatCount(sent.suppressed)} suppressed incidents were not sent; to list them: recal incidents --alerts ${printable(alerts)} --status suppressed`,
            ]
          : []),
      ]);
      if (sent.failed.length === 0) return EXIT.done;
      const [{ sink, error }] = sent.failed;
      throw new RecalError(
        'undelivered',
        `${formatCount(sent.failed.length)} notifications were not delivered; the first, to ${printable(sink)}: ${printable(error)}`,
        {
          hint: `they are kept in ${printable(deadLetters)}; run the command again when the receiver works`,
        },
      );
    } finally {
      await Promise.all(sinks.map((sink) => sink.close()));
    }
  },
});
