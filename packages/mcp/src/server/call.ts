// The contract between what carries messages (stdio, HTTP) and what answers them (a server, a relay).
// Carriers know sessions, streams and headers; services know methods. Neither knows the other's half.
import type { JsonObject, RawJson } from "../wire/json-value.ts";
import type { Id, Notification, Request } from "../wire/message.ts";
import type { LegacyRevision, Revision } from "../wire/revisions.ts";
import { INVALID_REQUEST, RpcError } from "../wire/rpc-error.ts";

export type Principal = { id: string; scopes: readonly string[]; claims?: JsonObject };
export type ClientFacts = { capabilities: JsonObject; info: JsonObject | undefined };

/** `exact`: numbers of the answer as they were sent (`parseExactly`), for relays. */
export type RequestOptions = { signal?: AbortSignal; timeoutMs?: number; exact?: boolean };

/** One request, with everything a service may know about where it came from. */
export type Call = {
  readonly id: Id;
  readonly method: string;
  readonly params: JsonObject;
  /** The request's JSON text, for relays. */
  readonly raw: string;
  readonly revision: Revision;
  readonly client: ClientFacts;
  readonly principal: Principal | undefined;
  /** An opaque name for whoever calls. What a call leaves behind (tasks, state) belongs to it. */
  readonly owner: string;
  /** Aborted when the client cancels, when its session ends, and in 2026-07-28 over HTTP when it hangs up. */
  readonly signal: AbortSignal;
  /** Legacy only: 2026-07-28 has no sessions. */
  readonly session: Session | undefined;
  /** HTTP only: a request header, for `Mcp-Param-*`. */
  readonly header: ((name: string) => string | null) | undefined;
  /** Sends a notification on this call's own stream. Nothing is sent once the call has been answered. */
  notify(method: string, params: JsonObject | RawJson): void;
  /** Legacy only: asks the client something on this call's own stream. */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Legacy HTTP: lets go of the connection; the client comes back for the rest. Elsewhere nothing happens. */
  releaseConnection(retryMs: number): void;
};

type CallFacts = Pick<Call, "revision" | "client" | "owner" | "signal" | "notify"> & Partial<Call>;

/** A request as a service sees it. By default there is no session, and the client cannot be asked. */
export function createCall({ id, method, params = {}, raw }: Request, facts: CallFacts): Call {
  return {
    id,
    method,
    params,
    raw,
    principal: undefined,
    session: undefined,
    header: undefined,
    request: () => Promise.reject(new RpcError(INVALID_REQUEST, "this client cannot be asked anything")),
    releaseConnection() {},
    ...facts,
  };
}

/** A legacy session, from `initialize` to its end. */
export type Session = {
  /** Unguessable: it is the handle of everything this client owns. */
  readonly id: string;
  readonly revision: LegacyRevision;
  readonly client: ClientFacts;
  readonly ended: AbortSignal;
  /** Sends an unsolicited notification. */
  notify(method: string, params: JsonObject | RawJson): void;
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
};

/** Answers calls. Throws RpcError for JSON-RPC errors. */
export type Service = {
  handle(call: Call): Promise<JsonObject | RawJson> | JsonObject | RawJson;
  /** A notification from a client, other than those carriers deal with (`cancelled`, `initialized`). */
  notified?(message: Notification, session: Session | undefined): void;
  /** Whatever this owner left behind is no longer wanted: its connection or session is over. Settles when it is gone. */
  ended?(owner: string): Promise<void> | void;
  /** Whether something this owner left behind still runs: then its session is not idle, however long it is silent. */
  isBusy?(owner: string): boolean;
  /** The client said `initialized`: unsolicited messages may flow. */
  opened?(session: Session): void;
};
