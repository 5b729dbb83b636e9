// The way of one client's messages to one server and back. There is one for each pair of eras.
import type { Call, JsonObject, RawJson, Session } from "@bosun/mcp/server";
import type { Notification, Request } from "@bosun/mcp/relay";

/** Who hears what a server says on its own. */
export type Hearing = {
  fromServer(message: Notification): void;
  /** A request of the server's; aborted when it does not want to know any more. */
  question(message: Request, signal: AbortSignal): Promise<JsonObject>;
};

export type Passage = Hearing & {
  /** `headers`: arguments mirrored in HTTP headers, where the server is reached over HTTP. */
  handle(call: Call, headers?: [string, string][]): Promise<JsonObject | RawJson>;
  /** The client said `initialized`. */
  opened(session: Session): void;
  fromClient(message: Notification): void;
  /** Ends what it has started itself. */
  close?(): Promise<void>;
};
