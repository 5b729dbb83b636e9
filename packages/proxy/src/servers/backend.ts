// One client's side of one server: its connection in each era, how long it may take, and what it has said it offers.
import { isObject, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson, Session } from "@bosun/mcp/server";
import { Deadline } from "@bosun/mcp/relay";
import type { Notification } from "@bosun/mcp/relay";
import type { ToolDefinition } from "@bosun/shrink";
import type { Log } from "@bosun/platform/log";
import { isModernRevision } from "../messages/eras.ts";
import { onBehalfOf } from "../messages/rewrite-call.ts";
import type { Backpressure } from "./backpressure.ts";
import { ServerGone } from "./call-failed.ts";
import { ServerConnection } from "./server-connection.ts";
import type { ServerSlots } from "./server-slots.ts";
import type { ServerSpec } from "./server-spec.ts";
import { unlessAborted } from "./unless-aborted.ts";

const LONG_BACKOFF_MS = 1000;
/** Who has never answered, and has been waited for in vain, is not waited for again so soon. */
const RETRY_SILENT_MS = 30_000;
const noBackpressure: Backpressure = () => undefined;

export type BackendOptions = {
  /** Silence after which a call has failed; progress starts it anew. */
  timeoutMs: number;
  log: Log;
  /** Of the one client there is, for what the server says. */
  backpressure?: Backpressure;
  /** For copies of the server beside the first. */
  slots: ServerSlots;
};

type Era = "legacy" | "modern";

export class Backend {
  readonly spec: ServerSpec;
  /** As the server defines them, by its own names: those that may be called. */
  readonly tools = new Map<string, ToolDefinition>();
  /** Why a tool is held back, by its own name. */
  heldBack: ReadonlyMap<string, string> = new Map();
  /** False before the first list, and after the server said that it has changed. */
  toolsKnown = false;
  /** It gave a list when it was last asked for one. What it announces afterwards does not take that list back. */
  isListed = false;
  /** It has been heard of at least once. */
  hasAnswered = false;
  /** What a resource of this server is called to the client. */
  clientUri: (uri: string) => string = (uri) => uri;
  private readonly options: BackendOptions;
  private readonly connections = new Map<Era, ServerConnection>();
  private greeting: Promise<JsonObject> | undefined;
  private greeter: Call | undefined;
  private isGreeted = false;
  private session: Session | undefined;
  private timedOutAt = -Infinity;

  constructor(spec: ServerSpec, options: BackendOptions) {
    this.spec = spec;
    this.options = options;
  }

  get name(): string {
    return this.spec.name;
  }

  /** It has died again and again, or never said anything: who has others to ask does not wait for it. */
  get isBackingOff(): boolean {
    const isSilent = !this.hasAnswered && performance.now() - this.timedOutAt < RETRY_SILENT_MS;
    return isSilent || [...this.connections.values()].some(({ backoffMs }) => backoffMs > LONG_BACKOFF_MS);
  }

  /** Somebody who has others to ask has waited for it in vain. */
  noteTimeout(): void {
    this.timedOutAt = performance.now();
  }

  async request(call: Call, headers?: [string, string][]): Promise<JsonObject | RawJson> {
    const connection = this.connectionFor(call);
    if (call.method === "subscriptions/listen") return connection.request(call, headers);
    const deadline = new Deadline(this.options.timeoutMs, Number.MAX_SAFE_INTEGER, call.signal);
    const watched: Call = {
      ...call,
      signal: deadline.signal,
      notify(method, params) {
        deadline.touch();
        call.notify(method, params);
      },
    };
    try {
      if (this.greeter && connection === this.connections.get("legacy"))
        await unlessAborted(this.greeted(call), deadline.signal);
      // Until it has been greeted, what it is waited for is not this call alone: the greeting goes on without it.
      const answered = connection.request(watched, headers);
      const answer = await (this.hasAnswered ? answered : unlessAborted(answered, deadline.signal));
      this.hasAnswered = true;
      return answer;
    } catch (error) {
      // A refusal is an answer, too; and when time has run out, that is the reason.
      if (error instanceof RpcError) this.hasAnswered = true;
      if (deadline.expired !== undefined) throw new ServerGone(`${this.name}: ${deadline.expired}`);
      throw error;
    } finally {
      deadline.over();
    }
  }

  /** `initialize` where the client has several servers: it must not hang on this one, which is greeted until it answers. */
  greet(call: Call): Promise<JsonObject> {
    this.greeter = onBehalfOf(call, "initialize", call.params, new AbortController().signal);
    return this.greeted(call);
  }

  opened(session: Session): void {
    this.session = session;
    if (!this.greeter || this.isGreeted) this.connections.get("legacy")?.opened(session);
  }

  clientNotified(message: Notification): void {
    this.connections.get("legacy")?.clientNotified(message);
  }

  async close(): Promise<void> {
    await Promise.all([...this.connections.values()].map((connection) => connection.close()));
  }

  private greeted(call: Call): Promise<JsonObject> {
    const { greeter } = this;
    if (!greeter) throw new ServerGone(`${this.name} has not been greeted`);
    this.greeting ??= this.connectionFor(call)
      .request(greeter)
      .then((result) => {
        this.isGreeted = true;
        this.hasAnswered = true;
        // The session was opened while this server was still down.
        if (this.session) this.connections.get("legacy")?.opened(this.session);
        return isObject(result) ? result : {};
      })
      .catch((error: unknown) => {
        this.greeting = undefined;
        throw error;
      });
    return this.greeting;
  }

  private connectionFor(call: Call): ServerConnection {
    const era: Era = isModernRevision(call.revision) ? "modern" : "legacy";
    let connection = this.connections.get(era);
    if (connection) return connection;
    const { log, backpressure = noBackpressure, slots } = this.options;
    connection = new ServerConnection({
      spec: this.spec,
      log,
      backpressure,
      slots,
      translate: (message) => this.translate(message, era),
      // What it offers now may be something else.
      restarted: () => (this.toolsKnown = false),
    });
    this.connections.set(era, connection);
    return connection;
  }

  private translate(message: Notification, era: Era): Notification {
    if (message.method === "notifications/tools/list_changed") this.toolsKnown = false;
    // A modern client is told on the stream of its own request, where it is known what it asked for.
    if (era === "modern") return message;
    const uri = message.method === "notifications/resources/updated" ? message.params?.["uri"] : undefined;
    const shown = typeof uri === "string" ? this.clientUri(uri) : undefined;
    if (shown === undefined || shown === uri) return message;
    const params = { ...message.params, uri: shown };
    return { ...message, params, raw: JSON.stringify({ params }) };
  }
}
