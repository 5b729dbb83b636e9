// tools/list and tools/call.
import type { Call } from "./call.ts";
import type { Context } from "./context.ts";
import type { ToolResult } from "../wire/content.ts";
import { toolDefinition, toolResultFor } from "./downgrade.ts";
import type { JsonObject } from "../wire/json-value.ts";
import type { Methods } from "./method-table.ts";
import { pageOf, withCursor } from "./pagination.ts";
import { headerParams, checkHeaderParams } from "../wire/param-headers.ts";
import type { HeaderParam } from "../wire/param-headers.ts";
import type { Revision } from "../wire/revisions.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from "../wire/rpc-error.ts";
import { callTool } from "./call-tool.ts";
import { withContext } from "./context.ts";
import { runAsTask } from "./run-as-task.ts";
import type { ToolRuntime } from "./run-as-task.ts";
import type { Tool } from "./tool.ts";

/** The tools of a server as they are now: replaced as a whole when they change. */
export class ToolList {
  private readonly byName: ReadonlyMap<string, Tool>;
  private readonly definitions = new Map<Revision, JsonObject[]>();
  private readonly mirrored = new Map<Tool, HeaderParam[]>();
  readonly tools: readonly Tool[];

  constructor(tools: readonly Tool[]) {
    this.tools = tools;
    this.byName = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.byName.size !== tools.length) throw new Error("two tools have the same name");
    for (const tool of tools) this.mirrored.set(tool, headerParams(tool.input.json));
  }

  find(name: unknown): Tool | undefined {
    return typeof name === "string" ? this.byName.get(name) : undefined;
  }

  named(name: unknown): Tool {
    const tool = this.find(name);
    if (!tool) throw new RpcError(INVALID_PARAMS, `unknown tool: ${JSON.stringify(name) ?? "no name given"}`);
    return tool;
  }

  defined(revision: Revision): JsonObject[] {
    let made = this.definitions.get(revision);
    if (!made) this.definitions.set(revision, (made = this.tools.map((tool) => toolDefinition(tool, revision))));
    return made;
  }

  headersOf(tool: Tool): readonly HeaderParam[] {
    return this.mirrored.get(tool) ?? [];
  }
}

export function toolMethods(current: () => ToolList, runtime: ToolRuntime, pageSize: number): Methods {
  return {
    "tools/list": {
      era: "both",
      cacheable: true,
      run(call) {
        const definitions = current().defined(call.revision);
        const page = pageOf("tools", definitions, ({ name }) => String(name), call.params["cursor"], pageSize);
        return withCursor({ tools: [...page.items] }, page);
      },
    },
    "tools/call": {
      era: "both",
      check(call) {
        const tool = call.header && current().find(call.params["name"]);
        if (tool && call.header) checkHeaderParams(current().headersOf(tool), call.params["arguments"], call.header);
      },
      async run(call) {
        const tool = current().named(call.params["name"]);
        const args = call.params["arguments"] ?? {};
        if (tool.task !== undefined) return runAsTask(tool, args, call, runtime);
        refuseTask(tool, call, runtime);
        const { cipher, explain } = runtime;
        const run = (context: Context): Promise<ToolResult> => callTool(tool, args, context, explain);
        const result = await withContext(call, { cipher, level: runtime.levelFor(call) }, run);
        return toolResultFor(result, call.revision);
      },
    },
  };
}

/** A client that asks for a task of a tool that offers none. Where the server offers none at all, the member means nothing. */
function refuseTask(tool: Tool, { revision, params }: Call, { offersTasks }: ToolRuntime): void {
  if (offersTasks && revision === "2025-11-25" && params["task"] !== undefined) {
    throw new RpcError(METHOD_NOT_FOUND, `${tool.name} cannot run as a task`);
  }
}
