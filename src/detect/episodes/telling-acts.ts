import { smallest } from '../../base/extremes.js';
import { nameTemplate } from '../../features/name-template.js';
import { quote } from '../evidence/relation-words.js';
import { type NewBehaviour, phraseActs } from './act-words.js';
import type { JudgedEpisode, JudgedEpisodes } from './episode-detector.js';
import { type Catalogue, NOVELTY_KINDS } from './novelty/catalogue.js';
import { addressKey, placeOf } from './trees/activity.js';

const kindNumber = (kind: (typeof NOVELTY_KINDS)[number]) => NOVELTY_KINDS.indexOf(kind);
const [REL, PROCESS, NET, PORT] = [
  kindNumber('rel'),
  kindNumber('process'),
  kindNumber('net'),
  kindNumber('port'),
];
const [DIR, EXT, NAME, PARENT] = [
  kindNumber('dir'),
  kindNumber('ext'),
  kindNumber('name'),
  kindNumber('parent'),
];
/** Who started a program is told before whom it started, and what was used before how, so that each is told once. */
const ORDER = [PARENT, PROCESS, NET, PORT, NAME, DIR, REL, EXT];
/** Rates of fewer behaviours are not shown. */
const FEWEST_USUAL = 10;
const MOST_ACTS = 6;
const MAIN_ACTS = 2;
/** Acts of this many related trees are told too. */
const MOST_RELATED = 3;
const MOST_IN_SENTENCE = 3;
const MOST_NAMED = 3;

/** Something new that an episode did, as a sentence. */
export interface TellingAct {
  /** Row of the first event that shows it; -1 if no single event does. */
  readonly row: number;
  /** In nats. */
  readonly surprise: number;
  readonly sentence: string;
  /** The command line of the process that did it; undefined if the log states none. */
  readonly command?: string | undefined;
  /** How many such behaviours of the program were new in calibration, of all; undefined if it had few. */
  readonly usual?: { readonly fresh: number; readonly all: number } | undefined;
  /** Whether it is one of the two acts that say most. */
  readonly isMain: boolean;
}

/** The acts of an incident, in order of time. */
export interface IncidentActs {
  readonly acts: readonly TellingAct[];
  /** Those for the incident's sentence. */
  readonly inSentence: readonly TellingAct[];
}

type Act = Omit<TellingAct, 'isMain'> & { readonly isFirstRun: boolean };

/** What the log says beyond names. */
export interface LogTerms {
  /** The log's process id. */
  pidOf(process: number): number | undefined;
  /** The last command line of a process. */
  commandOf(process: number): string | undefined;
}

const NO_TERMS: LogTerms = { pidOf: () => undefined, commandOf: () => undefined };

/** The strongest new acts of an incident's highest tree, and what the trees that it was joined with add to them. */
export function incidentActs(
  [highest, ...related]: readonly JudgedEpisode[],
  judged: JudgedEpisodes,
  terms?: LogTerms,
): IncidentActs {
  const acts = tellingActs(highest, judged, terms);
  const told = new Set(acts.map(withoutPid));
  const added: TellingAct[] = [];
  for (const tree of related.slice(0, MOST_RELATED)) {
    const others = tellingActs(tree, judged, terms).filter((act) => !told.has(withoutPid(act)));
    for (const act of others.sort(bySurprise).slice(0, MAIN_ACTS)) {
      told.add(withoutPid(act));
      added.push({ ...act, isMain: false });
    }
  }
  const main = acts.filter(({ isMain }) => isMain);
  const rest = acts.filter(({ isMain }) => !isMain).sort(bySurprise);
  // A related tree is told before the weaker acts of the highest one.
  const inSentence = new Set([...main, ...added.slice(0, 1), ...rest].slice(0, MOST_IN_SENTENCE));
  const all = [...acts, ...added].sort((a, b) => a.row - b.row);
  return { acts: all, inSentence: all.filter((act) => inSentence.has(act)) };
}

const bySurprise = (a: TellingAct, b: TellingAct) => b.surprise - a.surprise;
const withoutPid = ({ sentence }: TellingAct) => sentence.replace(/ \(pid \d+\)/g, '');

