/** Addresses in user memory, which system calls pass. Their values have no meaning. */
export class Pointers {
  constructor(private state: number) {}

  next(): string {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return (0x5500_0000_0000 + this.state * 16).toString(16);
  }

  /** `a0` to `a(count-1)` as addresses, then the rest. */
  list(count: number, rest: string): string {
    let text = '';
    for (let index = 0; index < count; index++) text += `a${index}=${this.next()} `;
    return text + rest;
  }
}
