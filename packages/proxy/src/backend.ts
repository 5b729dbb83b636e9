// One client's side of one server: its way there in each era, how long it may take, and what it has said it offers.
import { ConnectionError, isObject, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson, Session } from "@bosun/mcp/server";
import { Deadline } from "@bosun/mcp/relay";
import type { Notification } from "@bosun/mcp/relay";
import type { ToolDefinition } from "@bosun/shrink";
import type { Log } from "@bosun/platform/log";
import type { ServerSpec } from "./downstream.ts";
import { DownstreamGone } from "./downstream-gone.ts";
import { isModernRevision } from "./eras.ts";
import type { Places } from "./places.ts";
import { onBehalf } from "./readdressed.ts";
import type { Room } from "./room.ts";
import { Way } from "./way.ts";

const LONG_REST_MS = 1000;
/** Who has never answered, and has been waited for in vain, is not waited for again so soon. */
const AGAIN_MS = 30_000;
const always: Room = () => undefined;

export type BackendOptions = {
  /** Silence after which a call has failed; progress starts it anew. */
  timeoutMs: number;
  log: Log;
  /** For what the server says; without it there is always enough. */
  room?: Room;
  /** For copies of the server beside the first. */
  places: Places;
};

export class Backend {
  readonly spec: ServerSpec;
  /** As the server defines them, by its own names: those that may be called. */
  readonly tools = new Map<string, ToolDefinition>();
  /** Why a tool is held back, by its own name. */
  held: ReadonlyMap<string, string> = new Map();
  /** False before the first list, and after the server said that it has changed. */
  toolsKnown = false;
  /** It gave a list when it was last asked for one. What it announces afterwards does not take that list back. */
  isListed = false;
  /** It has been heard of at least once. */
  hasAnswered = false;
  /** What a resource of this server is called to the client. */
  shownUri: (uri: string) => string = (uri) => uri;
  private readonly options: BackendOptions;
  private readonly ways = new Map<"legacy" | "modern", Way>();
  private greeting: Promise<JsonObject> | undefined;
  private greeter: Call | undefined;
  private isGreeted = false;
  private session: Session | undefined;
  private waitedAt = -Infinity;

  constructor(spec: ServerSpec, options: BackendOptions) {
    this.spec = spec;
    this.options = options;
  }

  get name(): string {
    return this.spec.name;
  }

  get http(): boolean {
    return this.spec.kind === "url";
  }

  /** It has died again and again, or never said anything: who has others to ask does not wait for it. */
  get isResting(): boolean {
    const isSilent = !this.hasAnswered && performance.now() - this.waitedAt < AGAIN_MS;
    return isSilent || [...this.ways.values()].some((way) => way.restingMs > LONG_REST_MS);
  }

  /** Somebody who has others to ask has waited for it in vain. */
  keptWaiting(): void {
    this.waitedAt = performance.now();
  }

  async handle(call: Call, headers?: [string, string][]): Promise<JsonObject | RawJson> {
    const way = this.wayOf(call);
    if (call.method === "subscriptions/listen") return way.handle(call, headers);
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
      if (this.greeter && way === this.ways.get("legacy")) await unlessAborted(this.greeted(call), deadline.signal);
      // Until it has been greeted, what it is waited for is not this call alone: the greeting goes on without it.
      const passed = way.handle(watched, headers);
      const answer = await (this.hasAnswered ? passed : unlessAborted(passed, deadline.signal));
      this.hasAnswered = true;
      return answer;
    } catch (error) {
      if (error instanceof RpcError) this.hasAnswered = true;
      if (deadline.expired !== undefined) throw new DownstreamGone(`${this.name}: ${deadline.expired}`);
      throw error;
    } finally {
      deadline.over();
    }
  }

  /** `initialize` where the client has several servers: it must not hang on this one, which is greeted until it answers. */
  greet(call: Call): Promise<JsonObject> {
    this.greeter = onBehalf(call, "initialize", call.params, new AbortController().signal);
    return this.greeted(call);
  }

  opened(session: Session): void {
    this.session = session;
    if (!this.greeter || this.isGreeted) this.ways.get("legacy")?.opened(session);
  }

  fromClient(message: Notification): void {
    this.ways.get("legacy")?.fromClient(message);
  }

  async close(): Promise<void> {
    await Promise.all([...this.ways.values()].map((way) => way.close()));
  }

  private greeted(call: Call): Promise<JsonObject> {
    const { greeter } = this;
    if (!greeter) throw new DownstreamGone(`${this.name} has not been greeted`);
    this.greeting ??= this.wayOf(call)
      .handle(greeter)
      .then((result) => {
        this.isGreeted = true;
        this.hasAnswered = true;
        // The session was opened while this server was still down.
        if (this.session) this.ways.get("legacy")?.opened(this.session);
        return isObject(result) ? result : {};
      })
      .catch((error: unknown) => {
        this.greeting = undefined;
        throw error;
      });
    return this.greeting;
  }

  private wayOf(call: Call): Way {
    const era = isModernRevision(call.revision) ? "modern" : "legacy";
    let way = this.ways.get(era);
    if (way) return way;
    const hear = (message: Notification): Notification => this.hear(message, era);
    // What it offers now may be something else.
    const { log, room = always, places } = this.options;
    way = new Way(this.spec, log, hear, () => (this.toolsKnown = false), room, places);
    this.ways.set(era, way);
    return way;
  }

  private hear(message: Notification, era: "legacy" | "modern"): Notification {
    if (message.method === "notifications/tools/list_changed") this.toolsKnown = false;
    // A modern client is told on the stream of its own request, where it is known what it asked for.
    if (era === "modern") return message;
    const uri = message.method === "notifications/resources/updated" ? message.params?.["uri"] : undefined;
    const shown = typeof uri === "string" ? this.shownUri(uri) : undefined;
    if (shown === undefined || shown === uri) return message;
    const params = { ...message.params, uri: shown };
    return { ...message, params, raw: JSON.stringify({ params }) };
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new ConnectionError("cancelled", "the request was cancelled"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
