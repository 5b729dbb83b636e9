// The protocol's error codes, and the one exception that becomes a JSON-RPC error.
import { isObject } from "./json-value.ts";
import type { Json, JsonObject } from "./json-value.ts";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Up to 2025-11-25 only; 2026-07-28 says INVALID_PARAMS instead. */
export const RESOURCE_NOT_FOUND = -32002;
/** 2025-11-25 only: the request needs a person to visit a URL first. */
export const URL_ELICITATION_REQUIRED = -32042;
export const HEADER_MISMATCH = -32020;
export const CAPABILITY_MISSING = -32021;
export const VERSION_UNSUPPORTED = -32022;

/** An answer of the JSON-RPC kind: thrown by handlers, received by callers. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.code = code;
    this.data = data;
  }

  toJson(): JsonObject {
    const base = { code: this.code, message: this.message };
    return this.data === undefined ? base : { ...base, data: this.data };
  }

  static from(value: unknown): RpcError {
    if (!isObject(value)) return new RpcError(INTERNAL_ERROR, "the peer sent an error that is not an object");
    const { code, message, data } = value;
    return new RpcError(
      typeof code === "number" ? code : INTERNAL_ERROR,
      typeof message === "string" ? message : "the peer sent an error without a message",
      data,
    );
  }
}

/** The request itself is not acceptable, whatever its method would say: HTTP answers 400, not 200. */
export class BadRequest extends RpcError {}

/** No further client is served now: HTTP answers 503. */
export class TooManyClients extends RpcError {
  constructor(message = "too many clients: try again later") {
    super(INVALID_REQUEST, message);
  }
}

/** Why a peer does not want an answer any more (`notifications/cancelled`), as the reason of an abort signal. */
export class CancelledByPeer extends DOMException {
  constructor(reason: string) {
    super(reason, "AbortError");
  }

  /** What `notifications/cancelled` said, if it gave a reason. */
  static by({ reason }: JsonObject): CancelledByPeer | undefined {
    return typeof reason === "string" ? new CancelledByPeer(reason) : undefined;
  }
}

/** The connection is gone, or an answer never came: raised here, never received from the peer. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly reason: "closed" | "timeout" | "cancelled" | "http" | "invalid";
  readonly status: number | undefined;

  constructor(reason: ConnectionError["reason"], message: string, status?: number) {
    super(message);
    this.reason = reason;
    this.status = status;
  }
}
