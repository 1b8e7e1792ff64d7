/** A time in nanoseconds as two 32-bit words. A bigint would be a new object for each record. */
export class TimeWords {
  /** False if there is no valid time. The words are 0 then. */
  known = false;
  low = 0;
  high = 0;

  clear(): void {
    this.known = false;
    this.low = this.high = 0;
  }

  set(low: number, high: number): void {
    this.known = true;
    this.low = low;
    this.high = high;
  }

  setTime(time: bigint | undefined): void {
    if (time === undefined) this.clear();
    else this.set(Number(BigInt.asIntN(32, time)), Number(BigInt.asIntN(32, time >> 32n)));
  }
}
