import { quote } from '../evidence/relation-words.js';
import { phraseActs } from './act-words.js';
import { addressKey } from './activity.js';
import { NOVELTY_KINDS } from './catalogue.js';
import type { JudgedEpisode, JudgedEpisodes } from './episode-detector.js';

const KINDS = NOVELTY_KINDS.length;
const NAME = NOVELTY_KINDS.indexOf('name');
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

/** What the log says beyond templates. */
export interface LogTerms {
  /** The name of the object of an event. */
  objectAt(row: number): string | undefined;
  /** The log's process id. */
  pidOf(process: number): number | undefined;
}

const NO_TERMS: LogTerms = { objectAt: () => undefined, pidOf: () => undefined };

/** The strongest new acts of an episode, in order of time. Every claim holds for the events that the model learned from. */
export function tellingActs(
  episode: JudgedEpisode,
  { novelty, rates }: JudgedEpisodes,
  { objectAt, pidOf }: LogTerms = NO_TERMS,
): TellingAct[] {
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
    // The names of the same process say more than their directories.
    if (NOVELTY_KINDS[kind] === 'dir' && episode.actors[NAME] === actor) continue;
    const rows = novelty.news[actor].filter((row) => catalogue.kindOf(done.seconds[row]) === kind);
    const program = actors.seconds[actor];
    const process = actors.firsts[actor];
    const pid = pidOf(process);
    const name = quote(catalogue.programName(program) || 'an unnamed program');
    const who = pid === undefined ? name : `${name} (pid ${pid})`;
    const first = rows[0];
    if (first === undefined) continue;
    const { all, fresh } = rates.usual(catalogue.programKey(program), kind);
    const usual = all > 0 ? ` (${fresh} of ${all} were new in calibration)` : '';
    const behaviours = rows.map((row) => ({
      what: catalogue.describe(done.seconds[row]),
      name: objectAt(doneAt[row]),
    }));
    const isStart = NOVELTY_KINDS[kind] === 'parent';
    const addresses = NOVELTY_KINDS[kind] === 'net' ? newAddresses(process, novelty) : [];
    const scope = novelty.knows(program) ? 'it never did before' : 'no program did before';
    acts.push({
      row: isStart ? -1 : doneAt[first],
      surprise: episode.surprises[kind],
      sentence: isStart
        ? `${quote(String(behaviours[0].what[1]))} started ${who} for the first time${usual}`
        : `${who} ${phraseActs(behaviours, addresses)}, which ${scope}${usual}`,
    });
  }
  return acts
    .sort((a, b) => b.surprise - a.surprise)
    .slice(0, MOST_ACTS)
    .sort((a, b) => a.row - b.row);
}

/** The remote addresses that a process used and that no one used before. */
function newAddresses(process: number, { activity, hasKey }: JudgedEpisodes['novelty']): string[] {
  return [...activity.addresses]
    .filter(([address, users]) => users.has(process) && !hasKey(addressKey(address)))
    .map(([address]) => address);
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
