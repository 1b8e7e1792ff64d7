import { type NodeText, readNodeText } from '../features/node-text.js';
import { type NodeNames, NodeNamesBuilder } from '../graph/node-names.js';
import { inVocabulary } from '../graph/relation-vocabulary.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import { buildGraphs } from '../model/training/build-graphs.js';
import { type GraphPlan, planGraphs } from '../model/training/graph-plan.js';
import { type LoadedEvents, loadEvents } from '../store/load.js';
import type { Selection, Store } from '../store/store.js';
import { type EventsWithLead, nameEvents } from './episodes/named-events.js';
import { type GraphView, viewGraph } from './graph-view.js';

/** The selected events of a store, divided into graphs with the features of a model. */
export class SplitGraphs {
  readonly events: LoadedEvents;
  readonly names: NodeNames;
  readonly text: NodeText;
  readonly plan: GraphPlan;
  readonly #model: Pick<TrainedModel, 'space' | 'direction'>;
  readonly #store: Store;

  private constructor(
    data: Pick<SplitGraphs, 'events' | 'names' | 'text' | 'plan'>,
    model: Pick<TrainedModel, 'space' | 'direction'>,
    store: Store,
  ) {
    this.#store = store;
    this.events = data.events;
    this.names = data.names;
    this.text = data.text;
    this.plan = data.plan;
    this.#model = model;
  }

  static async open(
    store: Store,
    selection: Selection,
    model: Pick<TrainedModel, 'space' | 'direction' | 'config'>,
  ): Promise<SplitGraphs> {
    const events = inVocabulary(await loadEvents(store, selection), model.config.vocabulary);
    const builder = new NodeNamesBuilder(events.keys.size);
    const { vocabulary } = model.space.parts;
    const text = await readNodeText(store, events, vocabulary, (attributes) => builder.add(attributes));
    const names = builder.finish();
    const plan = planGraphs(store, events, model.config);
    return new SplitGraphs({ events, names, text, plan }, model, store);
  }

  /** The events with names as they were known at each, and the events shortly before. */
  named(): Promise<EventsWithLead> {
    return nameEvents(this.#store, this.events, this.names);
  }

  get count(): number {
    return this.plan.sizes.length;
  }

  /** The graphs in the order of their last events. Profiles start empty (method §2). Each call builds the graphs again. */
  *views(): Generator<GraphView> {
    const { space, direction } = this.#model;
    const { events, text, names } = this;
    const numbers = space.relationNumbers(events.table.relations);
    for (const planned of buildGraphs(this.plan, { events, text, space, direction })) {
      yield viewGraph(planned, events.table, names, numbers);
    }
  }
}
