// Who asked what on one connection, and what was answered: every request exactly once. Knows nothing of transports.

/** Sums over all connections. */
export type Tally = {
  requests: number;
  answers: number;
  /** Cancelled, and then not answered: as the protocol wants it. */
  cancelledUnanswered: number;
  /** Open when we ended the connection ourselves. */
  cutOff: number;
  lost: string[];
  doubled: string[];
  /** Answers nobody had asked for. */
  unasked: string[];
  nonsense: number;
  nonsenseAnswered: number;
  wrong: string[];
};

/** Enough to see what happened; the rest is a number. */
const MAX_NAMED = 20;

export function emptyTally(): Tally {
  return {
    requests: 0,
    answers: 0,
    cancelledUnanswered: 0,
    cutOff: 0,
    lost: [],
    doubled: [],
    unasked: [],
    nonsense: 0,
    nonsenseAnswered: 0,
    wrong: [],
  };
}

export function note(list: string[], what: string): void {
  if (list.length < MAX_NAMED) list.push(what.slice(0, 300));
  else list[MAX_NAMED] = `and ${Number(/^and (\d+) more$/.exec(list[MAX_NAMED] ?? "")?.[1] ?? 0) + 1} more`;
}

export class Ledger {
  private readonly open = new Map<number, { readonly what: string; cancelled: boolean }>();
  /** Ids that were answered. A connection lives for some thousand requests: a number each. */
  private readonly closed = new Set<number>();
  private readonly name: string;
  private readonly tally: Tally;
  private nonsenseOpen = 0;

  constructor(name: string, tally: Tally) {
    this.name = name;
    this.tally = tally;
  }

  asked(id: number, what: string): void {
    this.open.set(id, { what, cancelled: false });
    this.tally.requests++;
  }

  cancelled(id: number): void {
    const request = this.open.get(id);
    if (request) request.cancelled = true;
  }

  sentNonsense(): void {
    this.nonsenseOpen++;
    this.tally.nonsense++;
  }

  /** An answer came; `undefined`: an error that belongs to no request. */
  answered(id: number | undefined): void {
    if (id === undefined) {
      this.tally.nonsenseAnswered++;
      this.nonsenseOpen--;
      if (this.nonsenseOpen < 0) note(this.tally.unasked, `${this.name}: an error without an id`);
      return;
    }
    const request = this.open.get(id);
    if (request) {
      this.open.delete(id);
      this.closed.add(id);
      this.tally.answers++;
    } else if (this.closed.has(id)) note(this.tally.doubled, `${this.name}: request ${id}`);
    else note(this.tally.unasked, `${this.name}: id ${id}`);
  }

  /** What still waits for an answer it must get. */
  get waiting(): number {
    return [...this.open.values()].filter(({ cancelled }) => !cancelled).length + Math.max(0, this.nonsenseOpen);
  }

  /** We ended the connection in the middle: what was open is excused. */
  cutOff(): void {
    this.tally.cutOff += this.waiting;
    this.nonsenseOpen = 0;
    this.countCancelled();
    this.open.clear();
  }

  /** There was time enough: what is still open is lost. */
  settle(): void {
    for (const [id, { what, cancelled }] of this.open)
      if (!cancelled) note(this.tally.lost, `${this.name}: request ${id}, ${what}`);
    for (; this.nonsenseOpen > 0; this.nonsenseOpen--)
      note(this.tally.lost, `${this.name}: the error for a bad message`);
    this.countCancelled();
    this.open.clear();
  }

  private countCancelled(): void {
    this.tally.cancelledUnanswered += [...this.open.values()].filter(({ cancelled }) => cancelled).length;
  }
}
