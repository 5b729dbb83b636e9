// Numbers that look random and are the same again for the same seed (mulberry32).

export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(things: readonly [T, ...T[]]): T {
    return things[Math.floor(this.next() * things.length)] ?? things[0];
  }

  /** Something of its own for each worker, so that the order in which they run changes nothing. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }

  word(): string {
    return Math.floor(this.next() * 2 ** 48).toString(36);
  }
}
