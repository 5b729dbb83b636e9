// One connection to an older server, for requests of 2026-07-28 that declare the same capabilities: it was greeted with
// them. Where the server asks something in the middle of a call, the call is parked, answered with `input_required`, and
// taken up again when the client returns.
import { INVALID_PARAMS, isObject, META, METHOD_NOT_FOUND, RawJson, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject } from "@bosun/mcp/server";
import { canAsk, exactResultOf, idValue } from "@bosun/mcp/relay";
import type { Notification, Reply, Request } from "@bosun/mcp/relay";
import type { Downstream } from "./downstream.ts";
import { legacyParams, modernResult } from "./modern-forms.ts";
import type { ParkedCalls } from "./parked-calls.ts";
import type { Hearing } from "./passage.ts";
import { exactParams, paramsText, PassingCalls } from "./passing.ts";

const UNSUBSCRIBE_MS = 10_000;
const GREETING_MS = 60_000;
const NEWEST_LEGACY = "2025-11-25";

type Open = { message: Request; answer(value: JsonObject): void; refuse(error: RpcError): void };
export type Run = {
  lane: LegacyLane;
  call: Call;
  reply: Promise<Reply>;
  open: Map<string, Open>;
  questioned: PromiseWithResolvers<void>;
  controller: AbortController;
  isParked: boolean;
};

export class LegacyLane implements Hearing {
  readonly capabilities: string;
  lastUsed = performance.now();
  /** At a time: whose the next one is nobody knows. */
  private readonly forOneCall: boolean;
  private readonly downstream: Downstream;
  private readonly parked: ParkedCalls<Run>;
  /** Nobody is on it any more; `clean`: nor is anything of theirs, so that others may come. */
  private readonly left: (clean: boolean) => void;
  private readonly passing: PassingCalls;
  private readonly runs = new Set<Run>();
  private readonly listening = new Set<Call>();
  private readonly ended = new AbortController();
  private greeting: Promise<JsonObject> | undefined;
  private entered = 0;
  private asked = 0;

  constructor(
    downstream: Downstream,
    { capabilities, forOneCall }: { capabilities: string; forOneCall: boolean },
    parked: ParkedCalls<Run>,
    left: (lane: LegacyLane, clean: boolean) => void,
  ) {
    this.downstream = downstream;
    this.capabilities = capabilities;
    this.forOneCall = forOneCall;
    this.parked = parked;
    this.left = (clean) => left(this, clean);
    this.passing = new PassingCalls(downstream);
  }

  /** Something of somebody's runs on it, or is about to. */
  get isBusy(): boolean {
    return this.entered > 0 || this.runs.size > 0;
  }

  /** All that runs on it waits for a person. */
  get isParked(): boolean {
    return this.entered === 0 && [...this.runs].every((run) => run.isParked);
  }

  get isIdle(): boolean {
    return !this.isBusy && this.listening.size === 0;
  }

