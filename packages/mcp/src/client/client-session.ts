// A client's session with one server over a link, in whichever era the server speaks: finding that out, handshake
// or metadata, rounds of questions, lost sessions. The typed calls (listTools, callTool …) are in client.ts.
import { ServerRequests, handleServerRequest, declaredCapabilities, answerInputRequests } from "./server-requests.ts";
import type { RequestHandlers } from "./server-requests.ts";
import { Deadline } from "../wire/deadline.ts";
import { commonVersion, eraFromReply, eraFromFailure } from "./detect-era.ts";
import type { DetectedEra } from "./detect-era.ts";
import { OutgoingRequests } from "./outgoing-requests.ts";
import type { CallOptions } from "./outgoing-requests.ts";
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import type { Link, Outgoing } from "./link.ts";
import { idFrom } from "../wire/message.ts";
import type { Notification, Request } from "../wire/message.ts";
import { standardHeaders } from "../wire/mcp-headers.ts";
import { isLegacy, META, NEWEST_LEGACY, NEWEST_MODERN } from "../wire/revisions.ts";
import { ConnectionError, RpcError, VERSION_UNSUPPORTED } from "../wire/rpc-error.ts";

const PROBE_TIMEOUT_MS = 4000;
/** A server that keeps asking is broken or hostile. */
const MAX_INPUT_ROUNDS = 10;
/** The oldest revision a client still meets. */
const OLDEST = "2024-11-05";

export type ClientOptions = RequestHandlers & {
  name: string;
  version: string;
  /** "auto" asks the server; pin it to spare the question. */
  era?: "auto" | "legacy" | "modern";
  /** How long to wait for the answer that shows the era. */
  probeTimeoutMs?: number;
  /** Silence allowed per request; progress starts it anew. */
  timeoutMs?: number;
  maxTotalMs?: number;
  /** Further capabilities, such as extensions. */
  capabilities?: JsonObject;
  /** Minimum level of the log messages a modern server sends along with each request. */
  logLevel?: string;
  onNotification?: (method: string, params: JsonObject) => void;
};

/**
 * Opens a connection; called again when the first one is lost or was spoilt by the probe. May give back the earlier
 * one where there is no way to make another.
 */
export type OpenLink = (
  receive: (message: Request | Notification) => void,
  headersFor: (outgoing: Outgoing) => [string, string][],
  earlier: Link | undefined,
) => Promise<Link>;

export class ClientSession {
  /** Undefined until a modern server was asked: it need not be. */
  serverInfo: JsonObject | undefined;
  capabilities: JsonObject = {};
  instructions: string | undefined;
  era: "legacy" | "modern" = "legacy";
  revision: string = NEWEST_LEGACY;
  private readonly options: ClientOptions;
  private readonly open: OpenLink;
  private readonly requests: OutgoingRequests;
  private readonly serverRequests: ServerRequests;
  /** Results that came only after questions: they are not to be kept for others who ask the same. */
  private readonly afterQuestions = new WeakSet<JsonObject>();
  private restarting: Promise<void> | undefined;
  /** How many have been opened. */
  private sessions = 0;
  private logLevel: string | undefined;
  private link: Link | undefined;

  private constructor(open: OpenLink, options: ClientOptions) {
    this.open = open;
    this.options = options;
    this.logLevel = options.logLevel;
    this.requests = new OutgoingRequests(() => this.linked(), options);
    this.serverRequests = new ServerRequests(
      (method, params, signal) => this.answer(method, params, signal),
      (text) => this.linked().reply(text),
    );
  }

  static async connect(open: OpenLink, options: ClientOptions): Promise<ClientSession> {
    const session = new ClientSession(open, options);
    try {
      await session.start();
      return session;
    } catch (error) {
      // the child or the stream must not outlive a failed handshake
      await session.close();
      throw error;
    }
  }

  /** Is this link one where HTTP headers matter? */
  get http(): boolean {
    return this.link?.http ?? false;
  }

