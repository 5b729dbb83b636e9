// A client of 2026-07-28 in front of an older server. That server asks its questions without saying which call they
// belong to, and was told once, when it was greeted, what it may ask. So requests that declare other capabilities go to
// another copy of it; and where several clients may stand behind one name, a copy that may ask has one call at a time.
import { INVALID_PARAMS, isObject, isShared, METHOD_NOT_FOUND, TooManyClients, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject } from "@bosun/mcp/server";
import type { DownstreamServer } from "./downstream-server.ts";
import { LEGACY_ONLY } from "../messages/eras.ts";
import { LegacyConnection } from "./legacy-connection.ts";
import type { RunningCall } from "./legacy-connection.ts";
import { discovered } from "./translate-messages.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { CallsAwaitingInput } from "./calls-awaiting-input.ts";
import type { ServerListener, EraBridge } from "./era-bridge.ts";
import { exactParams } from "../messages/message-json.ts";
import type { ServerSlots } from "./server-slots.ts";

/** A client says the same of itself with every request; one that does not is not given a server for each thing it says. */
const MAX_CAPABILITY_SETS = 4;
/** A copy that was needed for a moment is kept for the next one. */
const IDLE_MS = 60_000;

/** `first` is the one that was asked what it speaks; `start` starts another like it. */
export function modernOverLegacy(
  first: DownstreamServer,
  start: (listener: () => ServerListener) => DownstreamServer,
  slots: ServerSlots,
): EraBridge {
  const awaitingInput = new CallsAwaitingInput<RunningCall>();
  const connections = new Map<LegacyConnection, () => void>();
  const closing = new Set<Promise<void>>();
  let waiting: (() => void)[] = [];
  let unused: DownstreamServer | undefined = first;
  let firstConnection: LegacyConnection | undefined;
  let isClosed = false;

  /** A connection for this call, and what releases it. */
  async function acquire(call: Call): Promise<{ connection: LegacyConnection; release(): void }> {
    const capabilities = canonical(call.client.capabilities);
    const exclusive = isShared(call.owner) && canBeAskedAnything(call);
    for (;;) {
      const fitting = [...connections.keys()].filter((connection) => connection.capabilities === capabilities);
      const connection = fitting.find(({ isBusy }) => !exclusive || !isBusy) ?? newConnection(capabilities, exclusive);
      if (connection) return { connection, release: connection.acquire() };
      // People may take long to answer; whatever else runs comes to an end.
      if (fitting.every(({ awaitsInput }) => awaitsInput)) throw new TooManyClients();
      await nextRelease(call.signal);
    }
  }

  function newConnection(capabilities: string, exclusive: boolean): LegacyConnection | undefined {
    if (isClosed) throw new RpcError(METHOD_NOT_FOUND, "this client has gone");
    const capabilitySets = new Set([...connections.keys()].map((connection) => connection.capabilities));
    if (
      !capabilitySets.has(capabilities) &&
      capabilitySets.size >= MAX_CAPABILITY_SETS &&
      !endLongestIdle(capabilities)
    )
      return undefined;
    // The client has a slot of its own; what it needs beyond one copy takes another.
    let release = connections.size === 0 ? () => {} : slots.take();
    if (!release && endLongestIdle(capabilities)) release = connections.size === 0 ? () => {} : slots.take();
    if (!release) return undefined;
    const downstream = unused ?? start(() => connection);
    const connection: LegacyConnection = new LegacyConnection(
      downstream,
      { capabilities, exclusive },
      awaitingInput,
      onReleased,
    );
    if (unused) firstConnection = connection;
    unused = undefined;
    connections.set(connection, release);
    return connection;
  }

  function onReleased(connection: LegacyConnection, clean: boolean): void {
    const isOfMany = [...connections.keys()][0] !== connection;
    if (!clean) end(connection);
    else if (isOfMany && connection.isIdle) setTimeout(() => endIfIdle(connection), IDLE_MS).unref?.();
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  function endIfIdle(connection: LegacyConnection): void {
    if (connection.isIdle && performance.now() - connection.lastUsed >= IDLE_MS) end(connection);
  }

  function endLongestIdle(wanted: string): boolean {
    const idle = [...connections.keys()].filter(
      (connection) => connection.isIdle && connection.capabilities !== wanted,
    );
    const [longest] = idle.toSorted((one, other) => one.lastUsed - other.lastUsed);
    if (longest) end(longest);
    return longest !== undefined;
  }

  function end(connection: LegacyConnection): void {
    const release = connections.get(connection);
    if (!release) return;
    connections.delete(connection);
    release();
    const closed = connection.close().catch(() => {});
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  function nextRelease(signal: AbortSignal): Promise<void> {
    return unlessAborted(new Promise((resolve) => waiting.push(resolve)), signal);
  }

  return {
    async request(call, headers) {
      // The server would know them; but to this client we are a server of its era.
      if (LEGACY_ONLY.has(call.method)) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${call.method}`);
      if (call.params["requestState"] !== undefined) {
        const answers = inputResponses(call);
        const running = await awaitingInput.resume(call);
        return running.connection.resume(running, call, answers);
      }
      const { connection, release } = await acquire(call);
      try {
        const greeted = await connection.greet(call);
        if (call.method === "server/discover") return discovered(greeted);
        if (call.method === "subscriptions/listen") return await connection.listen(call, release);
        return await connection.start(call, headers);
      } finally {
        release();
      }
    },
    opened() {},
    clientNotified() {},
    serverNotified: (message) => firstConnection?.serverNotified(message),
    serverAsked(message, signal) {
      if (!firstConnection) throw new RpcError(METHOD_NOT_FOUND, "there is nobody to ask: no call is running");
      return firstConnection.serverAsked(message, signal);
    },
    async close() {
      isClosed = true;
      await Promise.all([
        first.close(),
        ...closing,
        ...[...connections.keys()].map((connection) => connection.close()),
      ]);
      for (const release of connections.values()) release();
      connections.clear();
    },
  };
}

/** Looked at before the call is taken up again: one that cannot go on would wait for ever. */
function inputResponses({ raw }: Call): Map<string, JsonObject> {
  const responses = exactParams(raw)["inputResponses"];
  const answers = new Map<string, JsonObject>();
  for (const [key, value] of Object.entries(isObject(responses) ? responses : {})) {
    if (!isObject(value)) throw new RpcError(INVALID_PARAMS, `inputResponses.${key} must be an object`);
    answers.set(key, value);
  }
  return answers;
}

/** Otherwise the server has no business to ask, and is refused when it does. */
function canBeAskedAnything({ client: { capabilities } }: Call): boolean {
  return ["elicitation", "sampling", "roots"].some((name) => isObject(capabilities[name]));
}

/** The same for the same capabilities, in whatever order they were written. */
function canonical(capabilities: JsonObject): string {
  return JSON.stringify(capabilities, (_, value: Json) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}