/** The strongest new acts of an episode, in order of time. Every claim holds for the events that the model learned from. */
function tellingActs(
  episode: JudgedEpisode,
  judged: JudgedEpisodes,
  terms: LogTerms = NO_TERMS,
): TellingAct[] {
  const { novelty, rates } = judged;
  const { catalogue, actors, lastPrograms } = novelty.activity;
  // A command line belongs to the program that the process ran last.
  const commandOf = (process: number, program: number) =>
    lastPrograms.get(process) === program ? terms.commandOf(process) : undefined;
  const acts: Act[] = [...firstRuns(episode, judged, commandOf)];
  const told = new ToldThings();
  for (const kind of ORDER) {
    const actor = episode.actors[kind];
    if (actor < 0) continue;
    const [process, program] = [actors.firstAt(actor), actors.secondAt(actor)];
    const news = told.leaveOut(newsOf(actor, kind, judged), { actor, program, kind, judged, episode });
    if (news.length === 0) continue;
    const pid = terms.pidOf(process);
    const named = nameIn(catalogue, program);
    const who = pid === undefined ? named : `${named} (pid ${pid})`;
    const { all, fresh } = rates.usual(catalogue.programKey(program), kind);
    acts.push({
      row: smallest(news.map(({ row }) => row)),
      surprise: episode.surprises[kind],
      sentence: phraseNews(who, news, { process, program, novelty }),
      command: commandOf(process, program),
      usual: all < FEWEST_USUAL ? undefined : { all, fresh },
      isFirstRun: false,
    });
  }
  const ranked = mainFirst(acts.sort((a, b) => b.surprise - a.surprise)).slice(0, MOST_ACTS);
  const main = new Set(ranked.slice(0, MAIN_ACTS));
  return ranked.map((act) => ({ ...act, isMain: main.has(act) })).sort((a, b) => a.row - b.row);
}

/** A person asks first what ran that never ran before, so one such act comes before stronger ones. */
function mainFirst(acts: readonly Act[]): Act[] {
  const firstRun = acts.find(({ isFirstRun }) => isFirstRun);
  return firstRun === undefined ? [...acts] : [firstRun, ...acts.filter((act) => act !== firstRun)];
}

function phraseNews(
  who: string,
  news: readonly NewsOfKind[],
  { process, program, novelty }: { process: number; program: number; novelty: JudgedEpisodes['novelty'] },
): string {
  const { catalogue } = novelty.activity;
  const [{ what, name, isOwnFile }] = news;
  if (what[0] === 'parent')
    return `${nameIn(catalogue, catalogue.program(String(what[1])))} started ${who} for the first time`;
  if (isOwnFile) return `${who} was executed from the path ${quote(name ?? '')} for the first time`;
  const addresses = what[0] === 'net' ? newAddresses(process, novelty) : [];
  const scope = novelty.knows(program) ? ' for the first time' : ', which no program had done before';
  return `${who} ${phraseActs(news, addresses)}${scope}`;
}

function nameIn(catalogue: Catalogue, program: number): string {
  const name = catalogue.executable(program);
  return name === '' ? 'an unnamed process' : quote(name);
}

/** Programs that ran for the first time, and places from which none ran before. */
function* firstRuns(
  episode: JudgedEpisode,
  judged: JudgedEpisodes,
  commandOf: (process: number, program: number) => string | undefined,
): Generator<Act> {
  const { novelty, rates } = judged;
  const { actors, actorsOf, actorAt, catalogue, ran } = novelty.activity;
  const firsts = new Map<number, { process: number; row: number }>();
  const members = new Set(episode.processes);
  const own = Int32Array.from([...members].flatMap((process) => [...actorsOf(process)])).sort();
  for (const actor of own) {
    const program = actors.secondAt(actor);
    if (!firsts.has(program)) firsts.set(program, { process: actors.firstAt(actor), row: actorAt[actor] });
  }
  const runs = [
    ...[...firsts].map(([program, { row }]) => ({ path: catalogue.executable(program), row })),
    ...ran
      .filter(({ process }) => members.has(process))
      .map(({ file, row }) => ({ path: catalogue.nameAt(file), row })),
  ];
  const [place] = episode.newPlaces;
  const placed = place === undefined ? undefined : runs.find(({ path }) => placeOf(path) === place);
  const isPlaced = (program: number) => placed !== undefined && catalogue.executable(program) === placed.path;
  const from =
    placed === undefined ? '' : `from ${quote(directoryOf(placed.path))}, where no program had run before`;
  const named = episode.newPrograms.filter((program) => catalogue.executable(program) !== '');
  const inOrder = [...named.filter(isPlaced), ...named.filter((program) => !isPlaced(program))];
  for (const program of inOrder.slice(0, MOST_NAMED)) {
    const { process, row } = firsts.get(program) ?? { process: -1, row: -1 };
    const name = quote(catalogue.executable(program));
    const sentence = `${name} ran for the first time${isPlaced(program) ? `, ${from}` : ''}`;
    const surprise = rates.newProgram + (isPlaced(program) ? rates.newPlace : 0);
    yield { row, surprise, sentence, command: commandOf(process, program), isFirstRun: true };
  }
  if (placed === undefined || named.some(isPlaced)) return;
  const sentence = `${quote(placed.path)} ran ${from}`;
  yield { row: placed.row, surprise: rates.newPlace, sentence, isFirstRun: true };
}

