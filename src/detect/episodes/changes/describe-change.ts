import { quote } from '../../evidence/relation-words.js';
import type { EpisodeIncident, JudgedEpisodes } from '../episode-detector.js';
import { isPackageManager } from './package-managers.js';
import { parseCommand } from './parse-command.js';

const MOST_NAMED = 3;

/** What a package manager did, in the log's terms. */
export interface DescribedChange {
  readonly manager: string;
  readonly packages: readonly string[];
  readonly action: string;
  /** Number of programs that ran for the first time. */
  readonly newPrograms: number;
}

/** The software change that an incident is; undefined if it is more than that. */
export function describeChange(
  { episodes }: EpisodeIncident,
  { novelty: { activity } }: JudgedEpisodes,
  commandOf: (process: number) => string | undefined,
): DescribedChange | undefined {
  const [{ change, novelty }] = episodes;
  if (change === undefined || change.remaining > novelty / 2) return undefined;
  const { actors, catalogue } = activity;
  const members = new Set(episodes.flatMap(({ processes }) => processes));
  const managers = new Map<number, string>();
  actors.firsts.forEach((process, actor) => {
    const name = catalogue.programName(actors.secondAt(actor));
    if ((members.has(process) || process === change.run) && isPackageManager(name))
      managers.set(process, name);
  });
  const run = managers.get(change.run) ?? [...managers.values()][0] ?? '';
  const commands = [change.run, ...managers.keys()].map((process) => parseCommand(commandOf(process) ?? ''));
  const programs = new Set(episodes.flatMap(({ newPrograms }) => newPrograms));
  return {
    manager: baseOf(run),
    packages: [...new Set(commands.flatMap(({ packages }) => packages))],
    action: commands.find(({ action }) => action !== undefined)?.action ?? 'changed software',
    newPrograms: programs.size,
  };
}

/** "Software change: `apt-get` upgraded `nginx` (14 new programs)". */
export function phraseChange({ manager, packages, action, newPrograms }: DescribedChange): string {
  const more = packages.length > MOST_NAMED ? ` and ${packages.length - MOST_NAMED} more` : '';
  const what =
    packages.length === 0 ? 'software' : `${packages.slice(0, MOST_NAMED).map(quote).join(', ')}${more}`;
  const programs =
    newPrograms === 0 ? '' : ` (${newPrograms} new ${newPrograms === 1 ? 'program' : 'programs'})`;
  return `Software change: ${quote(manager)} ${action === 'changed software' ? 'changed' : action} ${what}${programs}`;
}

function baseOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
