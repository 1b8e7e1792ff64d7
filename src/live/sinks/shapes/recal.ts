import { safeJson } from '../../../base/safe-json.js';
import type { Shape } from '../shape.js';

/** The notification itself. */
export const recal: Shape = {
  name: 'recal',
  title: 'RECAL JSON',
  contentType: 'application/json',
  message: (notification) => safeJson(notification),
};
