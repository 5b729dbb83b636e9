// A tool result on its way to the model: text, in fewer tokens, and never more of it than the window bears.
import type { Shrinker } from "@bosun/shrink";
import type { JsonObject, ToolResult } from "@bosun/mcp";
import { headAndTail } from "../conversation/truncate-result.ts";
import type { Limits } from "../conversation/truncate-result.ts";
import type { ToolTurn } from "../conversation/turn-types.ts";
import { textOfResult } from "../servers/result-text.ts";
import type { ResultStore } from "../history/result-store.ts";
import type { Cost } from "./cost.ts";

/** Counting tokens of more than this takes longer than the number is worth. */
const MAX_COUNTED_CHARS = 400_000;

/** One shrinker per conversation, and an exact count of tokens. */
export type ShrinkTools = { shrinker: Shrinker; countTokens: (text: string) => number };

export type ForModel = {
  turn: Pick<ToolTurn, "content" | "full" | "images">;
  /** Everything, for the person. */
  shown: string;
  warnings: string[];
  bytes: number;
};

/** Where results and their cost are kept. */
export type ResultPlaces = { results: ResultStore; cost: Cost };

/** `room`: what is left of this round's share. */
export function resultForModel(
  chat: ResultPlaces,
  tools: ShrinkTools,
  name: string,
  result: ToolResult & JsonObject,
  limits: Limits,
  room: number,
): ForModel {
  const whole = textOfResult(result, (bytes, mime) => chat.results.keepBytes(bytes, mime));
  const { content, saved } = shrunk(tools, result, whole.forModel);
  const limit = Math.max(200, Math.min(limits.perResult, room));
  const turn: ForModel["turn"] = { content };
  if (content.length > limit) {
    turn.full = chat.results.keepText(whole.forModel);
    turn.content = headAndTail(whole.forModel, limit, turn.full);
  }
  if (whole.images.length > 0) turn.images = whole.images;
  const tokens = turn.content.length > MAX_COUNTED_CHARS ? turn.content.length / 3.5 : tools.countTokens(turn.content);
  chat.cost.call(name, tokens, turn.full === undefined ? saved : 0);
  return { turn, shown: whole.forPerson, warnings: whole.warnings, bytes: Buffer.byteLength(whole.forPerson) };
}

function shrunk(
  { shrinker }: ShrinkTools,
  result: ToolResult & JsonObject,
  plain: string,
): { content: string; saved: number } {
  try {
    const { result: smaller, changed, tokensBefore, tokensAfter } = shrinker.shrink(result);
    if (!changed) return { content: plain, saved: 0 };
    const { forModel } = textOfResult(smaller as JsonObject, () => undefined);
    return { content: forModel, saved: Math.max(0, tokensBefore - tokensAfter) };
  } catch {
    return { content: plain, saved: 0 }; // a result nobody can shrink goes as it is
  }
}