/** The directory of a path of Unix or Windows. */
function directoryOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));
}

interface NewsOfKind extends NewBehaviour {
  readonly row: number;
  /** Whether it is that a process executes the file of its own program. */
  readonly isOwnFile: boolean;
}

/** The new behaviours of an actor of one kind. */
function newsOf(actor: number, kind: number, { novelty }: JudgedEpisodes): NewsOfKind[] {
  const { catalogue, actors, done, doneAt, doneTo } = novelty.activity;
  const program = actors.secondAt(actor);
  return Array.from(novelty.news(actor))
    .filter((row) => catalogue.kindOf(done.secondAt(row)) === kind)
    .map((row) => {
      const what = catalogue.describe(done.secondAt(row));
      const name = doneTo[row] < 0 ? undefined : catalogue.nameAt(doneTo[row]);
      const isOwnFile =
        kind !== PARENT &&
        what[1] === 'exec' &&
        name !== undefined &&
        nameTemplate(name) === catalogue.programName(program);
      return { what, name, row: doneAt[row], isOwnFile };
    });
}

interface Telling {
  readonly actor: number;
  readonly program: number;
  readonly kind: number;
  readonly judged: JudgedEpisodes;
  readonly episode: JudgedEpisode;
}

/** Leaves out what other acts tell already. */
class ToldThings {
  readonly #starts = new Set<string>();
  readonly #relations = new Set<string>();

  leaveOut(news: readonly NewsOfKind[], telling: Telling): NewsOfKind[] {
    const { actor, program, kind, judged, episode } = telling;
    const { catalogue } = judged.novelty.activity;
    if (kind === EXT) return [];
    if (kind === PARENT) {
      for (const { what } of news) this.#starts.add(`${catalogue.program(String(what[1]))} ${program}`);
      return [...news];
    }
    // The names of the same process say more than their directories.
    if (kind === DIR && episode.actors[NAME] === actor) return [];
    if (kind === REL)
      return news.filter(({ what, isOwnFile }) => !isOwnFile && !this.#relations.has(`${actor} ${what[1]}`));
    const left = news.filter(({ what }) => {
      if (kind === PORT) return what[2] !== '' && (what[2] !== 'high' || episode.actors[NET] !== actor);
      if (kind !== PROCESS) return true;
      const object = catalogue.program(String(what[2]));
      return object !== program && !this.#starts.has(`${program} ${object}`);
    });
    const others = left.filter(({ isOwnFile }) => !isOwnFile);
    // That a program ran for the first time says that its file was executed.
    const kept = others.length > 0 || kind === DIR || !judged.novelty.knows(program) ? others : left;
    const named = kept.filter(({ name }) => name !== '');
    const result = named.length > 0 || episode.actors[REL] !== actor ? kept : [];
    for (const { what } of result) this.#relations.add(`${actor} ${what[1]}`);
    return result;
  }
}

/** The remote addresses that a process used and that no one used before. */
function newAddresses(process: number, { activity, hasKey }: JudgedEpisodes['novelty']): string[] {
  return [...activity.addresses]
    .filter(([address, users]) => users.has(process) && !hasKey(addressKey(address)))
    .map(([address]) => address);
}
