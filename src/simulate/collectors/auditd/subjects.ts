import type { Process } from '../../kernel/entities.js';
import { argumentsOf } from '../collector.js';
import type { ProcessState, ProcessStates } from '../process-states.js';
import { processTitle, untrusted } from './fields.js';

/** The acting process in a SYSCALL record, and its title. */
export interface Subject {
  readonly fields: string;
  /** The translated ids of an enriched log. */
  readonly names: string;
  readonly title: string;
}

const IDS = ['uid', 'gid', 'euid', 'suid', 'fsuid', 'egid', 'sgid', 'fsgid'];

/** Describes processes as subjects. A description is kept until the process changes. */
export class Subjects {
  private readonly known = new WeakMap<ProcessState, Subject>();

  constructor(private readonly states: ProcessStates) {}

  of(process: Process): Subject {
    const state = this.states.of(process);
    let subject = state.text === '' ? undefined : this.known.get(state);
    if (subject === undefined) {
      subject = this.describe(process, process.user.uid, process.user.name);
      this.known.set(state, subject);
      state.text = 'known';
    }
    return subject;
  }

  /** The subject while it is still another user, as at login. */
  describe(process: Process, uid: number, name: string): Subject {
    const state = this.states.of(process);
    const { auid, auidName, session, tty, exe } = state;
    return {
      fields: `pid=${process.pid} auid=${auid} ${IDS.map((id) => `${id}=${uid}`).join(' ')} tty=${tty} ses=${session} comm=${untrusted(commOf(state))} exe=${untrusted(exe)}`,
      names: `AUID="${auidName}" ${IDS.map((id) => `${id.toUpperCase()}="${name}"`).join(' ')}`,
      title: processTitle(argumentsOf(state.commandLine)),
    };
  }
}

/** The kernel keeps 15 characters of a program's name. */
export function commOf({ exe }: ProcessState): string {
  const start = exe.lastIndexOf('/') + 1;
  return exe.slice(start, start + 15);
}
