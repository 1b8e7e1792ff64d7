import { printable } from '../../../base/printable.js';
import { safeJson } from '../../../base/safe-json.js';
import type { Severity } from '../../../detect/alerts/severity.js';
import type { Shape } from '../shape.js';

const MOST_TEXT = 2500;
const MARKS: Readonly<Record<Severity, string>> = {
  info: '⚪',
  low: '🔵',
  medium: '🟡',
  high: '🟠',
  critical: '🔴',
};

/** A message for an incoming webhook of Slack, Mattermost or Rocket.Chat. */
export const slack: Shape = {
  name: 'slack',
  title: 'Slack message',
  contentType: 'application/json',
  message(notification) {
    const head = `${MARKS[notification.severity]} *${escapeText(notification.title)}* (${notification.severity}, #${notification.rank}, ${notification.status})`;
    const decided =
      notification.triage === undefined
        ? ''
        : `\n${escapeText(`${notification.triage.author}: ${notification.triage.verdict}. ${notification.triage.note}`)}`;
    const time = `${new Date(notification.first).toISOString()} to ${new Date(notification.last).toISOString()}`;
    const more = `${time}\nrecal explain ${notification.id.slice(0, 8)} --alerts DIR`;
    return safeJson({ text: `${head}\n${escapeText(notification.sentence)}${decided}\n${more}` });
  },
};

/**
 * Escapes text from a log. Slack reads `<!channel>` and `<@U1>` as mentions and other characters as formatting, so a
 * process name could call everybody or hide itself.
 */
function escapeText(text: string): string {
  return printable(text, MOST_TEXT)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/@(?=here|channel|everyone|all\b)/gi, '@\u200b')
    .replace(/[*_~]/g, (char) => `${char}\u200b`);
}
