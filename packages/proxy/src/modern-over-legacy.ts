// A client of 2026-07-28 in front of an older server. That server asks its questions without saying which call they
// belong to, and was told once, when it was greeted, what it may ask. So requests that declare other capabilities go to
// another copy of it; and where several clients may stand behind one name, a copy that may ask has one call at a time.
import {
  ConnectionError,
  INVALID_PARAMS,
  isObject,
  isShared,
  METHOD_NOT_FOUND,
  TooManyClients,
  RpcError,
} from "@bosun/mcp/server";
import type { Call, Json, JsonObject } from "@bosun/mcp/server";
import type { Downstream } from "./downstream.ts";
import { LEGACY_ONLY } from "./eras.ts";
import { LegacyLane } from "./legacy-lane.ts";
import type { Run } from "./legacy-lane.ts";
import { discovered } from "./modern-forms.ts";
import { ParkedCalls } from "./parked-calls.ts";
import type { Hearing, Passage } from "./passage.ts";
import { exactParams } from "./passing.ts";
import type { Places } from "./places.ts";

/** A client says the same of itself with every request; one that does not is not given a server for each thing it says. */
const MAX_KINDS = 4;
/** A copy that was needed for a moment is kept for the next one. */
const IDLE_MS = 60_000;

/** `first` is the one that was asked what it speaks; `open` starts another like it. */
export function modernOverLegacy(
  first: Downstream,
  open: (hearing: () => Hearing) => Downstream,
  places: Places,
): Passage {
  const parked = new ParkedCalls<Run>();
  const lanes = new Map<LegacyLane, () => void>();
  const closing = new Set<Promise<void>>();
  let waiting: (() => void)[] = [];
  let unused: Downstream | undefined = first;
  let firstLane: LegacyLane | undefined;
  let isClosed = false;

  /** A lane that this call has entered, and the way out of it. */
  async function enter(call: Call): Promise<{ lane: LegacyLane; leave(): void }> {
    const capabilities = canonical(call.client.capabilities);
    const forOneCall = isShared(call.owner) && canBeAskedAnything(call);
    for (;;) {
      const fitting = [...lanes.keys()].filter((lane) => lane.capabilities === capabilities);
      const lane = fitting.find(({ isBusy }) => !forOneCall || !isBusy) ?? opened(capabilities, forOneCall);
      if (lane) return { lane, leave: lane.enter() };
      // People may take long to answer; whatever else runs comes to an end.
      if (fitting.every(({ isParked }) => isParked)) throw new TooManyClients();
      await nextLeft(call.signal);
    }
  }

  function opened(capabilities: string, forOneCall: boolean): LegacyLane | undefined {
    if (isClosed) throw new RpcError(METHOD_NOT_FOUND, "this client has gone");
    const kinds = new Set([...lanes.keys()].map((lane) => lane.capabilities));
    if (!kinds.has(capabilities) && kinds.size >= MAX_KINDS && !endLongestIdle(capabilities)) return undefined;
    // The client has a place of its own; what it needs beyond one copy takes another.
    let release = lanes.size === 0 ? () => {} : places.take();
    if (!release && endLongestIdle(capabilities)) release = lanes.size === 0 ? () => {} : places.take();
    if (!release) return undefined;
    const downstream = unused ?? open(() => lane);
    const lane: LegacyLane = new LegacyLane(downstream, { capabilities, forOneCall }, parked, left);
    if (unused) firstLane = lane;
    unused = undefined;
    lanes.set(lane, release);
    return lane;
  }

  function left(lane: LegacyLane, clean: boolean): void {
    const isOfMany = [...lanes.keys()][0] !== lane;
    if (!clean) end(lane);
    else if (isOfMany && lane.isIdle) setTimeout(() => endIfIdle(lane), IDLE_MS).unref?.();
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  function endIfIdle(lane: LegacyLane): void {
    if (lane.isIdle && performance.now() - lane.lastUsed >= IDLE_MS) end(lane);
  }

  function endLongestIdle(wanted: string): boolean {
    const idle = [...lanes.keys()].filter((lane) => lane.isIdle && lane.capabilities !== wanted);
    const [longest] = idle.toSorted((one, other) => one.lastUsed - other.lastUsed);
    if (longest) end(longest);
    return longest !== undefined;
  }

  function end(lane: LegacyLane): void {
    const release = lanes.get(lane);
    if (!release) return;
    lanes.delete(lane);
    release();
    const closed = lane.close().catch(() => {});
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  function nextLeft(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new ConnectionError("cancelled", "the request was cancelled"));
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      waiting.push(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
    });
  }

  return {
    async handle(call, headers) {
      // The server would know them; but to this client we are a server of its era.
      if (LEGACY_ONLY.has(call.method)) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${call.method}`);
      if (call.params["requestState"] !== undefined) {
        const answers = inputResponses(call);
        const run = await parked.take(call);
        return run.lane.resume(run, call, answers);
      }
      const { lane, leave } = await enter(call);
      try {
        const greeted = await lane.greeted(call);
        if (call.method === "server/discover") return discovered(greeted);
        if (call.method === "subscriptions/listen") return await lane.listen(call, leave);
        return await lane.start(call, headers);
      } finally {
        leave();
      }
    },
    opened() {},
    fromClient() {},
    fromServer: (message) => firstLane?.fromServer(message),
    question(message, signal) {
      if (!firstLane) throw new RpcError(METHOD_NOT_FOUND, "there is nobody to ask: no call is running");
      return firstLane.question(message, signal);
    },
    async close() {
      isClosed = true;
      await Promise.all([first.close(), ...closing, ...[...lanes.keys()].map((lane) => lane.close())]);
      for (const release of lanes.values()) release();
      lanes.clear();
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
