// One connection to an older server, for requests of 2026-07-28 that declare the same capabilities: it was greeted with
// them. Where the server asks something in the middle of a call, the call is answered with `input_required` and goes on
// when the client returns.
import { INVALID_PARAMS, isObject, META, METHOD_NOT_FOUND, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson } from "@bosun/mcp/server";
import { canAsk, exactResultOf, idValue } from "@bosun/mcp/relay";
import type { Notification, Reply, Request } from "@bosun/mcp/relay";
import { exactParams } from "../messages/message-json.ts";
import type { DownstreamServer } from "./downstream-server.ts";
import { legacyParams, modernResult } from "./translate-messages.ts";
import type { CallsAwaitingInput } from "./calls-awaiting-input.ts";
import type { ServerListener } from "./era-bridge.ts";
import { InFlightCalls } from "./in-flight-calls.ts";
import { subscribedBy, tellChange, tellLog } from "./legacy-notifications.ts";

const UNSUBSCRIBE_MS = 10_000;
const GREETING_MS = 60_000;
const NEWEST_LEGACY = "2025-11-25";

type OpenQuestion = { message: Request; answer(value: JsonObject): void; refuse(error: RpcError): void };
export type RunningCall = {
  connection: LegacyConnection;
  call: Call;
  reply: Promise<Reply>;
  questions: Map<string, OpenQuestion>;
  wasAsked: PromiseWithResolvers<void>;
  controller: AbortController;
  awaitsInput: boolean;
};

export class LegacyConnection implements ServerListener {
  readonly capabilities: string;
  lastUsed = performance.now();
  /** One call at a time: an older server does not say which call its question belongs to. */
  private readonly exclusive: boolean;
  private readonly downstream: DownstreamServer;
  private readonly awaitingInput: CallsAwaitingInput<RunningCall>;
  /** No call calls on it any more. `clean`: nothing of an aborted call calls on either, so others may use it. */
  private readonly released: (clean: boolean) => void;
  private readonly inFlight: InFlightCalls;
  private readonly calls = new Set<RunningCall>();
  private readonly listening = new Set<Call>();
  private readonly ended = new AbortController();
  private greeting: Promise<JsonObject> | undefined;
  private holders = 0;
  private questionCount = 0;

  constructor(
    downstream: DownstreamServer,
    { capabilities, exclusive }: { capabilities: string; exclusive: boolean },
    awaitingInput: CallsAwaitingInput<RunningCall>,
    released: (connection: LegacyConnection, clean: boolean) => void,
  ) {
    this.downstream = downstream;
    this.capabilities = capabilities;
    this.exclusive = exclusive;
    this.awaitingInput = awaitingInput;
    this.released = (clean) => released(this, clean);
    this.inFlight = new InFlightCalls(downstream);
  }

  /** A call calls on it, or is about to. */
  get isBusy(): boolean {
    return this.holders > 0 || this.calls.size > 0;
  }

  /** All that calls on it waits for a person. */
  get awaitsInput(): boolean {
    return this.holders === 0 && [...this.calls].every((running) => running.awaitsInput);
  }

  get isIdle(): boolean {
    return !this.isBusy && this.listening.size === 0;
  }

