// Requests that were sent to a server and wait for its answer. What refers to them (progress, subscriptions) gets names of
// ours on the way to the server and the client's on the way back, because several clients may use the same names.
// Everything else of a message stays as it was sent.
import { isObject, isShared, META, RawJson } from "@bosun/mcp/server";
import type { Call, JsonObject, Session } from "@bosun/mcp/server";
import type { Notification, Reply } from "@bosun/mcp/relay";
import { spanAt, splice } from "@bosun/platform/json";
import { paramsText } from "../messages/message-json.ts";
import type { DownstreamServer, Send } from "./downstream-server.ts";

type InFlight = { call: Call; token: string | undefined; listens: boolean };
/** A task goes on after the answer that named it, and so does its progress, under the client's token as it was sent. */
type TaskProgress = { session: Session; token: string };

/** The progress of older tasks is dropped. */
const MAX_TASKS = 1000;

export class InFlightCalls {
  private readonly downstream: DownstreamServer;
  private readonly byToken = new Map<string, InFlight>();
  private readonly byId = new Map<number, InFlight>();
  private readonly tasks = new Map<string, TaskProgress>();
  private next = 1;

  constructor(downstream: DownstreamServer) {
    this.downstream = downstream;
  }

  /**
   * The call whose stream a question of the server most likely belongs to: the one that was started last. None where it
   * could be somebody else's.
   */
  get latest(): Call | undefined {
    const calls = [...this.byId.values()].filter(({ listens }) => !listens).map(({ call }) => call);
    const last = calls.at(-1);
    return last && calls.length > 1 && isShared(last.owner) ? undefined : last;
  }

  async send(
    call: Call,
    params: JsonObject | undefined,
    exact: RawJson | undefined,
    headers?: [string, string][],
  ): Promise<Reply> {
    const token = isObject(params?.["_meta"]) ? params["_meta"]["progressToken"] : undefined;
    const inFlight: InFlight = { call, token: undefined, listens: call.method === "subscriptions/listen" };
    const renamed = token === undefined ? { params, exact } : this.renameToken(inFlight, params ?? {}, exact);
    let id: number | undefined;
    try {
      const send: Send = { signal: call.signal, exact: renamed.exact, headers };
      const reply = await this.downstream.request(call.method, renamed.params, send, (given) => {
        if (id !== undefined) this.byId.delete(id);
        id = given;
        this.byId.set(given, inFlight);
      });
      if (inFlight.token !== undefined && isObject(reply.result?.["task"])) this.keepProgress(inFlight, inFlight.token);
      return reply;
    } finally {
      if (id !== undefined) this.byId.delete(id);
      if (inFlight.token !== undefined) this.byToken.delete(inFlight.token);
    }
  }

  /** A notification that belongs to a call that is passing through. False when it belongs to none. */
  deliver(message: Notification): boolean {
    const { method, params = {}, raw } = message;
    const text = paramsText(raw);
    if (method === "notifications/progress") {
      const token = String(params["progressToken"]);
      const inFlight = this.byToken.get(token);
      const task = this.tasks.get(token);
      const span = spanAt(text, ["progressToken"]);
      const by = inFlight ? tokenText(inFlight.call) : task?.token;
      if (!span || by === undefined) return true; // nobody waits for it any more
      (inFlight?.call ?? task?.session)?.notify(method, new RawJson(splice(text, [{ ...span, by }])));
      return true;
    }
    const meta = params["_meta"];
    const subscription = isObject(meta) ? meta[META.subscriptionId] : undefined;
    if (subscription === undefined) return false;
    const inFlight = this.byId.get(Number(subscription));
    const span = spanAt(text, ["_meta", META.subscriptionId]);
    if (inFlight && span) inFlight.call.notify(method, new RawJson(splice(text, [{ ...span, by: inFlight.call.id }])));
    return true;
  }

  private keepProgress({ call }: InFlight, renamed: string): void {
    const token = tokenText(call);
    if (!call.session || token === undefined) return;
    this.tasks.set(renamed, { session: call.session, token });
    const [oldest] = this.tasks.keys();
    if (this.tasks.size > MAX_TASKS && oldest !== undefined) this.tasks.delete(oldest);
  }

  private renameToken(
    inFlight: InFlight,
    params: JsonObject,
    exact: RawJson | undefined,
  ): { params: JsonObject; exact: RawJson | undefined } {
    const token = `p${this.next++}`;
    inFlight.token = token;
    this.byToken.set(token, inFlight);
    const meta = isObject(params["_meta"]) ? params["_meta"] : {};
    const span = exact && spanAt(exact.text, ["_meta", "progressToken"]);
    return {
      params: { ...params, _meta: { ...meta, progressToken: token } },
      exact: exact && span ? new RawJson(splice(exact.text, [{ ...span, by: JSON.stringify(token) }])) : undefined,
    };
  }
}

/** The client's progress token as it was sent. */
function tokenText({ raw }: Call): string | undefined {
  const span = spanAt(raw, ["params", "_meta", "progressToken"]);
  return span && raw.slice(span.start, span.end);
}
