// One directory, changed by commands that may overlap: changes count in the order the commands were asked for, not in
// which they ended, and a command that changed nothing overwrites nothing.

export type Turn = {
  /** The directory this command ended in, or null when it said nothing. */
  settle(directory: string | null): void;
};

export class SessionDirectory {
  readonly #home: string;
  #current: string;
  #asked = 0;
  #decidedBy = 0;

  constructor(home: string, start = home) {
    this.#home = home;
    this.#current = start;
  }

  get current(): string {
    return this.#current;
  }

  begin(): Turn {
    this.#asked += 1;
    const order = this.#asked;
    const startedIn = this.#current;
    return {
      settle: (directory) => {
        if (directory === null || directory === startedIn || order < this.#decidedBy) return;
        this.#decidedBy = order;
        this.#current = directory;
      },
    };
  }

  /** Back to where it began; commands asked for earlier no longer move it. */
  reset(): void {
    this.#decidedBy = this.#asked + 1;
    this.#current = this.#home;
  }
}