  /** It is busy from now on, until what this gives is called. */
  enter(): () => void {
    this.entered++;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.entered--;
      this.perhapsLeft(true);
    };
  }

  async greeted(call: Call): Promise<JsonObject> {
    this.greeting ??= this.greet(call);
    return this.greeting.catch((error: unknown) => {
      this.greeting = undefined;
      throw error;
    });
  }

  start(call: Call, headers: [string, string][] | undefined): Promise<JsonObject | RawJson> {
    const controller = new AbortController();
    const { params, exact } = legacyParams(call);
    const reply = this.passing.pass({ ...call, signal: controller.signal }, params, exact, headers ? { headers } : {});
    const questioned = Promise.withResolvers<void>();
    const run: Run = { lane: this, call, reply, open: new Map(), questioned, controller, isParked: false };
    this.runs.add(run);
    void reply
      .catch(() => {})
      .finally(() => {
        this.runs.delete(run);
        // What was given up may still be at work, and ask its question when another call is there.
        this.perhapsLeft(!(this.forOneCall && controller.signal.aborted));
      });
    return this.proceed(run, call);
  }

  resume(run: Run, call: Call, answers: ReadonlyMap<string, JsonObject>): Promise<JsonObject | RawJson> {
    for (const [key, value] of answers) {
      run.open.get(key)?.answer(value);
      run.open.delete(key);
    }
    return this.proceed(run, call);
  }

  async listen(call: Call, subscribed: () => void): Promise<JsonObject> {
    const wanted = isObject(call.params["notifications"]) ? call.params["notifications"] : {};
    const _meta = { [META.subscriptionId]: idValue(call.id) };
    const { taskIds: _, ...granted } = wanted;
    call.notify("notifications/subscriptions/acknowledged", { notifications: granted, _meta });
    const over = new Promise<void>((resolve) => {
      for (const end of [call.signal, this.ended.signal]) {
        if (end.aborted) resolve();
        else end.addEventListener("abort", () => resolve(), { once: true });
      }
    });
    // From the start: a change may be told in the same breath in which the subscription is confirmed.
    this.listening.add(call);
    const uris = subscribedBy(call);
    for (const uri of uris)
      await this.downstream.request("resources/subscribe", { uri }, { signal: call.signal }).catch(() => {});
    subscribed();
    await over;
    this.listening.delete(call);
    for (const uri of uris)
      if (![...this.listening].some((other) => subscribedBy(other).includes(uri))) this.unsubscribe(uri);
    this.perhapsLeft(true);
    return { resultType: "complete", _meta };
  }

  fromServer(message: Notification): void {
    if (this.passing.deliver(message)) return;
    if (message.method === "notifications/message") tellLog(this.passing.latest, message);
    else for (const call of this.listening) tellChange(call, message);
  }

  question(message: Request, signal: AbortSignal): Promise<JsonObject> {
    const run = [...this.runs].at(-1);
    if (!run) throw new RpcError(METHOD_NOT_FOUND, "there is nobody to ask: no call is running");
    // Between two requests of a parked call nobody knows what the next one declares: it is judged when it comes.
    if (!run.isParked && !mayBeAsked(run.call, message)) throw undeclared(message);
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const key = `q${++this.asked}`;
    run.open.set(key, { message, answer: resolve, refuse: reject });
    run.questioned.resolve();
    const cancel = (): void => {
      run.open.delete(key);
      reject(new RpcError(INVALID_PARAMS, "cancelled"));
    };
    for (const end of [run.controller.signal, signal]) end.addEventListener("abort", cancel, { once: true });
    return promise;
  }

  close(): Promise<void> {
    this.ended.abort();
    return this.downstream.close();
  }

  private async greet({ client: { capabilities, info } }: Call): Promise<JsonObject> {
    const clientInfo = info ?? { name: "bosun", version: "0" };
    const params = { protocolVersion: NEWEST_LEGACY, capabilities, clientInfo };
    const reply = await this.downstream.initialize(params, { signal: AbortSignal.timeout(GREETING_MS) });
    const greeted = exactResultOf(reply);
    await this.downstream.notify("notifications/initialized");
    return greeted;
  }

  /** Until the server answers, or asks. */
  private async proceed(run: Run, call: Call): Promise<JsonObject | RawJson> {
    run.call = call;
    const cancel = (): void => run.controller.abort(call.signal.reason);
    if (call.signal.aborted) cancel();
    call.signal.addEventListener("abort", cancel);
    try {
      for (;;) {
        run.questioned = Promise.withResolvers();
        refuseUndeclared(run, call);
        const reply = run.open.size > 0 ? undefined : await Promise.race([run.reply, run.questioned.promise]);
        if (reply) return modernResult(reply, call);
        // Unless what it asked has been withdrawn already.
        if (run.open.size > 0) return await this.park(run, call);
      }
    } finally {
      call.signal.removeEventListener("abort", cancel);
    }
  }

  private async park(run: Run, call: Call): Promise<JsonObject> {
    const inputRequests: JsonObject = {};
    for (const [key, { message }] of run.open) {
      inputRequests[key] = { method: message.method, ...(message.params ? { params: exactParams(message.raw) } : {}) };
    }
    try {
      return { resultType: "input_required", inputRequests, requestState: await this.parked.park(run, call) };
    } catch (error) {
      run.controller.abort(); // nobody could come back for it
      throw error;
    }
  }

  private perhapsLeft(clean: boolean): void {
    this.lastUsed = performance.now();
    if (!clean || !this.isBusy) this.left(clean);
  }

  private unsubscribe(uri: string): void {
    const signal = AbortSignal.timeout(UNSUBSCRIBE_MS);
    void this.downstream.request("resources/unsubscribe", { uri }, { signal }).catch(() => {});
  }
}

/** What this request declares counts, and nothing that an earlier one did. */
function mayBeAsked(call: Call, { method, params = {} }: Request): boolean {
  const isQuestion = method === "elicitation/create" || method === "sampling/createMessage" || method === "roots/list";
  return isQuestion && canAsk(call, { method, params });
}

function undeclared({ method }: Request): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `the client did not declare that it can be asked ${method}`);
}

function refuseUndeclared(run: Run, call: Call): void {
  for (const [key, { message, refuse }] of run.open) {
    if (mayBeAsked(call, message)) continue;
    run.open.delete(key);
    refuse(undeclared(message));
  }
}

function tellLog(call: Call | undefined, message: Notification): void {
  const meta = call?.params["_meta"];
  // Nothing is logged to a client that did not ask for it.
  if (isObject(meta) && meta[META.logLevel] !== undefined)
    call?.notify(message.method, new RawJson(paramsText(message.raw)));
}

function subscribedBy(call: Call): string[] {
  const wanted = call.params["notifications"];
  const uris = isObject(wanted) ? wanted["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

function tellChange(call: Call, { method, params = {} }: Notification): void {
  const wanted = isObject(call.params["notifications"]) ? call.params["notifications"] : {};
  const relevant =
    (method === "notifications/tools/list_changed" && wanted["toolsListChanged"] === true) ||
    (method === "notifications/prompts/list_changed" && wanted["promptsListChanged"] === true) ||
    (method === "notifications/resources/list_changed" && wanted["resourcesListChanged"] === true) ||
    (method === "notifications/resources/updated" && subscribedBy(call).includes(String(params["uri"])));
  if (relevant) call.notify(method, { ...params, _meta: { [META.subscriptionId]: idValue(call.id) } });
}
