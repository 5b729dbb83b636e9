// Answers that were too long or too deep to read. Of a line that is too long only the ends are kept: where neither says
// whose it was, it was that of a call in flight, and when the others have been answered it is known which.
import type { Transport } from "@bosun/mcp/server";
import { ServerGone } from "./call-failed.ts";

/** A line over the limit that has not ended by now, and says nothing of itself, fails all who wait behind it. */
const UNDECIDED_MS = 5000;

type Incoming = Transport["incoming"] extends AsyncIterable<infer Message> ? Message : never;

/** Whose answer it may be, while the line goes on or others are still to be answered. */
type Candidates = { ids: Set<number>; why: string; timer: Timer };

export class UnreadableAnswers {
  private readonly server: string;
  private readonly undecidedMs: number;
  private readonly waiting = new Map<number, (error: ServerGone) => void>();
  private candidates: Candidates | undefined;

  constructor(server: string, undecidedMs: number = UNDECIDED_MS) {
    this.server = server;
    this.undecidedMs = undecidedMs;
  }

  /** Rejects when the answer to this call has been lost. Settles in no other way. */
  of(id: number): Promise<never> {
    return new Promise((_, reject) => this.waiting.set(id, reject));
  }

  over(id: number): void {
    this.waiting.delete(id);
    if (!this.candidates?.ids.delete(id)) return;
    if (this.candidates.ids.size <= 1) this.decide();
  }

  /** A line has passed the limit. It may never end, so whoever waits for it is told now. */
  overlong(beginning: string, maxBytes: number): void {
    const why = `a message is over the limit of ${maxBytes} bytes`;
    const id = idOfAnswer(beginning);
    if (id !== undefined) return this.fail(Number(id), why);
    // What the server says on its own is lost, and nobody waited for it.
    if (/^\{[^{}[\]]*"method"\s*:/.test(beginning)) return;
    this.decide();
    const timer = setTimeout(() => this.decide(), this.undecidedMs);
    timer.unref?.();
    this.candidates = { ids: new Set(this.waiting.keys()), why, timer };
    if (this.candidates.ids.size <= 1) this.decide();
  }

  async *watch(incoming: Transport["incoming"]): AsyncGenerator<Incoming> {
    try {
      for await (const message of incoming) {
        if (message.kind === "malformed") this.suspect(message);
        yield message;
      }
    } catch (error) {
      // It is not read any further: no answer of it will be.
      for (const id of this.waiting.keys()) this.fail(id, error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      clearTimeout(this.candidates?.timer);
      this.candidates = undefined;
    }
  }

  private suspect({ id, error, ends }: Extract<Incoming, { kind: "malformed" }>): void {
    const meant = id ?? (ends === undefined ? undefined : idOfAnswer(ends));
    if (meant === undefined) return; // noise: servers print to their stdout
    this.fail(Number(meant), error.message);
    // The line that the others were suspected of has ended, and said whose it was.
    if (!error.message.includes("over the limit")) return;
    clearTimeout(this.candidates?.timer);
    this.candidates = undefined;
  }

  private decide(): void {
    const { candidates } = this;
    if (!candidates) return;
    clearTimeout(candidates.timer);
    this.candidates = undefined;
    for (const id of candidates.ids) this.fail(id, candidates.why);
  }

  private fail(id: number, why: string): void {
    this.waiting.get(id)?.(new ServerGone(`${this.server}: ${why}`));
  }
}

/** Some write the id first, some last; noise on a server's stdout is no JSON-RPC. */
function idOfAnswer(ends: string): string | undefined {
  if (!ends.startsWith("{") || !/"jsonrpc"\s*:\s*"2\.0"/.test(ends) || !/"(?:result|error)"\s*:/.test(ends))
    return undefined;
  return (/^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(ends) ??
    /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}?$/.exec(ends))?.[1];
}
