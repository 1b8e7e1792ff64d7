import { ERROR_CODES } from '../../dist/base/error-codes.js';

export const path = 'docs/reference/errors.md';

/** The Markdown of docs/reference/errors.md. */
export function render() {
  const rows = Object.entries(ERROR_CODES)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { when, action }]) => `| \`${code}\` | ${cell(when)} | ${cell(action)} |`);
  return [
    '# Error codes',
    '',
    'Every error has a stable code, which `--json` prints and which `RecalError` has as `code`.',
    '',
    '| code | when | what to do |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** A pipe would end the cell, also inside backticks. */
function cell(text) {
  return text.replaceAll('|', '\\|');
}
