// One client's connection to one server, in the client's era: which era the server speaks is found out by asking it.
import { ConnectionError, METHOD_NOT_FOUND, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson, Session } from "@bosun/mcp/server";
import { exactResultOf, eraFromReply } from "@bosun/mcp/relay";
import type { Notification } from "@bosun/mcp/relay";
import type { Log } from "@bosun/platform/log";
import { isModernRevision, probeParams } from "../messages/eras.ts";
import type { Backpressure } from "./backpressure.ts";
import { ServerGone } from "./call-failed.ts";
import { DownstreamServer } from "./downstream-server.ts";
import type { EraBridge, ServerListener } from "./era-bridge.ts";
import { legacyOverModern } from "./legacy-over-modern.ts";
import { modernOverLegacy } from "./modern-over-legacy.ts";
import { sameEra } from "./same-era-bridge.ts";
import type { ServerSlots } from "./server-slots.ts";
import type { ServerSpec } from "./server-spec.ts";

/** An old server may never answer what it does not know. */
const PROBE_MS = 4000;

export type ServerConnectionOptions = {
  spec: ServerSpec;
  log: Log;
  /** What the client is told instead of what the server said. */
  translate(message: Notification): Notification;
  /** The server has ended, or does not know our session any more: what comes after it may be another program. */
  restarted(): void;
  backpressure: Backpressure;
  /** For copies of the server beside the first. */
  slots: ServerSlots;
};

export class ServerConnection {
  private readonly options: ServerConnectionOptions;
  private downstream: DownstreamServer;
  private bridge: Promise<EraBridge> | undefined;
  private current: EraBridge | undefined;

  constructor(options: ServerConnectionOptions) {
    this.options = options;
    this.downstream = this.newDownstream(() => this.current);
  }

  get backoffMs(): number {
    return this.downstream.backoffMs;
  }

  async request(call: Call, headers?: [string, string][]): Promise<JsonObject | RawJson> {
    // A refused start is not a verdict for ever: the next call asks again.
    this.bridge ??= this.find(call).catch((error: unknown) => {
      this.bridge = undefined;
      throw error;
    });
    const bridge = await this.bridge;
    try {
      return await bridge.request(call, headers);
    } catch (error) {
      // Only a handshake that is refused says something about the era.
      const isHandshake = call.method === "initialize" && !isModernRevision(call.revision);
      if (!isHandshake || !refusesInitialize(error)) throw error;
      // The server knows no handshake: it speaks 2026-07-28 only.
      return this.use(legacyOverModern(this.downstream, await this.discover(call))).request(call, headers);
    }
  }

  opened(session: Session): void {
    this.current?.opened(session);
  }

  clientNotified(message: Notification): void {
    this.current?.clientNotified(message);
  }

  async close(): Promise<void> {
    await Promise.all([this.downstream.close(), this.current?.close?.()]);
  }

  private async find(call: Call): Promise<EraBridge> {
    if (!isModernRevision(call.revision)) return this.use(sameEra(this.downstream));
    // Not under the caller's signal: others may already wait for the same verdict.
    const signal = AbortSignal.timeout(PROBE_MS);
    try {
      const reply = await this.downstream.request("server/discover", probeParams(call), { signal });
      const verdict = eraFromReply({ reply, status: undefined });
      return this.use(verdict.era === "modern" ? sameEra(this.downstream) : this.toLegacy());
    } catch (error) {
      if (!(error instanceof ConnectionError || error instanceof ServerGone)) throw error;
      // It was silent, or it ended: such a server wants to be greeted first. What it has seen may have confused it.
      await this.downstream.close();
      this.downstream = this.newDownstream(() => this.current);
      return this.use(this.toLegacy());
    }
  }

  private async discover(call: Call): Promise<JsonObject> {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PROBE_MS)]);
    const reply = await this.downstream.request("server/discover", probeParams(call), { signal });
    return exactResultOf(reply);
  }

  private use(bridge: EraBridge): EraBridge {
    this.current = bridge;
    this.bridge = Promise.resolve(bridge);
    return bridge;
  }

  private toLegacy(): EraBridge {
    return modernOverLegacy(this.downstream, (listener) => this.newDownstream(listener), this.options.slots);
  }

  private newDownstream(listener: () => ServerListener | undefined): DownstreamServer {
    const { spec, log, translate, restarted, backpressure } = this.options;
    const nobody = new RpcError(METHOD_NOT_FOUND, "there is nobody to ask");
    return new DownstreamServer(
      spec,
      {
        backpressure,
        notified: (message) => listener()?.serverNotified(translate(message)),
        asked: (message, signal) => listener()?.serverAsked(message, signal) ?? Promise.reject(nobody),
        restarted,
      },
      log,
    );
  }
}

function refusesInitialize(error: unknown): boolean {
  return (
    error instanceof RpcError && (error.code === METHOD_NOT_FOUND || error.code === -32022 || error.code === -32602)
  );
}
