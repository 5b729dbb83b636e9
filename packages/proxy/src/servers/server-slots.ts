// How many copies of the servers may run at once, whoever they run for: clients, and calls that need one to themselves.
export class ServerSlots {
  private readonly max: number;
  private taken = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Gives the slot back, once. Undefined when all are taken. */
  take(): (() => void) | undefined {
    if (this.taken >= this.max) return undefined;
    this.taken++;
    let isOurs = true;
    return () => {
      if (isOurs) this.taken--;
      isOurs = false;
    };
  }
}
