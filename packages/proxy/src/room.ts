// A server is read as fast as the client reads: what a client does not take stays with the server that said it.
import type { Transport } from "@bosun/mcp/server";

type Incoming = Transport["incoming"] extends AsyncIterable<infer Message> ? Message : never;

/** A promise where there is none: it settles when there is. */
export type Room = () => Promise<void> | undefined;

export async function* whileThereIsRoom(incoming: AsyncIterable<Incoming>, room: Room): AsyncGenerator<Incoming> {
  for await (const message of incoming) {
    yield message;
    const none = room();
    if (none) await none;
  }
}
