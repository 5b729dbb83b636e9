// A trace over a socket: the scripted model plays it, the broker reads it, and what came out of it is told.
import { httpFetch } from "@bosun/mcp";
import { askModel } from "../../src/model/ask-model.ts";
import type { Asked, Endpoint } from "../../src/model/ask-model.ts";
import { DEFAULT_COMPAT } from "../../src/model/compat.ts";
import type { Compat } from "../../src/model/compat.ts";
import type { ScriptedModel, Step } from "../scripted-model.ts";

/** How the bytes reach the socket: whole events, single bytes, random pieces, all at once. */
export const CUTS = ["lines", "every:1", "random:3", "whole"] as const;

export type Outcome = {
  asked: Asked;
  shown: string;
  statuses: string[];
  waits: string[];
  compat: Compat;
};

export async function replay(
  model: ScriptedModel,
  steps: readonly Step[],
  options: {
    idleMs?: number;
    signal?: AbortSignal;
    tools?: boolean;
    pinned?: Partial<Compat>;
    keySource?: string;
    toolTurns?: boolean;
  } = {},
): Promise<Outcome> {
  model.push(...steps);
  const outcome = { shown: "", statuses: [] as string[], waits: [] as string[] };
  const endpoint: Endpoint = {
    name: "local",
    url: new URL(`${model.url}/chat/completions`),
    headers: () => ({ "content-type": "application/json" }),
    keySource: options.keySource,
    firstByteMs: 10_000,
    idleMs: options.idleMs ?? 10_000,
    pinned: options.pinned ?? {},
    compat: { ...DEFAULT_COMPAT, ...options.pinned },
    onLearnt: () => {},
  };
  const asked = await askModel({
    endpoint,
    body: (compat) => ({
      model: "m",
      messages: [{ role: "user", content: `hi ${compat.systemRole}` }],
      ...(compat.streamOptions === "send" ? { stream_options: { include_usage: true } } : {}),
    }),
    facts: { hasToolTurns: options.toolTurns ?? false, wrapsUp: false },
    signal: options.signal ?? new AbortController().signal,
    fetch: httpFetch,
    waitScale: 0.001,
    events: {
      onText: (piece) => (outcome.shown += piece),
      onStatus: (said) => outcome.statuses.push(said),
      onWait: (why) => outcome.waits.push(why),
    },
    offered: async () => ["scripted"],
  });
  return { ...outcome, asked, compat: endpoint.compat };
}

export function answerOf({ asked }: Outcome) {
  if (asked.kind !== "answer") throw new Error(`no answer: ${asked.message}`);
  return { ...asked.answer, meaning: asked.meaning };
}
