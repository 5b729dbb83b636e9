// What a person is told when nothing was done, with the exit code it ends with.

export class UndoError extends Error {
  override readonly name = "UndoError";
  /** 1 the machine failed, 2 wrong usage, 3 refused and nothing changed. */
  readonly exitCode: 1 | 2 | 3;
  constructor(message: string, exitCode: 1 | 2 | 3 = 3) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The store has no room left, whatever is evicted. */
export class StoreFull extends Error {
  override readonly name = "StoreFull";
  constructor() {
    super("the store is full");
  }
}
