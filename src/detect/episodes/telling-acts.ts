import type { EntityType } from '../../ingest/event.js';
import { quote, verbOf } from '../evidence/relation-words.js';
import { NOVELTY_KINDS } from './catalogue.js';
import type { JudgedEpisode, JudgedEpisodes } from './episode-detector.js';

const KINDS = NOVELTY_KINDS.length;
const MOST_ACTS = 6;
const MOST_NAMED = 3;
/** Extensions and relations say little beside names and directories. */
const DULL = new Set(['ext']);

/** Something new that an episode did, as a sentence. */
export interface TellingAct {
  /** Row of the first event that shows it; -1 if no single event does. */
  readonly row: number;
  /** In nats. */
  readonly surprise: number;
  readonly sentence: string;
}

/** The strongest new acts of an episode, in order of time. Every claim holds for the events that the model learned from. */
export function tellingActs(episode: JudgedEpisode, { novelty, rates }: JudgedEpisodes): TellingAct[] {
  const acts: TellingAct[] = [];
  const { activity } = novelty;
  const { catalogue, actors, done, doneAt } = activity;
  for (const program of episode.newPrograms.slice(0, MOST_NAMED)) {
    const row = firstRow(episode, program, activity);
    const name = quote(catalogue.programName(program));
    acts.push({ row, surprise: rates.newProgram, sentence: `${name} ran for the first time` });
  }
  for (const place of episode.newPlaces.slice(0, 1)) {
    acts.push({
      row: -1,
      surprise: rates.newPlace,
      sentence: `a program ran from ${quote(place)}, where none ran before`,
    });
  }
  for (let kind = 0; kind < KINDS; kind++) {
    const actor = episode.actors[kind];
    if (actor < 0 || DULL.has(NOVELTY_KINDS[kind])) continue;
    const rows = novelty.news[actor].filter((row) => catalogue.kindOf(done.seconds[row]) === kind);
    const program = actors.seconds[actor];
    const who = quote(catalogue.programName(program) || 'an unnamed program');
    const first = rows[0];
    if (first === undefined) continue;
    const { all, fresh } = rates.usual(catalogue.programKey(program), kind);
    const usual = all > 0 ? ` (${fresh} of ${all} were new in calibration)` : '';
    const described = rows.slice(0, MOST_NAMED).map((row) => catalogue.describe(done.seconds[row]));
    const isStart = NOVELTY_KINDS[kind] === 'parent';
    const scope = novelty.knows(program) ? 'it never did before' : 'no program did before';
    acts.push({
      row: isStart ? -1 : doneAt[first],
      surprise: episode.surprises[kind],
      sentence: isStart
        ? `${quote(String(described[0][1]))} started ${who} for the first time${usual}`
        : `${who} ${phrase(described, rows.length)}, which ${scope}${usual}`,
    });
  }
  return acts
    .sort((a, b) => b.surprise - a.surprise)
    .slice(0, MOST_ACTS)
    .sort((a, b) => a.row - b.row);
}

type Described = readonly [kind: string, ...what: (string | number)[]];

/** "connected to the network 203.0 and 2 more". */
function phrase(described: readonly Described[], count: number): string {
  const [kind, ...what] = described[0];
  const relation = String(what[0]);
  const more = count > 1 ? ` and ${count - 1} more` : '';
  const type = (kind === 'net' || kind === 'port' ? 'flow' : String(what[1])) as EntityType;
  switch (kind) {
    case 'rel':
      return `${verbOf(relation, type)} a ${type}${more === '' ? '' : `, ${more.trim()} kinds of act`}`;
    case 'process':
      return `${verbOf(relation, 'process')} ${quote(String(what[1]))}${more}`;
    case 'net':
      return `${verbOf(relation, 'flow')} the network ${quote(String(what[1]))}${more}`;
    case 'port':
      return `${verbOf(relation, 'flow')} port ${String(what[1])}${more}`;
    case 'dir':
      return `${verbOf(relation, type)} something below ${quote(String(what[2]) || '/')}${more}`;
    default:
      return `${verbOf(relation, type)} ${described.map((each) => quote(String(each[3]))).join(', ')}${count > described.length ? ` and ${count - described.length} more` : ''}`;
  }
}

function firstRow(
  { processes }: JudgedEpisode,
  program: number,
  { actors, done, doneAt }: JudgedEpisodes['novelty']['activity'],
): number {
  for (const process of processes) {
    const actor = actors.find(process, program);
    if (actor < 0) continue;
    const row = done.firsts.indexOf(actor);
    if (row >= 0) return doneAt[row];
  }
  return -1;
}
