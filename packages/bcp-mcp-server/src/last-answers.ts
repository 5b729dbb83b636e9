// `printf … | bcp-mcp-server` closes its input at once and still wants all its answers, also those of a large file or a slow
// binary. So the end of input is heard only when what was asked has been answered, or after a while.
import type { Transport } from "@bosun/mcp/server";

export function withLastAnswers(transport: Transport, waitMs: number): Transport {
  let owed = 0;
  let onPaid: (() => void) | undefined;
  const pay = (): void => {
    owed--;
    if (owed <= 0) onPaid?.();
  };

  async function* incoming(): AsyncGenerator<Incoming> {
    for await (const message of transport.incoming) {
      if (message.kind === "request" || message.kind === "malformed") owed++;
      // It gets no answer, unless it has it already.
      else if (message.kind === "notification" && message.method === "notifications/cancelled") pay();
      yield message;
    }
    if (owed <= 0) return;
    const paid = Promise.withResolvers<void>();
    onPaid = paid.resolve;
    const timer = setTimeout(paid.resolve, waitMs);
    await paid.promise;
    clearTimeout(timer);
  }

  return {
    ...transport,
    incoming: incoming(),
    async send(text) {
      try {
        await transport.send(text);
      } finally {
        pay();
      }
    },
  };
}

type Incoming = Transport["incoming"] extends AsyncIterable<infer Message> ? Message : never;
