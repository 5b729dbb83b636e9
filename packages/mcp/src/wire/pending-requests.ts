// Requests that we have sent and that await their reply: numbering, timeouts, cancellation, the end of the connection.
import { idOf } from "./message.ts";
import type { Id, Malformed, Reply } from "./message.ts";
import { ConnectionError, CancelledByPeer } from "./rpc-error.ts";

/** Above 2^31 - 1 ms a timer fires at once: longer waits are as good as that long. */
const MAX_TIMER_MS = 2_147_483_647;

/** Far above what anybody means to have in flight; beyond it requests are refused, not queued. */
const MAX_WAITING = 10_000;

type WaitOptions = { signal?: AbortSignal | undefined; timeoutMs?: number | undefined };

type Waiting = { resolve(reply: Reply): void; reject(error: Error): void };

export class PendingRequests {
  private readonly waiting = new Map<Id, Waiting>();
  private readonly prefix: string;
  private next = 1;

  /** A prefix keeps the ids of the two directions apart in logs; the protocol does not need it. */
  constructor(prefix = "") {
    this.prefix = prefix;
  }

  newId(): Id {
    const number = this.next++;
    return idOf(this.prefix === "" ? number : `${this.prefix}${number}`);
  }

  /** `onGiveUp` tells the peer; it runs when we stop waiting before a reply came. */
  wait(id: Id, options: WaitOptions, onGiveUp: (reason: string) => void): Promise<Reply> {
    const { signal, timeoutMs } = options;
    if (this.waiting.size >= MAX_WAITING) {
      return Promise.reject(new ConnectionError("invalid", `more than ${MAX_WAITING} requests await their reply`));
    }
    return new Promise((resolve, reject) => {
      let timer: Timer | undefined;
      const settle = (finish: () => void): void => {
        if (!this.waiting.delete(id)) return;
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        finish();
      };
      const giveUp = (error: ConnectionError): void =>
        settle(() => {
          onGiveUp(error.message);
          reject(error);
        });
      const onAbort = (): void => {
        const why = signal?.reason instanceof CancelledByPeer ? signal.reason.message : "the request was cancelled";
        giveUp(new ConnectionError("cancelled", why));
      };
      this.waiting.set(id, {
        resolve: (reply) => settle(() => resolve(reply)),
        reject: (error) => settle(() => reject(error)),
      });
      if (timeoutMs !== undefined) {
        const expire = (): void => giveUp(new ConnectionError("timeout", `no answer within ${timeoutMs} ms`));
        timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
      }
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** False when nobody waits for it: late, unknown or answered twice. */
  settle(reply: Reply): boolean {
    const waiting = reply.id === undefined ? undefined : this.waiting.get(reply.id);
    if (!waiting) return false;
    waiting.resolve(reply);
    return true;
  }

  /** A reply that is none: whoever waits need not wait any longer. */
  rejectMalformed({ id, reply, error }: Malformed): void {
    if (reply && id !== undefined)
      this.fail(id, new ConnectionError("invalid", `the reply cannot be read: ${error.message}`));
  }

  /** The request could not be sent. */
  fail(id: Id, error: Error): void {
    this.waiting.get(id)?.reject(error);
  }

  failAll(error: Error): void {
    // A copy: each rejection takes its entry out.
    for (const waiting of Array.from(this.waiting.values())) waiting.reject(error);
  }
}
