import { ownVersion } from '../../../base/own-version.js';
import { printable } from '../../../base/printable.js';
import type { Severity } from '../../../detect/alerts/severity.js';
import type { Shape } from '../shape.js';

/** CEF counts from 0 to 10. */
const LEVELS: Readonly<Record<Severity, number>> = { info: 1, low: 3, medium: 5, high: 8, critical: 10 };
/** Longer values are cut: many collectors drop messages over 8 KiB. */
const MOST_VALUE = 1000;

/** ArcSight Common Event Format, version 0: one line of text. */
export const cef: Shape = {
  name: 'cef',
  title: 'CEF',
  contentType: 'text/plain; charset=utf-8',
  message(notification) {
    const [process] = notification.entities.filter(({ type }) => type === 'process');
    const [file] = notification.entities.filter(({ type }) => type === 'file');
    const flow = notification.entities.find(({ type, name }) => type === 'flow' && name !== null);
    const address = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(flow?.name ?? '');
    const fields: [string, string | number | null | undefined][] = [
      ['externalId', `${notification.id}.${notification.revision}`],
      ['rt', notification.last],
      ['start', notification.first],
      ['end', notification.last],
      ['dvchost', notification.host],
      ['act', notification.status],
      ['sproc', process === undefined ? undefined : (process.name ?? process.id)],
      ['spid', process?.pid],
      ['filePath', file === undefined ? undefined : (file.name ?? file.id)],
      ['dst', address?.[1]],
      ['dpt', address?.[2]],
      ['cfp1Label', 'score'],
      ['cfp1', notification.score.toFixed(4)],
      ['cn1Label', 'rank'],
      ['cn1', notification.rank],
      ['cs1Label', 'model'],
      ['cs1', notification.model],
      ['outcome', notification.triage?.verdict],
      ['reason', notification.triage?.note],
      ['cs2Label', notification.triage === undefined ? undefined : 'author'],
      ['cs2', notification.triage?.author],
      ['msg', notification.sentence],
    ];
    const extension = fields.flatMap(([key, value]) =>
      value === undefined || value === null ? [] : [`${key}=${escapeValue(String(value))}`],
    );
    const header = [
      'CEF:0',
      'RECAL',
      'recal',
      ownVersion(),
      'incident',
      `Unusual behaviour of ${notification.title}`,
    ]
      .map((field, i) => (i === 0 ? field : escapeHeader(field)))
      .join('|');
    return `${header}|${LEVELS[notification.severity]}|${extension.join(' ')}`;
  },
};

function escapeHeader(text: string): string {
  return printable(text, MOST_VALUE).replace(/[\\|]/g, '\\$&');
}

function escapeValue(text: string): string {
  return printable(text, MOST_VALUE).replace(/[\\=]/g, '\\$&');
}
