import { GAP } from '../named-events.js';
import type { ProcessOrigins } from './process-origins.js';

const MOST_STEPS = 100;
/** Programs that begin sessions. */
const LOGINS =
  /(?:^|\/)(?:sshd(?:-session)?|login|telnetd|crond?|atd|gdm\S*|lightdm|sddm|winlogon\.exe|sshd\.exe)$/;

interface Trees {
  readonly activity: ProcessOrigins;
  /** Processes that serve: what they start later is not part of the session that started them. */
  readonly daemons: ReadonlySet<number>;
  rootOf(process: number): number;
}

/**
 * Joins the trees of one login session, until nothing starts in it for 30 minutes. Only sessions that begin in these
 * events: one that ran before is a desktop or a service, and does not join what it starts. Returns the root that stands
 * for a root.
 */
export function joinSessions(
  processes: readonly number[],
  { activity, daemons, rootOf }: Trees,
): (root: number) => number {
  const { sessions, parents, started, lastPrograms, catalogue } = activity;
  const isServed = (process: number, session: number): boolean => {
    let each: number | undefined = process;
    for (let step = 0; step < MOST_STEPS && each !== undefined; step++) {
      if (sessions.get(each) !== session) return false;
      if (daemons.has(each)) return true;
      each = parents.get(each);
    }
    return false;
  };
  // Some logs state a session only when a process starts, so a parent without one may belong to it.
  const begins = (first: number, session: number): boolean => {
    const above = parents.get(first);
    if (above === undefined || !started.has(first)) return false;
    const other = sessions.get(above);
    const program = catalogue.programName(lastPrograms.get(above) ?? -1) ?? '';
    return other === undefined ? LOGINS.test(program) : other !== session;
  };
  const members = new Map<number, number[]>();
  for (const process of processes) {
    const session = sessions.get(process);
    if (session === undefined) continue;
    const known = members.get(session);
    if (known === undefined) members.set(session, [process]);
    else known.push(process);
  }
  const roots = new Map<number, number>();
  for (const [session, all] of members) {
    const inOrder = all.sort((a, b) => Number(catalogue.begun(a) - catalogue.begun(b)) || a - b);
    if (!begins(inOrder[0], session)) continue;
    let [root, last] = [-1, 0n];
    for (const process of inOrder) {
      if (isServed(process, session)) continue;
      const own = rootOf(process);
      const starts = catalogue.begun(process);
      if (root < 0 || starts - last > GAP) root = roots.get(own) ?? own;
      else if (sessions.get(own) === session && !roots.has(own) && own !== root) roots.set(own, root);
      last = starts;
    }
  }
  return (root) => roots.get(root) ?? root;
}
