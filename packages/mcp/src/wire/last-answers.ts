// `printf … | bcp-mcp-server` closes its input at once and still wants all its answers, also those of a large file, a slow
// binary or a server that takes its time to start. So the end of input is heard only when what was asked has been
// answered, or after a while.
import { idFrom } from "./message.ts";
import type { Transport } from "./transport.ts";

/** An answer says whose it is at its very beginning: ids are short. */
const ANSWER = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^,]+),"(?:result|error)":/;
const HEAD_CHARS = 1000;

export function withLastAnswers(transport: Transport, waitMs: number): Transport {
  const owed = new Set<string>();
  let owedBatches = 0;
  let onPaid: (() => void) | undefined;

  function ask(message: Incoming): void {
    if (message.kind === "request") {
      // A subscription has no end of its own.
      if (message.method !== "subscriptions/listen") owed.add(message.id);
    } else if (message.kind === "batch") {
      if (message.items.some(({ kind }) => kind === "request")) owedBatches++;
      // It gets no answer, unless it has it already.
    } else if (message.kind === "notification" && message.method === "notifications/cancelled") {
      owed.delete(idFrom(message.params?.["requestId"], message.raw, ["params", "requestId"]) ?? "");
    }
  }

  function pay(text: string): void {
    // A batch that is refused is answered with one error, which names nobody.
    if (text.startsWith("[") || text.startsWith('{"jsonrpc":"2.0","error":'))
      owedBatches = Math.max(0, owedBatches - 1);
    else owed.delete(ANSWER.exec(text.slice(0, HEAD_CHARS))?.[1] ?? "");
    if (isPaid()) onPaid?.();
  }

  function isPaid(): boolean {
    return owed.size === 0 && owedBatches <= 0;
  }

  async function allPaid(): Promise<void> {
    if (isPaid()) return;
    const paid = Promise.withResolvers<void>();
    onPaid = paid.resolve;
    const timer = setTimeout(paid.resolve, waitMs);
    await paid.promise;
    clearTimeout(timer);
  }

  async function* oneByOne(): AsyncGenerator<Incoming> {
    for await (const message of transport.incoming) {
      ask(message);
      yield message;
    }
    await allPaid();
  }

  async function each(take: (message: Incoming) => Promise<void> | undefined): Promise<void> {
    if (!transport.incoming.each) {
      for await (const message of oneByOne()) await take(message);
      return;
    }
    await transport.incoming.each((message) => {
      ask(message);
      return take(message);
    });
    await allPaid();
  }

  return {
    ...transport,
    incoming: { [Symbol.asyncIterator]: oneByOne, each },
    async send(text) {
      try {
        await transport.send(text);
        pay(text);
      } catch (error) {
        // Nobody is there to hear the rest.
        owed.clear();
        owedBatches = 0;
        onPaid?.();
        throw error;
      }
    },
  };
}

type Incoming = Transport["incoming"] extends AsyncIterable<infer Message> ? Message : never;
