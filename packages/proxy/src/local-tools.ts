// The tools for .bcp files, offered beside a server's own: loaded when somebody lists or calls them.
import { statSync } from "node:fs";
import { isObject } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson, Server } from "@bosun/mcp/server";
import type { ToolDefinition } from "@bosun/shrink";
import { parseConfig, UsageError } from "../config.ts";
import type { Config } from "../config.ts";
import { onBehalf } from "./readdressed.ts";
import { textOf } from "./rebuilt.ts";

const NAMES = new Set(["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"]);

export class LocalTools {
  private readonly config: Config;
  private server: Promise<Server> | undefined;

  /** Throws UsageError: what is wrong with the environment or a folder is said at the start. */
  constructor(allowDirs: readonly string[]) {
    const missing = allowDirs.find((folder) => !isFolder(folder));
    if (missing !== undefined) throw new UsageError(`--allow-dir ${missing}: no such folder`);
    this.config = parseConfig(
      allowDirs.flatMap((folder) => ["--allow-dir", folder]),
      process.env,
    );
  }

  has(name: unknown): boolean {
    return typeof name === "string" && NAMES.has(name);
  }

  async definitions(call: Call): Promise<ToolDefinition[]> {
    const listed = JSON.parse(textOf(await this.handle(onBehalf(call, "tools/list", {})))) as JsonObject;
    const tools = Array.isArray(listed["tools"]) ? listed["tools"] : [];
    return tools.filter((tool): tool is JsonObject & ToolDefinition => isObject(tool) && this.has(tool["name"]));
  }

  async handle(call: Call): Promise<JsonObject | RawJson> {
    this.server ??= this.start();
    return (await this.server).handle(call);
  }

  private async start(): Promise<Server> {
    return (await import("../reader.ts")).createReader(this.config);
  }
}

function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch {
    return false;
  }
}