  /** Busy from now on, until the function that this gives is called. */
  acquire(): () => void {
    this.holders++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.holders--;
      this.noteRelease(true);
    };
  }

  async greet(call: Call): Promise<JsonObject> {
    this.greeting ??= this.initialize(call);
    return this.greeting.catch((error: unknown) => {
      this.greeting = undefined;
      throw error;
    });
  }

  start(call: Call, headers: [string, string][] | undefined): Promise<JsonObject | RawJson> {
    const controller = new AbortController();
    const { params, exact } = legacyParams(call);
    const reply = this.inFlight.send({ ...call, signal: controller.signal }, params, exact, headers);
    const wasAsked = Promise.withResolvers<void>();
    const running: RunningCall = {
      connection: this,
      call,
      reply,
      questions: new Map(),
      wasAsked,
      controller,
      awaitsInput: false,
    };
    this.calls.add(running);
    void reply
      .catch(() => {})
      .finally(() => {
        this.calls.delete(running);
        // What was given up may still be at work, and ask its question when another call is there.
        this.noteRelease(!(this.exclusive && controller.signal.aborted));
      });
    return this.untilAnswerOrQuestion(running, call);
  }

  resume(running: RunningCall, call: Call, answers: ReadonlyMap<string, JsonObject>): Promise<JsonObject | RawJson> {
    for (const [key, value] of answers) {
      running.questions.get(key)?.answer(value);
      running.questions.delete(key);
    }
    return this.untilAnswerOrQuestion(running, call);
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
    this.noteRelease(true);
    return { resultType: "complete", _meta };
  }

  serverNotified(message: Notification): void {
    if (this.inFlight.deliver(message)) return;
    if (message.method === "notifications/message") tellLog(this.inFlight.latest, message);
    else for (const call of this.listening) tellChange(call, message);
  }

  serverAsked(message: Request, signal: AbortSignal): Promise<JsonObject> {
    const running = [...this.calls].at(-1);
    if (!running) throw new RpcError(METHOD_NOT_FOUND, "there is nobody to ask: no call is running");
    // Between two requests of a suspended call nobody knows what the next one declares: it is judged when it comes.
    if (!running.awaitsInput && !mayBeAsked(running.call, message)) throw undeclared(message);
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const key = `q${++this.questionCount}`;
    running.questions.set(key, { message, answer: resolve, refuse: reject });
    running.wasAsked.resolve();
    const cancel = (): void => {
      running.questions.delete(key);
      reject(new RpcError(INVALID_PARAMS, "cancelled"));
    };
    for (const end of [running.controller.signal, signal]) end.addEventListener("abort", cancel, { once: true });
    return promise;
  }

  close(): Promise<void> {
    this.ended.abort();
    return this.downstream.close();
  }

  private async initialize({ client: { capabilities, info } }: Call): Promise<JsonObject> {
    const clientInfo = info ?? { name: "bosun", version: "0" };
    const params = { protocolVersion: NEWEST_LEGACY, capabilities, clientInfo };
    const reply = await this.downstream.initialize(params, { signal: AbortSignal.timeout(GREETING_MS) });
    const greeted = exactResultOf(reply);
    await this.downstream.notify("notifications/initialized");
    return greeted;
  }

  /** Until the server answers, or asks. */
  private async untilAnswerOrQuestion(running: RunningCall, call: Call): Promise<JsonObject | RawJson> {
    running.call = call;
    const cancel = (): void => running.controller.abort(call.signal.reason);
    if (call.signal.aborted) cancel();
    call.signal.addEventListener("abort", cancel);
    try {
      for (;;) {
        running.wasAsked = Promise.withResolvers();
        refuseUndeclared(running, call);
        const reply =
          running.questions.size > 0 ? undefined : await Promise.race([running.reply, running.wasAsked.promise]);
        if (reply) return modernResult(reply, call);
        // Unless what it asked has been withdrawn already.
        if (running.questions.size > 0) return await this.suspend(running, call);
      }
    } finally {
      call.signal.removeEventListener("abort", cancel);
    }
  }

  private async suspend(running: RunningCall, call: Call): Promise<JsonObject> {
    const inputRequests: JsonObject = {};
    for (const [key, { message }] of running.questions) {
      inputRequests[key] = { method: message.method, ...(message.params ? { params: exactParams(message.raw) } : {}) };
    }
    try {
      return {
        resultType: "input_required",
        inputRequests,
        requestState: await this.awaitingInput.suspend(running, call),
      };
    } catch (error) {
      running.controller.abort(); // nobody could come back for it
      throw error;
    }
  }

  private noteRelease(clean: boolean): void {
    this.lastUsed = performance.now();
    if (!clean || !this.isBusy) this.released(clean);
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

function refuseUndeclared(running: RunningCall, call: Call): void {
  for (const [key, { message, refuse }] of running.questions) {
    if (mayBeAsked(call, message)) continue;
    running.questions.delete(key);
    refuse(undeclared(message));
  }
}
