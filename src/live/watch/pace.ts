/** Says when work may be done again, so that it takes at most a share of the time. Times are in milliseconds. */
export class Pace {
  #ended = Number.NEGATIVE_INFINITY;
  #took = 0;

  /** The work ended at this time, after so long. */
  note(ended: number, took: number): void {
    this.#ended = ended;
    this.#took = took;
  }

  /** Whether work with this share of the time may begin. At least `pause` lies between two works. */
  isTime(now: number, share: number, pause = 0): boolean {
    return now - this.#ended >= Math.max(pause, (this.#took * (1 - share)) / share);
  }
}
