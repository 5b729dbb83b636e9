// Answers that were too long or too deep to read. Of a line that was too long nothing is kept, so it cannot say whose
// it was: it was that of a call in flight, and when the others have been answered it is known which.
import type { Transport } from "@bosun/mcp/server";
import { DownstreamGone } from "./downstream-gone.ts";

type Incoming = Transport["incoming"] extends AsyncIterable<infer Message> ? Message : never;

export class LostAnswers {
  private readonly waiting = new Map<number, (error: DownstreamGone) => void>();
  private suspects: { ids: Set<number>; why: string }[] = [];

  /** Rejects when the answer to this call has been lost. Settles in no other way. */
  of(id: number): Promise<never> {
    return new Promise((_, reject) => this.waiting.set(id, reject));
  }

  over(id: number): void {
    this.waiting.delete(id);
    if (this.suspects.length === 0) return;
    for (const { ids } of this.suspects) ids.delete(id);
    this.judge();
  }

  async *watch(incoming: Transport["incoming"], server: string): AsyncGenerator<Incoming> {
    for await (const message of incoming) {
      if (message.kind === "malformed") this.suspect(message, server);
      yield message;
    }
  }

  private suspect({ id, error, ends }: Extract<Incoming, { kind: "malformed" }>, server: string): void {
    const why = `${server}: ${error.message}`;
    const meant = id ?? (ends === undefined ? undefined : idOfAnswer(ends));
    if (meant !== undefined) this.waiting.get(Number(meant))?.(new DownstreamGone(why));
    // Any other line that cannot be read is noise: servers print to their stdout.
    else if (error.message.includes("over the limit")) {
      this.suspects.push({ ids: new Set(this.waiting.keys()), why });
      this.judge();
    }
  }

  private judge(): void {
    const certain = this.suspects.filter(({ ids }) => ids.size <= 1);
    this.suspects = this.suspects.filter(({ ids }) => ids.size > 1);
    for (const { ids, why } of certain) for (const id of ids) this.waiting.get(id)?.(new DownstreamGone(why));
  }
}

/** Some write the id first, some last; noise on a server's stdout is no JSON-RPC. */
function idOfAnswer(ends: string): string | undefined {
  if (!ends.startsWith("{") || !/"jsonrpc"\s*:\s*"2\.0"/.test(ends) || !/"(?:result|error)"\s*:/.test(ends))
    return undefined;
  return (/^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(ends) ??
    /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}?$/.exec(ends))?.[1];
}
