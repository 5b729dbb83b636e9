// One client's way to one server, in the client's era: found out by asking the server what it speaks.
import { ConnectionError, METHOD_NOT_FOUND, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson, Session } from "@bosun/mcp/server";
import { exactResultOf, eraFromReply } from "@bosun/mcp/relay";
import type { Notification } from "@bosun/mcp/relay";
import type { Log } from "@bosun/platform/log";
import { Downstream } from "./downstream.ts";
import type { ServerSpec } from "./downstream.ts";
import { DownstreamGone } from "./downstream-gone.ts";
import { legacyOverModern } from "./legacy-over-modern.ts";
import { modernOverLegacy } from "./modern-over-legacy.ts";
import type { Hearing, Passage } from "./passage.ts";
import type { Places } from "./places.ts";
import type { Room } from "./room.ts";
import { sameEra } from "./same-era.ts";
import { isModernRevision, probeParams } from "./eras.ts";

/** An old server may never answer what it does not know. */
const PROBE_MS = 4000;

export class Way {
  private readonly spec: ServerSpec;
  private readonly log: Log;
  /** What the client is told instead of what the server said. */
  private readonly hear: (message: Notification) => Notification;
  private readonly forgotten: () => void;
  private readonly room: Room;
  private readonly places: Places;
  private downstream: Downstream;
  private passage: Promise<Passage> | undefined;
  private current: Passage | undefined;

  constructor(
    spec: ServerSpec,
    log: Log,
    hear: (message: Notification) => Notification,
    forgotten: () => void,
    room: Room,
    places: Places,
  ) {
    this.spec = spec;
    this.log = log;
    this.hear = hear;
    this.forgotten = forgotten;
    this.room = room;
    this.places = places;
    this.downstream = this.newDownstream(() => this.current);
  }

  get http(): boolean {
    return this.spec.kind === "url";
  }

  get restingMs(): number {
    return this.downstream.restingMs;
  }

  async handle(call: Call, headers?: [string, string][]): Promise<JsonObject | RawJson> {
    // A refused start is not a verdict for ever: the next call asks again.
    this.passage ??= this.find(call).catch((error: unknown) => {
      this.passage = undefined;
      throw error;
    });
    const passage = await this.passage;
    try {
      return await passage.handle(call, headers);
    } catch (error) {
      const handshake = call.method === "initialize" && !isModernRevision(call.revision);
      if (!handshake || !refusesInitialize(error)) throw error;
      // The server knows no handshake: it speaks 2026-07-28 only.
      const discovered = await this.discover(call);
      this.use(legacyOverModern(this.downstream, discovered));
      return (await this.passage).handle(call, headers);
    }
  }

  opened(session: Session): void {
    this.current?.opened(session);
  }

  fromClient(message: Notification): void {
    this.current?.fromClient(message);
  }

  async close(): Promise<void> {
    await Promise.all([this.downstream.close(), this.current?.close?.()]);
  }

  private async find(call: Call): Promise<Passage> {
    if (!isModernRevision(call.revision)) return this.use(sameEra(this.downstream));
    // Not under the caller's signal: others may already wait for the same verdict.
    const signal = AbortSignal.timeout(PROBE_MS);
    try {
      const reply = await this.downstream.request("server/discover", probeParams(call), { signal });
      const verdict = eraFromReply({ reply, status: undefined });
      return this.use(verdict.era === "modern" ? sameEra(this.downstream) : this.bridge());
    } catch (error) {
      if (!(error instanceof ConnectionError || error instanceof DownstreamGone)) throw error;
      // It was silent, or it ended: such a server wants to be greeted first. What it has seen may have confused it.
      await this.downstream.close();
      this.downstream = this.newDownstream(() => this.current);
      return this.use(this.bridge());
    }
  }

  private async discover(call: Call): Promise<JsonObject> {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PROBE_MS)]);
    const reply = await this.downstream.request("server/discover", probeParams(call), { signal });
    return exactResultOf(reply);
  }

  private use(passage: Passage): Passage {
    this.current = passage;
    this.passage = Promise.resolve(passage);
    return passage;
  }

  private bridge(): Passage {
    return modernOverLegacy(this.downstream, (hearing) => this.newDownstream(hearing), this.places);
  }

  private newDownstream(hearing: () => Hearing | undefined): Downstream {
    return new Downstream(
      this.spec,
      {
        room: this.room,
        notified: (message) => hearing()?.fromServer(this.hear(message)),
        asked: (message, signal) =>
          hearing()?.question(message, signal) ??
          Promise.reject(new RpcError(METHOD_NOT_FOUND, "there is nobody to ask")),
        forgotten: () => this.forgotten(),
      },
      this.log,
    );
  }
}

function refusesInitialize(error: unknown): boolean {
  return (
    error instanceof RpcError && (error.code === METHOD_NOT_FOUND || error.code === -32022 || error.code === -32602)
  );
}
