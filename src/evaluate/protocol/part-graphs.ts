import type { GraphView } from '../../detect/graph-view.js';
import { viewGraph } from '../../detect/graph-view.js';
import type { SplitGraphs } from '../../detect/split-graphs.js';
import type { TrainedModel } from '../../model/file/trained-model.js';
import { planGraphs } from '../../model/training/graph-plan.js';
import { buildGraphs } from '../../model/training/graphs.js';
import type { Part } from './parts.js';

/** What decides how graphs are cut and described. */
export type GraphTerms = Pick<TrainedModel, 'space' | 'direction'> & {
  readonly config: Pick<TrainedModel['config'], 'graph' | 'window'>;
};

/**
 * A part cut into graphs in a model's terms, as `SplitGraphs` does it, but from events that are read already. With
 * `keep` the graphs stay in memory once they are made: calibration is asked of them again for every variant.
 */
export async function graphsOfPart(
  part: Part,
  { space, direction, config }: GraphTerms,
  { keep = false } = {},
): Promise<SplitGraphs> {
  const { events, names, store } = part;
  const text = await part.text(space.parts.vocabulary);
  const plan = planGraphs(store, events, config);
  const numbers = space.relationNumbers(events.table.relations);
  function* make(): Generator<GraphView> {
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
    views(): Iterable<GraphView> {
      if (!keep) return make();
      kept ??= [...make()];
      return kept;
    },
  };
  return graphs as unknown as SplitGraphs;
}