  /** Aborted when the connection is gone. */
  get gone(): AbortSignal {
    return this.link?.gone ?? AbortSignal.abort();
  }

  /** One method call, with all that its revision puts around it. */
  async request(method: string, params: JsonObject = {}, options: CallOptions = {}): Promise<JsonObject> {
    if (this.era === "legacy") return this.legacyRequest(method, params, options);
    let result = await this.modernRequest(method, params, options);
    for (let round = 0; result["resultType"] === "input_required"; round++) {
      if (round === MAX_INPUT_ROUNDS) throw new ConnectionError("invalid", `the server asked ${round} times in a row`);
      const { inputResponses, requestState } = await answerInputRequests(
        result,
        (...question) => this.answer(...question),
        options.signal ?? this.gone,
      );
      // What belongs to this call goes with this call only: the state exactly as it came, and only if one came.
      const retry: JsonObject = { ...params };
      if (inputResponses) retry["inputResponses"] = inputResponses;
      if (requestState !== undefined) retry["requestState"] = requestState;
      result = await this.modernRequest(method, retry, options);
      this.afterQuestions.add(result);
    }
    const kind = result["resultType"] ?? "complete"; // older servers leave it out
    if (kind !== "complete" && kind !== "task") {
      throw new ConnectionError("invalid", `the server sent a result of unknown type ${JSON.stringify(kind)}`);
    }
    return result;
  }

  /** May this result be kept, as far as we are concerned? */
  keepable(result: JsonObject): boolean {
    return !this.afterQuestions.has(result);
  }

  /** The minimum level of log messages: a setting of the session in the legacy era, of each request afterwards. */
  async setLogLevel(level: string): Promise<void> {
    if (this.era === "legacy") await this.request("logging/setLevel", { level });
    this.logLevel = level;
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.linked().notify(method, params);
  }

  async close(): Promise<void> {
    this.serverRequests.end();
    await this.link?.close();
  }

