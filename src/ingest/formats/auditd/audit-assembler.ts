import { append } from '../../../base/append.js';
import type { Batch } from '../../batch.js';
import { ACT, SEEN } from '../../kernel/act.js';
import { KernelAssembler } from '../../kernel/kernel-assembler.js';
import type { Assembler } from '../reader.js';
import { WINDOW_LINES } from './auditd-reader.js';
import { type HeldAct, holdAct, isComplete, keyOfAct, keyOfHeld, mergeActs, releaseAct } from './held-act.js';
import { type SavedSerials, Serials } from './serials.js';

/** An event that lacks its end was cut by the end of the log if its last record is among so many last lines. */
const CUT_LINES = 32;

interface SavedAudit {
  held: HeldAct[];
  serials: [host: string, saved: SavedSerials][];
  endings: boolean;
}

/** The acts that are due, by line. Most come in order, and without an object for each. */
class DueActs {
  readonly #lines: number[] = [];
  readonly #acts: (number | HeldAct)[] = [];
  #inOrder = true;

  add(line: number, act: number | HeldAct): void {
    if (line < (this.#lines.at(-1) ?? line)) this.#inOrder = false;
    this.#lines.push(line);
    this.#acts.push(act);
  }

  inOrder(): readonly (number | HeldAct)[] {
    if (this.#inOrder) return this.#acts;
    const lines = this.#lines;
    const order = lines.map((_, i) => i).sort((a, b) => lines[a] - lines[b]);
    return order.map((i) => this.#acts[i]);
  }
}

/**
 * Puts the records of events together that lie in different blocks or files, and watches the serials. An event is whole
 * when it has all its records, or when no further one came for WINDOW_LINES lines. Events count in the order in which they
 * became whole, whatever the blocks are.
 */
export class AuditAssembler extends KernelAssembler implements Assembler {
  readonly #held = new Map<string, HeldAct>();
  readonly #serials = new Map<string, Serials>();
  /** True if the log writes a last record of each event. Then an event without it at the end of the log was cut. */
  #endings = false;
  /** The number of lines before the current batch. */
  #position = 0;
  /** The line at which the current file starts. */
  #fileStart = 0;

  constructor(saved: unknown) {
    super((saved as { kernel?: unknown } | undefined)?.kernel);
    const {
      held = [],
      serials = [],
      endings = false,
    } = ((saved as { audit?: unknown } | undefined)?.audit ?? {}) as Partial<SavedAudit>;
    for (const act of held) this.#held.set(keyOfHeld(act), act);
    for (const [host, serial] of serials) this.#serials.set(host, new Serials(serial));
    this.#endings = endings;
  }

  override beginFile(): void {
    super.beginFile();
    this.#fileStart = this.#position;
  }

  override take(batch: Batch): void {
    this.state.begin(batch);
    const base = this.#position + batch.linesBefore;
    const { tape } = this.state;
    this.#watchSerials(batch);
    const inOrder =
      this.#held.size === 0 &&
      inOrderOf(tape.words, tape.acts, ACT.last) === tape.acts &&
      tape.acts.every((act) => isComplete(tape.words, act));
    if (inOrder) for (const act of tape.acts) this.#takeWhole(act);
    else this.#takeInOrder(batch, base);
    this.#position += batch.lines;
  }

  #takeInOrder(batch: Batch, base: number): void {
    const { tape, out } = this.state;
    const due = new DueActs();
    // Few acts wait, so most need no key to tell that they do not go on with one.
    const heldSerials = new Set<number>();
    for (const { words } of this.#held.values()) heldSerials.add(words[ACT.serial]);
    for (const act of inOrderOf(tape.words, tape.acts, ACT.last)) {
      const serial = tape.words[act + ACT.serial];
      if (!heldSerials.has(serial) && isComplete(tape.words, act)) {
        due.add(base + tape.words[act + ACT.last], act);
        continue;
      }
      out.beginAct(act);
      const key = keyOfAct(tape, act, out.hostName);
      const held = this.#held.get(key);
      const line = base + tape.words[act + ACT.last];
      if (held === undefined && isComplete(tape.words, act)) {
        due.add(line, act);
        continue;
      }
      const fresh = holdAct(tape, act, out.hostName, base);
      if (held !== undefined && base + tape.words[act + ACT.first] - held.last <= WINDOW_LINES) {
        mergeActs(held, fresh);
        if (!isComplete(held.words, 0)) continue;
        this.#held.delete(key);
        due.add(line, held);
        continue;
      }
      if (held !== undefined) due.add(held.last + WINDOW_LINES, held);
      if (isComplete(fresh.words, 0)) {
        this.#held.delete(key);
        due.add(line, act);
      } else {
        this.#held.set(key, fresh);
        heldSerials.add(serial);
      }
    }
    const end = this.#position + batch.lines;
    for (const [key, held] of this.#held) {
      if (held.last + WINDOW_LINES >= end) continue;
      this.#held.delete(key);
      due.add(held.last + WINDOW_LINES, held);
    }
    for (const act of due.inOrder())
      this.#takeWhole(typeof act === 'number' ? act : this.#release(act, base));
  }

  override finish(batch: Batch): void {
    this.state.begin(batch);
    const waiting = [...this.#held.values()].sort((a, b) => a.last - b.last);
    this.#held.clear();
    for (const held of waiting) {
      const seen = held.words[ACT.seen];
      const isCut = this.#endings && (seen & SEEN.end) === 0 && (seen & SEEN.call) !== 0;
      if (isCut && this.#position - held.last <= CUT_LINES) {
        // The log may go on with the rest of the event.
        this.#held.set(keyOfHeld(held), held);
        batch.skip('unfinished');
      } else this.#takeWhole(this.#release(held, this.#position));
    }
    for (const [host, serials] of this.#serials)
      append(batch.losses, serials.losses(host || undefined, true));
  }

  override save(): unknown {
    // Lines count from the end of this input when the next one goes on.
    const held = [...this.#held.values()].map((act) => ({
      ...act,
      last: act.last - this.#position,
      line: act.line - this.#position,
    }));
    const serials = [...this.#serials].map(([host, each]) => [host, each.save()]);
    return { kernel: super.save(), audit: { held, serials, endings: this.#endings } };
  }

  #takeWhole(act: number): void {
    const { words, batch } = this.state.tape;
    if ((words[act + ACT.seen] & SEEN.call) !== 0 && words[act + ACT.records] > 1)
      batch.merged.set('records', (batch.merged.get('records') ?? 0) + words[act + ACT.records] - 1);
    this.takeAct(act);
  }

  /** Puts a held act on the tape. A line of a file before stands as the first line of this one. */
  #release(held: HeldAct, base: number): number {
    const { tape, out } = this.state;
    const line = Math.max(held.line, this.#fileStart);
    return releaseAct({ ...held, line }, tape, out.hostNumber(held.host ?? undefined), base);
  }

  #watchSerials(batch: Batch): void {
    const { tape, out } = this.state;
    let host: string | undefined;
    let serials: Serials | undefined;
    let previous = Number.NaN;
    // Acts without an end, such as CONFIG_CHANGE, come last in their block, but their serials belong where they started.
    for (const act of inOrderOf(tape.words, tape.acts, ACT.first)) {
      const { words } = tape;
      if ((words[act + ACT.seen] & SEEN.end) !== 0 && (words[act + ACT.seen] & SEEN.alone) === 0)
        this.#endings = true;
      if (words[act + ACT.host] !== previous || serials === undefined) {
        previous = words[act + ACT.host];
        out.beginAct(act);
        host = out.hostName;
        serials = this.#serialsOf(host ?? '');
      }
      const serial = words[act + ACT.serial];
      // The daemon counts the records that it writes about itself on its own.
      if ((words[act + ACT.seen] & SEEN.sensor) !== 0) continue;
      if (!serials.isNext(serial)) serials.jump(serial, () => tape.exactTimeOf(act));
    }
    const last = tape.acts.at(-1);
    if (last !== undefined) serials?.at(tape.exactTimeOf(last));
    for (const [name, each] of this.#serials) append(batch.losses, each.losses(name || undefined, false));
  }

  #serialsOf(host: string): Serials {
    let serials = this.#serials.get(host);
    if (serials === undefined) {
      serials = new Serials();
      this.#serials.set(host, serials);
    }
    return serials;
  }
}

/** The acts in the order of one of their words. Most blocks have them in this order. */
function inOrderOf(words: Int32Array, acts: readonly number[], word: number): readonly number[] {
  for (let i = 1; i < acts.length; i++) {
    if (words[acts[i] + word] < words[acts[i - 1] + word])
      return [...acts].sort((a, b) => words[a + word] - words[b + word]);
  }
  return acts;
}
