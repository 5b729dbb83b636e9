// Requests on their way through: what refers to them (progress, subscriptions) is renamed on the way down and back on the
// way up, because several clients may use the same names. Everything else of a message stays as it was sent.
import { isObject, isShared, META, RawJson, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, Session } from "@bosun/mcp/server";
import { parseExactly, spanAt, splice } from "@bosun/mcp/relay";
import type { Notification, Reply } from "@bosun/mcp/relay";
import type { Downstream, Send } from "./downstream.ts";

type Passing = { call: Call; token: string | undefined; listens: boolean };
/** A task goes on after the answer that named it, and so does its progress, under the client's token as it was sent. */
type TaskProgress = { session: Session; token: string };

/** The progress of older tasks is dropped. */
const MAX_TASKS = 1000;

export class PassingCalls {
  private readonly downstream: Downstream;
  private readonly byToken = new Map<string, Passing>();
  private readonly byId = new Map<number, Passing>();
  private readonly tasks = new Map<string, TaskProgress>();
  private next = 1;

  constructor(downstream: Downstream) {
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

  async pass(
    call: Call,
    params: JsonObject | undefined,
    exact: RawJson | undefined,
    extra: Partial<Send> = {},
  ): Promise<Reply> {
    const token = isObject(params?.["_meta"]) ? params["_meta"]["progressToken"] : undefined;
    const passing: Passing = { call, token: undefined, listens: call.method === "subscriptions/listen" };
    const renamed = token === undefined ? { params, exact } : this.rename(passing, params ?? {}, exact);
    let id: number | undefined;
    try {
      const send: Send = { signal: call.signal, ...extra, ...(renamed.exact ? { exact: renamed.exact } : {}) };
      const reply = await this.downstream.request(call.method, renamed.params, send, (given) => {
        if (id !== undefined) this.byId.delete(id);
        id = given;
        this.byId.set(given, passing);
      });
      if (passing.token !== undefined && isObject(reply.result?.["task"])) this.keepProgress(passing, passing.token);
      return reply;
    } finally {
      if (id !== undefined) this.byId.delete(id);
      if (passing.token !== undefined) this.byToken.delete(passing.token);
    }
  }

  /** A notification that belongs to a call that is passing through. False when it belongs to none. */
  deliver(message: Notification): boolean {
    const { method, params = {}, raw } = message;
    const text = paramsText(raw);
    if (method === "notifications/progress") {
      const token = String(params["progressToken"]);
      const passing = this.byToken.get(token);
      const task = this.tasks.get(token);
      const span = spanAt(text, ["progressToken"]);
      const by = passing ? tokenText(passing.call) : task?.token;
      if (!span || by === undefined) return true; // nobody waits for it any more
      (passing?.call ?? task?.session)?.notify(method, new RawJson(splice(text, [{ ...span, by }])));
      return true;
    }
    const meta = params["_meta"];
    const subscription = isObject(meta) ? meta[META.subscriptionId] : undefined;
    if (subscription === undefined) return false;
    const passing = this.byId.get(Number(subscription));
    const span = spanAt(text, ["_meta", META.subscriptionId]);
    if (passing && span) passing.call.notify(method, new RawJson(splice(text, [{ ...span, by: passing.call.id }])));
    return true;
  }

  private keepProgress({ call }: Passing, renamed: string): void {
    const token = tokenText(call);
    if (!call.session || token === undefined) return;
    this.tasks.set(renamed, { session: call.session, token });
    const [oldest] = this.tasks.keys();
    if (this.tasks.size > MAX_TASKS && oldest !== undefined) this.tasks.delete(oldest);
  }

  private rename(
    passing: Passing,
    params: JsonObject,
    exact: RawJson | undefined,
  ): { params: JsonObject; exact: RawJson | undefined } {
    const token = `p${this.next++}`;
    passing.token = token;
    this.byToken.set(token, passing);
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

/** The params of a message as they were sent. */
export function paramsText(raw: string): string {
  const span = spanAt(raw, ["params"]);
  return span ? raw.slice(span.start, span.end) : "{}";
}

/** The same to look into, with its numbers as they were sent. */
export function exactParams(raw: string): JsonObject {
  const params = parseExactly(paramsText(raw));
  return isObject(params) ? params : {};
}

/** The result of a reply as it was sent; throws the error it holds. */
export function exactResult(reply: Reply): RawJson {
  if (reply.error) throw exactError(reply.error, reply.raw);
  const span = reply.resultAt ?? spanAt(reply.raw, ["result"]);
  return span ? new RawJson(reply.raw.slice(span.start, span.end), reply.result) : new RawJson("{}");
}

function exactError(error: RpcError, raw: string): RpcError {
  const span = error.data === undefined ? undefined : spanAt(raw, ["error", "data"]);
  return span ? new RpcError(error.code, error.message, parseExactly(raw.slice(span.start, span.end))) : error;
}