  /** Answers a question of the server's, however it was carried. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return handleServerRequest(this.options, method, params, signal);
  }

  private async start(): Promise<void> {
    const { era = "auto" } = this.options;
    await this.relink();
    if (era === "modern") this.becomeModern(undefined);
    else if (era === "legacy") await this.initialize();
    else await this.detect();
  }

  private async detect(): Promise<void> {
    this.becomeModern(undefined);
    let detected = await this.probe();
    if (detected.era === "modern" && detected.version !== undefined) {
      this.revision = detected.version;
      const again = await this.probe(); // once, in the version the server named; never `initialize`
      if (again.era === "modern") detected = again;
    }
    if (detected.era === "modern") return this.becomeModern(detected.discovered);
    // Some servers exit on any request before `initialize`, and some never answer it: start those afresh.
    if (detected.silent && !this.linked().http) await this.relink();
    await this.initialize();
  }

  private async probe(): Promise<DetectedEra> {
    const { probeTimeoutMs = PROBE_TIMEOUT_MS } = this.options;
    const deadline = new Deadline(probeTimeoutMs, probeTimeoutMs);
    try {
      return eraFromReply(await this.requests.send("server/discover", this.withMeta({}), deadline.signal));
    } catch (error) {
      // over HTTP silence is an outage; elsewhere it may be an old server
      if (this.linked().http && deadline.expired !== undefined) throw new ConnectionError("timeout", deadline.expired);
      return eraFromFailure(error, this.linked().http);
    } finally {
      deadline.over();
    }
  }

  private becomeModern(discovered: JsonObject | undefined): void {
    this.era = "modern";
    this.revision = NEWEST_MODERN;
    if (!discovered) return;
    const { _meta } = discovered;
    this.rememberServer(discovered, isObject(_meta) ? _meta[META.serverInfo] : undefined);
  }

  private rememberServer({ capabilities, instructions }: JsonObject, info: Json | undefined): void {
    this.capabilities = isObject(capabilities) ? capabilities : {};
    this.instructions = typeof instructions === "string" ? instructions : undefined;
    this.serverInfo = isObject(info) ? info : undefined;
  }

  private async initialize(): Promise<void> {
    this.era = "legacy";
    const { name, version } = this.options;
    const result = await this.sendRequest("initialize", {
      protocolVersion: NEWEST_LEGACY,
      capabilities: { ...declaredCapabilities(this.options, true), ...this.options.capabilities },
      clientInfo: { name, version },
    });
    const { protocolVersion } = result;
    if (!isLegacy(protocolVersion) && protocolVersion !== OLDEST) {
      throw new ConnectionError("invalid", `the server speaks ${JSON.stringify(protocolVersion)}, which we do not`);
    }
    this.revision = protocolVersion;
    this.rememberServer(result, result["serverInfo"]);
    this.linked().settled?.(protocolVersion);
    this.sessions++;
    await this.notify("notifications/initialized");
  }

  private async legacyRequest(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    await this.restarting;
    const { sessions } = this;
    try {
      return await this.sendRequest(method, params, options);
    } catch (error) {
      // The server has forgotten the session: it did not run the request, so it can be sent in a new one.
      if (!(error instanceof ConnectionError) || error.status !== 404 || !this.http) throw error;
      // Many requests may learn of it, at once or later; one new session serves them all.
      if (sessions === this.sessions) {
        this.restarting ??= this.initialize().finally(() => (this.restarting = undefined));
      }
      await this.restarting;
      return this.sendRequest(method, params, options);
    }
  }

  private async modernRequest(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    try {
      return await this.sendRequest(method, this.withMeta(params), options);
    } catch (error) {
      // another version that both speak may do
      if (!(error instanceof RpcError) || error.code !== VERSION_UNSUPPORTED) throw error;
      const version = commonVersion(error);
      if (version === undefined) throw error;
      this.revision = version;
      return this.sendRequest(method, this.withMeta(params), options);
    }
  }

  private withMeta(params: JsonObject): JsonObject {
    const { logLevel } = this;
    const { name, version } = this.options;
    const given = isObject(params["_meta"]) ? params["_meta"] : {};
    return {
      ...params,
      _meta: {
        ...given,
        [META.protocolVersion]: this.revision,
        [META.clientCapabilities]: { ...declaredCapabilities(this.options, false), ...this.options.capabilities },
        [META.clientInfo]: { name, version },
        ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
      },
    };
  }

  private sendRequest(method: string, params: JsonObject, options?: CallOptions): Promise<JsonObject> {
    return this.requests.request(method, params, this.era, options);
  }

  private async relink(): Promise<void> {
    const earlier = this.link;
    this.link = await this.open(
      (message) => this.receive(message),
      (outgoing) =>
        this.era === "modern"
          ? [...standardHeaders(outgoing, this.revision), ...this.requests.headersOf(outgoing.id)]
          : [],
      earlier,
    );
    if (earlier !== this.link) await earlier?.close();
  }

  private linked(): Link {
    if (!this.link) throw new ConnectionError("closed", "the client is not connected");
    return this.link;
  }

  private receive(message: Request | Notification): void {
    if (message.kind === "request") {
      if (this.era === "legacy") this.serverRequests.take(message); // 2026-07-28 servers send no requests
      return;
    }
    const { method, params = {}, raw } = message;
    try {
      if (method === "notifications/progress") this.requests.handleProgress(params);
      else if (method === "notifications/cancelled") this.handleCancelled(params, raw);
      this.options.onNotification?.(method, params);
    } catch (error) {
      console.error(error); // of whoever listens; the connection goes on
    }
  }

  private handleCancelled(params: JsonObject, raw: string): void {
    const id = idFrom(params["requestId"], raw, ["params", "requestId"]);
    if (id === undefined) return;
    if (this.era === "legacy") this.serverRequests.cancel(id);
    else this.requests.endListening(id, raw);
  }
}
