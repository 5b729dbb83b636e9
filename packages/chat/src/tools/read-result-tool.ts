// The one tool of our own: reads stored results of this session, and nothing else. Needs no approval.
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { parseExact } from "../model/argument-json.ts";
import type { ResultStore } from "../history/result-store.ts";

export const READ_RESULT = "aish__read_result";

export const readResultTool: JsonObject = {
  type: "function",
  function: {
    name: READ_RESULT,
    description: "Read more of a tool result that was cut. Give the result's name, and an offset or a text to find.",
    parameters: {
      type: "object",
      properties: {
        result: { type: "string", description: "name of the result, such as r7" },
        offset: { type: "integer", description: "first character to read, from 0" },
        limit: { type: "integer", description: "most characters to return" },
        find: { type: "string", description: "text to look for instead of an offset" },
      },
      required: ["result"],
    },
  },
};

export function readResult(store: ResultStore, args: string, maxChars: number): string {
  const given = parseExact(args);
  if (!isObject(given) || typeof given["result"] !== "string") return "Give the name of a result, such as r7.";
  const { result, offset, limit, find } = given;
  return store.read({
    result,
    maxChars,
    ...(typeof offset === "number" ? { offset } : {}),
    ...(typeof limit === "number" ? { limit } : {}),
    ...(typeof find === "string" ? { find } : {}),
  });
}
