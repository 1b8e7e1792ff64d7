import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import type { Study } from './study.js';
import { countColumn, meanColumn, VARIANT_COLUMNS, variantRows } from './variant-rows.js';

export function behaviourSection({ runs }: Study): Section {
  return {
    id: 'behaviours',
    title: 'Distinct behaviours',
    lead: 'Nodes with the same features and relations have the same behaviour. If most labelled nodes share one behaviour, finding it gives nearly all of the recall. Here each behaviour counts once.',
    content: dataTable({
      id: 'behaviour-table',
      title: 'By node and by behaviour',
      columns: [
        ...VARIANT_COLUMNS,
        meanColumn('precision, nodes', 'precision'),
        meanColumn('precision, behaviours', 'behaviourPrecision'),
        meanColumn('recall, nodes', 'recall'),
        meanColumn('recall, behaviours', 'behaviourRecall'),
        countColumn('behaviours', 'behaviours'),
      ],
      rows: variantRows(runs),
      download: true,
    }),
  };
}
