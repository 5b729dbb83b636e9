// How one client's messages reach one server and come back. There is one implementation for each pair of eras.
import type { Call, JsonObject, RawJson, Session } from "@bosun/mcp/server";
import type { Notification, Request } from "@bosun/mcp/relay";

/** Who hears what a server says on its own. */
export type ServerListener = {
  serverNotified(message: Notification): void;
  /** A request of the server's; aborted when it does not want to know any more. */
  serverAsked(message: Request, signal: AbortSignal): Promise<JsonObject>;
};

export type EraBridge = ServerListener & {
  /** `headers`: arguments mirrored in HTTP headers, where the server is reached over HTTP. */
  request(call: Call, headers?: [string, string][]): Promise<JsonObject | RawJson>;
  /** The client said `initialized`. */
  opened(session: Session): void;
  clientNotified(message: Notification): void;
  /** Ends what it has started itself. */
  close?(): Promise<void>;
};
