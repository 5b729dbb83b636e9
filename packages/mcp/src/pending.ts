// Requests that we have sent and that await their reply: numbering, timeouts, cancellation, the end of the connection.
import type { JsonObject } from "./json.ts";
import { idOf } from "./message.ts";
import type { Id, Reply } from "./message.ts";
import { ConnectionError } from "./rpc-error.ts";

/** Above 2^31 - 1 ms a timer fires at once: longer waits are as good as that long. */
const MAX_TIMER_MS = 2_147_483_647;

export type WaitOptions = {
  signal?: AbortSignal | undefined;
  /** Silence allowed before giving up; progress on the request starts it anew. */
  timeoutMs?: number | undefined;
  /** However much progress there is, not longer than this in all. */
  maxTotalMs?: number | undefined;
};

type Waiting = {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
  touch(): void;
};

export class PendingRequests {
  private readonly waiting = new Map<Id, Waiting>();
  private readonly prefix: string;
  private next = 1;

  /** A prefix keeps the ids of the two directions apart in logs; the protocol does not need it. */
  constructor(prefix = "") {
    this.prefix = prefix;
  }

  get size(): number {
    return this.waiting.size;
  }

  newId(): Id {
    const number = this.next++;
    return idOf(this.prefix === "" ? number : `${this.prefix}${number}`);
  }

  /** `onGiveUp` tells the peer; it runs when we stop waiting before a reply came. */
  wait(id: Id, options: WaitOptions, onGiveUp: (reason: string) => void): Promise<JsonObject> {
    const { signal, timeoutMs, maxTotalMs } = options;
    return new Promise((resolve, reject) => {
      let quiet: Timer | undefined;
      let total: Timer | undefined;
      const settle = (finish: () => void): void => {
        if (!this.waiting.delete(id)) return;
        clearTimeout(quiet);
        clearTimeout(total);
        signal?.removeEventListener("abort", onAbort);
        finish();
      };
      const giveUp = (error: ConnectionError): void =>
        settle(() => {
          onGiveUp(error.message);
          reject(error);
        });
      const onAbort = (): void => giveUp(new ConnectionError("cancelled", "the request was cancelled"));
      const expire = (ms: number): Timer =>
        setTimeout(() => giveUp(new ConnectionError("timeout", `no answer within ${ms} ms`)), Math.min(ms, MAX_TIMER_MS));
      const touch = (): void => {
        if (timeoutMs === undefined) return;
        clearTimeout(quiet);
        quiet = expire(timeoutMs);
      };
      this.waiting.set(id, {
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
        touch,
      });
      touch();
      if (maxTotalMs !== undefined) total = expire(maxTotalMs);
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** False when nobody waits for it: late, unknown or answered twice. */
  settle(reply: Reply): boolean {
    const waiting = reply.id === undefined ? undefined : this.waiting.get(reply.id);
    if (!waiting) return false;
    if (reply.error) waiting.reject(reply.error);
    else waiting.resolve(reply.result);
    return true;
  }

  touch(id: Id): void {
    this.waiting.get(id)?.touch();
  }

  fail(id: Id, error: Error): void {
    this.waiting.get(id)?.reject(error);
  }

  failAll(error: Error): void {
    for (const waiting of [...this.waiting.values()]) waiting.reject(error);
  }
}
