// Results of calls that were given up a moment ago: the server may have been about to answer, and what it did counts.
import { isObject } from "@bosun/mcp";
import type { JsonObject, ToolResult } from "@bosun/mcp";
import type { Reply } from "@bosun/mcp/relay";
import type { CallEnd } from "./call-end.ts";
import { LATE_MS } from "./late-reply-link.ts";

type Result = ToolResult & JsonObject;

export class LateResults {
  /** By the arguments of the call: the very object that was sent. */
  readonly #awaited = new Map<JsonObject, (result: Result) => void>();

  /** The answer, if it comes within a moment. */
  async wait(args: JsonObject): Promise<Extract<CallEnd, { kind: "result" }> | undefined> {
    const { promise, resolve } = Promise.withResolvers<Result | undefined>();
    const timer = setTimeout(() => resolve(undefined), LATE_MS);
    this.#awaited.set(args, resolve);
    const result = await promise;
    clearTimeout(timer);
    this.#awaited.delete(args);
    return result === undefined ? undefined : { kind: "result", result };
  }

  /** A reply to a call with these parameters has come. */
  came({ arguments: args }: JsonObject, { result }: Reply): void {
    if (!isObject(args) || result === undefined || !Array.isArray(result["content"])) return;
    this.#awaited.get(args)?.(result as Result);
  }
}
