// The requests that are being answered: bounded in number for each client, cancelled one by one or all at once, and
// bounded in what all of them keep in memory.
import { idFrom } from "../wire/message.ts";
import type { Id, Notification, Request } from "../wire/message.ts";
import { CancelledByPeer, INVALID_REQUEST, RpcError } from "../wire/rpc-error.ts";
import type { Call, Service } from "./call.ts";
import type { JsonObject, RawJson } from "../wire/json-value.ts";

export type RunningCall = { readonly method: string; readonly abort: AbortController };

export class RunningCalls {
  private readonly calls = new Map<Id, RunningCall>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.calls.size;
  }

  get cancelled(): number {
    return [...this.calls.values()].filter(({ abort }) => abort.signal.aborted).length;
  }

  /** What is one too many, or has the id of another, is refused, not queued. */
  start({ id, method }: Request): RunningCall | RpcError {
    if (this.calls.has(id)) return new RpcError(INVALID_REQUEST, `request ${id} is still running`);
    if (this.calls.size >= this.max) return new RpcError(INVALID_REQUEST, `more than ${this.max} requests are running`);
    const call = { method, abort: new AbortController() };
    this.calls.set(id, call);
    return call;
  }

  end(id: Id): void {
    this.calls.delete(id);
  }

  /** False once it has ended, also when a later request has the same id. */
  has(id: Id, call: RunningCall): boolean {
    return this.calls.get(id) === call;
  }

  /** `notifications/cancelled`; never of `initialize`. */
  cancel({ params = {}, raw }: Notification): void {
    const id = idFrom(params["requestId"], raw, ["params", "requestId"]);
    const call = id === undefined ? undefined : this.calls.get(id);
    if (call?.method !== "initialize") call?.abort.abort(CancelledByPeer.by(params));
  }

  abortAll(method?: string): void {
    for (const call of this.calls.values()) if (method === undefined || call.method === method) call.abort.abort();
  }
}

/** Sixteen of the largest messages. A call keeps about twice its text: as it came, and as it was read. */
const MAX_RUNNING_CHARS = 256 * 1024 * 1024;
/** Calls below this are not worth counting: carriers limit their number. */
const SMALL_CHARS = 4096;

/** The service held to that: each call is allowed to be large, not all at once. */
export function withCallMemoryLimit(service: Service, maxChars = MAX_RUNNING_CHARS): Service {
  let running = 0;

  async function counted(call: Call): Promise<JsonObject | RawJson> {
    const chars = call.raw.length;
    if (running + chars > maxChars) {
      throw new RpcError(INVALID_REQUEST, "the calls that are running hold too much: try again when some have ended");
    }
    running += chars;
    try {
      return await service.handle(call);
    } finally {
      running -= chars;
    }
  }

  return {
    handle: (call) => (call.raw.length < SMALL_CHARS ? service.handle(call) : counted(call)),
    notified: (message, session) => service.notified?.(message, session),
    opened: (session) => service.opened?.(session),
    isBusy: (owner) => service.isBusy?.(owner) ?? false,
    ended: (owner) => service.ended?.(owner),
  };
}
