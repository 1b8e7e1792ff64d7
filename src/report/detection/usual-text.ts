import type { Incident } from '../../detect/alerts/alert.js';
import { formatNumber } from '../page/format.js';

type Act = NonNullable<Incident['episode']>['acts'][number];

/** " (2 of 1,000 similar behaviours were new in calibration)": how usual it is that a program does something new; empty if unknown. */
export function usualText({ usual }: Act): string {
  if (usual === null) return '';
  return ` (${formatNumber(usual.fresh)} of ${formatNumber(usual.all)} similar behaviours were new in calibration)`;
}
