import { quote } from '../evidence/relation-words.js';
import { type NewBehaviour, phraseActs } from './act-words.js';
import { addressKey, placeOf } from './activity.js';
import { NOVELTY_KINDS } from './catalogue.js';
import type { JudgedEpisode, JudgedEpisodes } from './episode-detector.js';

const NAME = NOVELTY_KINDS.indexOf('name');
const PARENT = NOVELTY_KINDS.indexOf('parent');
const PROCESS = NOVELTY_KINDS.indexOf('process');
/** Who started a program is told before whom it started, so that one start is told once. */
const ORDER = [PARENT, ...NOVELTY_KINDS.keys()].filter((kind, i) => i === 0 || kind !== PARENT);
/** Rates of fewer behaviours are not shown. */
const FEWEST_USUAL = 10;
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

/** What the log says beyond names. */
export interface LogTerms {
  /** The log's process id. */
  pidOf(process: number): number | undefined;
}

const NO_TERMS: LogTerms = { pidOf: () => undefined };

/** The strongest new acts of an episode, in order of time. Every claim holds for the events that the model learned from. */
export function tellingActs(
  episode: JudgedEpisode,
  judged: JudgedEpisodes,
  { pidOf }: LogTerms = NO_TERMS,
): TellingAct[] {
  const { novelty, rates } = judged;
  const { catalogue, actors, actorAt } = novelty.activity;
  const acts: TellingAct[] = [...firstRuns(episode, judged)];
  const starts = new Set<string>();
  for (const kind of ORDER) {
    const actor = episode.actors[kind];
    if (actor < 0 || DULL.has(NOVELTY_KINDS[kind])) continue;
    // The names of the same process say more than their directories.
    if (NOVELTY_KINDS[kind] === 'dir' && episode.actors[NAME] === actor) continue;
    const program = actors.seconds[actor];
    const process = actors.firsts[actor];
    const pid = pidOf(process);
    const name = catalogue.executable(program);
    const named = name === '' ? 'a process without a name' : quote(name);
    const who = pid === undefined ? named : `${named} (pid ${pid})`;
    const { all, fresh } = rates.usual(catalogue.programKey(program), kind);
    const usual = all >= FEWEST_USUAL ? ` (${fresh} of ${all} were new in calibration)` : '';
    const surprise = episode.surprises[kind];
    if (kind === PARENT) {
      const parent = starterOf(actor, judged);
      if (parent === undefined) continue;
      starts.add(`${parent} ${program}`);
      const starter = catalogue.executable(parent);
      const by = starter === '' ? 'a process without a name' : quote(starter);
      acts.push({
        row: actorAt[actor],
        surprise,
        sentence: `${by} started ${who} for the first time${usual}`,
      });
      continue;
    }
    const told = newsOf(actor, kind, judged).filter(
      ({ what }) =>
        !(kind === PROCESS && starts.has(`${program} ${catalogue.program(String(what[2]))}`)) &&
        // That a program ran for the first time says that its file was executed.
        !(isOwnFile(what, program, judged) && !novelty.knows(program)),
    );
    if (told.length === 0) continue;
    const addresses = NOVELTY_KINDS[kind] === 'net' ? newAddresses(process, novelty) : [];
    const scope = novelty.knows(program) ? 'it never did before' : 'no program did before';
    const what = phraseActs(told, addresses);
    acts.push({
      row: Math.min(...told.map(({ row }) => row)),
      surprise,
      sentence: `${who} ${what}, which ${scope}${usual}`,
    });
  }
  return acts
    .sort((a, b) => b.surprise - a.surprise)
    .slice(0, MOST_ACTS)
    .sort((a, b) => a.row - b.row);
}

/** Programs that ran for the first time, and places from which none ran before. */
function* firstRuns(episode: JudgedEpisode, judged: JudgedEpisodes): Generator<TellingAct> {
  const { novelty, rates } = judged;
  const { actors, actorAt, catalogue, ran } = novelty.activity;
  const firsts = new Map<number, number>();
  const members = new Set(episode.processes);
  actors.firsts.forEach((process, actor) => {
    const program = actors.seconds[actor];
    if (members.has(process) && !firsts.has(program)) firsts.set(program, actorAt[actor]);
  });
  const named = episode.newPrograms.filter((program) => catalogue.executable(program) !== '');
  for (const program of named.slice(0, MOST_NAMED)) {
    const sentence = `${quote(catalogue.executable(program))} ran for the first time`;
    yield { row: firsts.get(program) ?? -1, surprise: rates.newProgram, sentence };
  }
  const [place] = episode.newPlaces;
  if (place === undefined) return;
  const files = ran.filter(({ process }) => members.has(process));
  const runs = [
    ...[...firsts].map(([program, row]) => ({ path: catalogue.executable(program), row })),
    ...files.map(({ file, row }) => ({ path: catalogue.nameAt(file), row })),
  ];
  const found = runs.find(({ path }) => placeOf(path) === place);
  if (found === undefined) return;
  const [, directory, file] = /^(.*)[/\\](.*)$/s.exec(found.path) ?? ['', place, found.path];
  const sentence = `${quote(file)} ran from ${quote(directory)}, where none ran before`;
  yield { row: found.row, surprise: rates.newPlace, sentence };
}

interface NewsOfKind extends NewBehaviour {
  readonly row: number;
}

/** The new behaviours of an actor of one kind. */
function newsOf(actor: number, kind: number, { novelty }: JudgedEpisodes): NewsOfKind[] {
  const { catalogue, done, doneAt, doneTo } = novelty.activity;
  return novelty.news[actor]
    .filter((row) => catalogue.kindOf(done.seconds[row]) === kind)
    .map((row) => ({
      what: catalogue.describe(done.seconds[row]),
      name: doneTo[row] < 0 ? undefined : catalogue.nameAt(doneTo[row]),
      row: doneAt[row],
    }));
}

/** The program that started an actor for the first time. */
function starterOf(actor: number, judged: JudgedEpisodes): number | undefined {
  const [start] = newsOf(actor, PARENT, judged);
  return start === undefined ? undefined : judged.novelty.activity.catalogue.program(String(start.what[1]));
}

/** Whether a behaviour is that a process executes the file of its own program. */
function isOwnFile(
  what: NewBehaviour['what'],
  program: number,
  { novelty: { activity } }: JudgedEpisodes,
): boolean {
  return what[0] === 'name' && what[1] === 'exec' && what[3] === activity.catalogue.programName(program);
}

/** The remote addresses that a process used and that no one used before. */
function newAddresses(process: number, { activity, hasKey }: JudgedEpisodes['novelty']): string[] {
  return [...activity.addresses]
    .filter(([address, users]) => users.has(process) && !hasKey(addressKey(address)))
    .map(([address]) => address);
}
