// Requests of a client's that are under way: each with its id, its deadline, its progress and its own headers.
import { Deadline } from "../wire/deadline.ts";
import { isObject } from "../wire/json-value.ts";
import type { JsonObject } from "../wire/json-value.ts";
import type { Answer, Link, Outgoing } from "./link.ts";
import { idValue, resultOf } from "../wire/message.ts";
import type { Id } from "../wire/message.ts";
import { PendingRequests } from "../wire/pending-requests.ts";
import type { Era } from "../wire/revisions.ts";
import { ConnectionError } from "../wire/rpc-error.ts";

const DEFAULTS = { timeoutMs: 60_000, maxTotalMs: 600_000 };

export type Progress = { progress: number; total?: number; message?: string };
export type CallOptions = {
  signal?: AbortSignal;
  timeoutMs?: number;
  maxTotalMs?: number;
  onProgress?: (progress: Progress) => void;
  /** Called once the server may have seen the request. */
  onSent?: () => void;
  /** HTTP headers that mirror arguments (2026-07-28). */
  paramHeaders?: [string, string][];
};

/** Silence allowed per request, and time in all, where a call does not say. */
type RequestTimeouts = { timeoutMs?: number; maxTotalMs?: number };

export class OutgoingRequests {
  private readonly link: () => Link;
  private readonly timeouts: RequestTimeouts;
  private readonly ids = new PendingRequests();
  private readonly onProgress = new Map<string, (progress: Progress) => void>();
  private readonly paramHeaders = new Map<Id, [string, string][]>();
  /** Listen requests: a server may end one with a notification instead of a reply. */
  private readonly listening = new Map<Id, (ended: Answer) => void>();

  constructor(link: () => Link, timeouts: RequestTimeouts) {
    this.link = link;
    this.timeouts = timeouts;
  }

  /** One request and its reply, within its deadline. */
  async request(method: string, params: JsonObject, era: Era, options: CallOptions = {}): Promise<JsonObject> {
    const quietMs = options.timeoutMs ?? this.timeouts.timeoutMs ?? DEFAULTS.timeoutMs;
    // A longer silence that the caller allows moves our own limit, not one that was set.
    const totalMs = options.maxTotalMs ?? this.timeouts.maxTotalMs ?? Math.max(DEFAULTS.maxTotalMs, quietMs);
    const deadline = new Deadline(quietMs, totalMs, options.signal);
    try {
      const { reply, status } = await this.send(method, params, deadline.signal, options, () => deadline.touch());
      // An error without an id speaks of the HTTP request, not of the call; so does 404 where there are sessions.
      if (reply.error && (reply.id === undefined || (status === 404 && era === "legacy"))) {
        throw new ConnectionError("http", reply.error.message, status);
      }
      return resultOf(reply);
    } catch (error) {
      // an abort of ours looks like any other: the deadline knows whether it was one
      if (deadline.expired === undefined) throw error;
      throw new ConnectionError("timeout", `${method}: ${deadline.expired}`);
    } finally {
      deadline.over();
    }
  }

  /** `alive` is called whenever the server shows that it works on it. */
  async send(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    options: CallOptions = {},
    alive: () => void = () => {},
  ): Promise<Answer> {
    const id = this.ids.newId();
    const token = String(idValue(id));
    const { onProgress, paramHeaders } = options;
    const meta = isObject(params["_meta"]) ? params["_meta"] : {};
    const whole = onProgress ? { ...params, _meta: { ...meta, progressToken: token } } : params;
    if (onProgress) {
      this.onProgress.set(token, (progress) => {
        alive();
        onProgress(progress);
      });
    }
    if (paramHeaders) this.paramHeaders.set(id, paramHeaders);
    try {
      const outgoing = { id, method, params: whole };
      if (method === "subscriptions/listen") return await this.listen(outgoing, signal, options.onSent);
      return await this.link().request(outgoing, signal, options.onSent);
    } finally {
      this.onProgress.delete(token);
      this.paramHeaders.delete(id);
      this.listening.delete(id);
    }
  }

  headersOf(id: Id): [string, string][] {
    return this.paramHeaders.get(id) ?? [];
  }

  handleProgress({ progressToken, progress, total, message }: JsonObject): void {
    if (typeof progress !== "number") return;
    this.onProgress.get(String(progressToken))?.({
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {}),
    });
  }

  endListening(id: Id, raw: string): void {
    this.listening.get(id)?.({ reply: { kind: "reply", id, result: {}, raw }, status: undefined });
  }

  /** Until its reply, or until the server says otherwise that it is over: then nothing waits for a reply any more. */
  private async listen(outgoing: Outgoing, signal: AbortSignal, onSent?: () => void): Promise<Answer> {
    const over = Promise.withResolvers<Answer>();
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    this.listening.set(outgoing.id, (answer) => {
      over.resolve(answer);
      abort();
    });
    try {
      return await Promise.race([over.promise, this.link().request(outgoing, stop.signal, onSent)]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}
