import type { Batch } from '../batch.js';
import { ACT, SEEN } from './act.js';
import { KernelState } from './kernel-state.js';
import { restoreHosts, saveHosts } from './saved-state.js';

/**
 * The stage in order of formats whose records are whole acts. It is an Assembler: see formats/reader.ts. Formats whose acts
 * consist of several records put them together first.
 */
export class KernelAssembler {
  protected state = new KernelState();

  constructor(saved: unknown) {
    for (const [name, host] of restoreHosts(saved)) this.state.hosts.set(name, host);
  }

  beginFile(): void {
    this.state.file++;
  }

  take(batch: Batch): void {
    this.state.begin(batch);
    for (const act of this.state.tape.acts) this.takeAct(act);
  }

  finish(_batch: Batch): void {}

  save(): unknown {
    return saveHosts(this.state.hosts);
  }

  /** Adds the events of a whole act. */
  protected takeAct(act: number): void {
    const { tape } = this.state;
    const seen = tape.words[act + ACT.seen];
    if ((seen & SEEN.boot) !== 0) this.state.boot(act);
    if ((seen & (SEEN.call | SEEN.login)) !== 0) this.state.take(act);
    else tape.batch.skip((seen & SEEN.alone) !== 0 ? 'notACall' : 'noCall');
  }
}
