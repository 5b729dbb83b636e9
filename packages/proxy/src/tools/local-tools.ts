// Tools that a program offers through the proxy beside a server's own: loaded when somebody lists or calls them.
import { isObject } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson, Server } from "@bosun/mcp/server";
import type { ToolDefinition } from "@bosun/shrink";
import { onBehalfOf } from "../messages/rewrite-call.ts";
import { jsonOf } from "../messages/message-json.ts";

/** What such a program gives: the names of its tools, and the server that has them. */
export type LocalServer = { readonly names: ReadonlySet<string>; readonly open: () => Promise<Server> };

export class LocalTools {
  private readonly source: LocalServer;
  private server: Promise<Server> | undefined;

  constructor(source: LocalServer) {
    this.source = source;
  }

  get names(): ReadonlySet<string> {
    return this.source.names;
  }

  async definitions(call: Call): Promise<ToolDefinition[]> {
    const listed = JSON.parse(jsonOf(await this.handle(onBehalfOf(call, "tools/list", {})))) as JsonObject;
    const tools = Array.isArray(listed["tools"]) ? listed["tools"] : [];
    return tools.filter(
      (tool): tool is JsonObject & ToolDefinition => isObject(tool) && this.names.has(String(tool["name"])),
    );
  }

  async handle(call: Call): Promise<JsonObject | RawJson> {
    this.server ??= this.source.open();
    return (await this.server).handle(call);
  }
}
