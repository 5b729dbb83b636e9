// A server is read as fast as the client reads: what a client does not take stays with the server that said it.
import type { Transport } from "@bosun/mcp/server";

type Incoming = Transport["incoming"] extends AsyncIterable<infer Message> ? Message : never;

/** While too much waits for the client: a promise that settles when it has been read. */
export type Backpressure = () => Promise<void> | undefined;

export async function* withBackpressure(
  incoming: AsyncIterable<Incoming>,
  backpressure: Backpressure,
): AsyncGenerator<Incoming> {
  for await (const message of incoming) {
    yield message;
    await backpressure();
  }
}
