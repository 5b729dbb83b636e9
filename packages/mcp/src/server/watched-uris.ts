// The URIs that clients asked to hear of: bounded for each of them, and for all of them together.
import { INVALID_PARAMS, INVALID_REQUEST, RpcError } from "../wire/rpc-error.ts";
import type { SharedBudget } from "../wire/shared-budget.ts";

/** More than anybody watches, and a bound on what one client makes us keep. */
export const MAX_SUBSCRIPTIONS = 1000;
export const MAX_URI_CHARS = 8192;
/** What all clients of a server may make us keep. */
export const MAX_WATCHED_CHARS = 16 * 1024 * 1024;
/** A URI costs its entry too. */
const ENTRY_CHARS = 64;

export class WatchedUris {
  private readonly uris = new Set<string>();
  private readonly budget: SharedBudget;

  constructor(budget: SharedBudget) {
    this.budget = budget;
  }

  get size(): number {
    return this.uris.size;
  }

  has(uri: string): boolean {
    return this.uris.has(uri);
  }

  add(uri: string): void {
    if (this.uris.has(uri)) return;
    if (uri.length > MAX_URI_CHARS) {
      throw new RpcError(INVALID_PARAMS, `a URI of more than ${MAX_URI_CHARS} characters`);
    }
    if (this.uris.size >= MAX_SUBSCRIPTIONS) {
      throw new RpcError(INVALID_PARAMS, `more than ${MAX_SUBSCRIPTIONS} subscriptions: unsubscribe some first`);
    }
    if (!this.budget.take(costOf(uri))) {
      throw new RpcError(INVALID_REQUEST, "all clients together have too many subscriptions: try again later");
    }
    this.uris.add(uri);
  }

  delete(uri: string): void {
    if (this.uris.delete(uri)) this.budget.giveBack(costOf(uri));
  }

  clear(): void {
    for (const uri of this.uris) this.budget.giveBack(costOf(uri));
    this.uris.clear();
  }

  list(): string[] {
    return [...this.uris];
  }
}

function costOf(uri: string): number {
  return uri.length + ENTRY_CHARS;
}
