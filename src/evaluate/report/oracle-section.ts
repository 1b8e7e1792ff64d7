import { h } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { thresholdText } from './cell-text.js';
import type { Study } from './study.js';
import { meanColumn, VARIANT_COLUMNS, type VariantRow, variantRows } from './variant-rows.js';

/** How much F1 a threshold that uses the labels would gain. */
export function oracleSection({ runs }: Study): Section {
  return {
    id: 'gap',
    title: 'Threshold and oracle',
    lead: 'Compares the threshold in use with the oracle, the threshold with the best F1 on the test split. The oracle uses the labels; a threshold from calibration does not. The gap is below 0 if a variant that flags whole process trees beats every threshold on node scores.',
    content: [
      dataTable({
        id: 'gap-table',
        title: 'F1 of the threshold in use and of the oracle',
        columns: [
          ...VARIANT_COLUMNS,
          {
            heading: 'threshold',
            value: ({ variant: { seeds } }: VariantRow) => thresholdText(seeds[0]),
          },
          meanColumn('F1', 'f1'),
          meanColumn('oracle F1', 'oracleF1'),
          meanColumn('gap', 'gap'),
          meanColumn('MCC', 'mcc'),
        ],
        rows: variantRows(runs),
        download: true,
      }),
      runs.length > 1 && h('p', {}, 'Protocols also differ in their labels, so compare only within a row.'),
    ],
  };
}
