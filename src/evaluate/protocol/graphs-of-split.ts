import type { GraphView } from '../../detect/graph-view.js';
import { viewGraph } from '../../detect/graph-view.js';
import type { SplitGraphs } from '../../detect/split-graphs.js';
import { inVocabulary } from '../../graph/relation-vocabulary.js';
import type { TrainedModel } from '../../model/file/trained-model.js';
import { buildGraphs } from '../../model/training/build-graphs.js';
import { planGraphs } from '../../model/training/graph-plan.js';
import type { LoadedSplit } from './splits.js';

/** The text features and the direction table of a model. Variants with the same seed and text settings share them. */
export type TextModel = Pick<TrainedModel, 'space' | 'direction'>;

/** How events are cut into graphs, and how nodes are described. */
export interface GraphSpec extends TextModel {
  readonly config: Pick<TrainedModel['config'], 'graph' | 'window' | 'vocabulary'>;
}

/**
 * Cuts a loaded split into graphs as `SplitGraphs` does, without reading the events again. `keep` holds the graphs in
 * memory, because every variant calibrates on them.
 */
export async function graphsOfSplit(
  split: LoadedSplit,
  { space, direction, config }: GraphSpec,
  { keep = false } = {},
): Promise<SplitGraphs> {
  const { names, store } = split;
  const events = inVocabulary(split.events, config.vocabulary);
  const text = await split.text(space.parts.vocabulary);
  const plan = planGraphs(store, events, config);
  const numbers = space.relationNumbers(events.table.relations);
  function* build(): Generator<GraphView> {
    for (const planned of buildGraphs(plan, { events, text, space, direction })) {
      yield viewGraph(planned, events.table, names, numbers);
    }
  }
  let kept: GraphView[] | undefined;
  const graphs = {
    events,
    names,
    text,
    plan,
    count: plan.sizes.length,
    named: () => split.named(),
    views(): Iterable<GraphView> {
      if (!keep) return build();
      kept ??= [...build()];
      return kept;
    },
  };
  return graphs as unknown as SplitGraphs;
}
