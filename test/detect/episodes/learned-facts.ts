import { verbOf } from '../../../src/detect/evidence/relation-words.js';
import { nameTemplate } from '../../../src/features/name-template.js';
import type { EntityType } from '../../../src/ingest/event.js';
import { exportEvents } from '../../../src/store/export.js';
import type { Store } from '../../../src/store/store.js';

interface ExportedEntity {
  readonly id: string;
  readonly type: EntityType;
  readonly name?: string;
}

interface ExportedEvent {
  readonly host: string;
  readonly rel: string;
  readonly action?: string;
  readonly subj?: ExportedEntity;
  readonly obj?: ExportedEntity;
}

const STARTS = /fork|clone|procstart|process_start|spawn|create_process|processcreate|^start$/i;

const ADDRESS = /^[0-9.]+$|^[0-9a-f]*:[0-9a-f:]+$/;

/** Everything that exported events say, as plain phrases. It shares nothing with the detector but words and templates. */
export class LearnedFacts {
  readonly #programs = new Set<string>();
  readonly #places = new Set<string>();
  readonly #starts = new Set<string>();
  readonly #phrases = new Set<string>();
  readonly #anyone = new Set<string>();
  readonly #startedBy = new Map<string, string>();

  async read(store: Store, split: string): Promise<this> {
    for await (const line of exportEvents(store, { split })) this.#see(JSON.parse(line));
    return this;
  }

  #see({ host, rel, action, subj, obj }: ExportedEvent): void {
    if (subj !== undefined) this.#run(host, subj);
    if (subj === undefined || obj === undefined) return;
    const program = nameTemplate(subj.name ?? '');
    if (obj.type === 'process' && obj.id !== subj.id && (action === 'fork' || STARTS.test(rel))) {
      const child = `${host} ${obj.id}`;
      if (!this.#startedBy.has(child)) this.#startedBy.set(child, program);
      this.#run(host, obj);
    }
    if (/^(EVENT_)?exec/i.test(action ?? rel) && obj.type === 'file')
      this.#places.add(directoryOf(nameTemplate(obj.name ?? '')));
    const relation = action === undefined || action === 'other' ? rel : action;
    for (const thing of thingsOf(obj)) {
      const phrase = `${verbOf(relation, obj.type)} ${thing}`;
      this.#phrases.add(`${program} ${phrase}`);
      this.#anyone.add(phrase);
    }
  }

  #run(host: string, { id, type, name }: ExportedEntity): void {
    if (type !== 'process' || name === undefined) return;
    const program = nameTemplate(name);
    this.#programs.add(program);
    this.#places.add(directoryOf(program));
    const starter = this.#startedBy.get(`${host} ${id}`);
    if (starter !== undefined) this.#starts.add(`${starter} ${program}`);
  }

  /** Claims of a sentence that these events contradict. Throws if it cannot read the sentence. */
  contradict(sentence: string): string[] {
    const text = sentence.replace(/ \(pid \d+\)/g, '');
    const ran =
      /^`([^`]*)` ran for the first time(?:, from `([^`]*)`, where no program had run before)?$/.exec(text);
    if (ran !== null) {
      const [, program, from] = ran;
      if (from !== undefined && !/^[/\\]/.test(program.slice(from.length)))
        throw new Error(`not in its place: ${sentence}`);
      const places = from === undefined ? [] : has(this.#places, nameTemplate(from));
      return [...has(this.#programs, nameTemplate(program)), ...places];
    }
    const place = /^`[^`]*` ran from `([^`]*)`, where no program had run before$/.exec(text);
    if (place !== null) return has(this.#places, nameTemplate(place[1]));
    const start = /^`([^`]*)` started `([^`]*)` for the first time$/.exec(text);
    if (start !== null) {
      const [program, child] = start.slice(1).map((name) => nameTemplate(name));
      return [
        ...has(this.#starts, `${program} ${child}`),
        ...has(this.#phrases, `${program} started ${child}`),
      ];
    }
    const as = /^`([^`]*)` was executed from the path `([^`]*)` for the first time$/.exec(text);
    if (as !== null) return has(this.#phrases, `${nameTemplate(as[1])} executed ${nameTemplate(as[2])}`);
    const act =
      /^(?:`([^`]*)`|an unnamed process) (.*)( for the first time|, which no program had done before)$/s.exec(
        text,
      );
    if (act === null) throw new Error(`unreadable claim: ${sentence}`);
    const [, program = '', what, scope] = act;
    return claimsOf(what).flatMap((phrase) =>
      scope !== ' for the first time'
        ? has(this.#anyone, phrase)
        : has(this.#phrases, `${nameTemplate(program)} ${phrase}`),
    );
  }
}

/** What can be said of an object: its kind, its template, its directories, its network and its port. */
function thingsOf({ type, name = '' }: ExportedEntity): string[] {
  const nouns: Partial<Record<EntityType, string>> = {
    flow: 'an address',
    other: 'an object',
    registry: 'a registry key',
  };
  const noun = nouns[type] ?? `a ${type}`;
  const template = nameTemplate(name);
  const things = [noun, template === '' ? `an unnamed ${noun.replace(/^an? /, '')}` : template];
  const address = /^\[?([0-9a-fA-F.:]+?)\]?:(\d+)\n?$/.exec(name);
  if (type === 'flow' && address !== null) {
    const [, host, port] = address;
    things.push(host, `port ${Number(port) < 10_000 ? port : 'high'}`);
  } else if (type !== 'flow' && type !== 'process') {
    const parts = template.split('/').slice(0, -1);
    things.push(`in ${parts.join('/') || '/'}`);
    for (const i of parts.keys()) things.push(`under ${parts.slice(0, i + 1).join('/') || '/'}`);
  }
  return things;
}

/** Splits "wrote to `/a`, `/b` and 2 more files" into a phrase for each thing that is named. */
function claimsOf(what: string): string[] {
  const quoted = [...what.matchAll(/`([^`]*)`/g)].map(([, name]) =>
    ADDRESS.test(name) ? name : nameTemplate(name),
  );
  const found =
    /^(.*?) (?:(?:an? (?:\w+|registry key)|[a-z]+s|registry keys) (in|under) (?=`)|(a port|ports?|\d+ ports) |\d+ new addresses|(?=`))/.exec(
      what,
    );
  if (found === null) {
    const listed = what.replace(/ and took \d+ more kinds? of action$/, '').split(/ and |, /);
    return listed.filter((each) => !/^\d+ more/.test(each));
  }
  const [, told, where, port] = found;
  const verb = told
    .replace(/^(opened|accepted) connections/, '$1 a connection')
    .replace('connections', 'connection');
  if (port !== undefined) {
    const numbers = what.includes('above 9999') ? ['high'] : [];
    const rest = what
      .slice(told.length)
      .replace('above 9999', '')
      .replace(/\d+ ports \(/, '');
    return [...numbers, ...(rest.match(/\d+/g) ?? [])].map((number) => `${verb} port ${number}`);
  }
  return quoted.map((name) => `${verb} ${where === undefined ? '' : `${where} `}${name}`);
}

function directoryOf(template: string): string {
  return template.slice(0, Math.max(0, template.lastIndexOf('/')));
}

function has(known: ReadonlySet<string>, claim: string): string[] {
  return known.has(claim) ? [claim] : [];
}
