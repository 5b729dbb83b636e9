// Requests that set something in an older server for the whole session (subscriptions, log level). A server that was
// started again gets them again: its client does not know that it was.
import type { JsonObject } from "@bosun/mcp/server";

/** A client that subscribes to more than this has lost count as well. */
const MAX_URIS = 1000;

export type ReplayedRequest = { method: string; params: JsonObject };

export class ReplayedState implements Iterable<ReplayedRequest> {
  private readonly uris = new Set<string>();
  private level: JsonObject | undefined;

  /** A request that the server has granted. */
  note(method: string, params: JsonObject | undefined): void {
    const uri = params?.["uri"];
    if (method === "logging/setLevel") this.level = params;
    else if (typeof uri !== "string") return;
    else if (method === "resources/subscribe" && this.uris.size < MAX_URIS) this.uris.add(uri);
    else if (method === "resources/unsubscribe") this.uris.delete(uri);
  }

  *[Symbol.iterator](): Iterator<ReplayedRequest> {
    if (this.level) yield { method: "logging/setLevel", params: this.level };
    for (const uri of this.uris) yield { method: "resources/subscribe", params: { uri } };
  }
}
