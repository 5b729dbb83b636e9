// A tool: one description that is published, parsed with and typed by. See call-tool.ts for how it runs.
import type { Context } from "./context.ts";
import type { Icon, ToolResult } from "../wire/content.ts";
import type { JsonObject } from "../wire/json-value.ts";
import type { Schema } from "./schema.ts";

/** The suite of clients out there accepts 64; the protocol itself says 128. */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

export type Tool<Input = unknown> = {
  name: string;
  title?: string;
  description: string;
  input: Schema<Input>;
  /** With it, every successful result carries `structuredContent` of this shape. */
  output?: Schema<unknown>;
  /** Hints for people; no client may trust them. */
  readOnly?: boolean;
  destructive?: boolean;
  idempotent?: boolean;
  openWorld?: boolean;
  icons?: Icon[];
  /**
   * May it, or must it, run as a task that outlives the request? With "by itself" the tool calls
   * `context.becomeTask()` when it has asked all it must ask first.
   */
  task?: "optional" | "required" | "by itself";
  meta?: JsonObject;
  // A method, not a property: so that tools of different inputs fit in one list.
  run(input: Input, context: Context): Promise<ToolResult> | ToolResult;
};

export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  if (!NAME.test(tool.name))
    throw new Error(`${JSON.stringify(tool.name)} is not a tool name: 1 to 64 of A-Z a-z 0-9 _ . -`);
  if (tool.input.json["type"] !== "object") throw new Error(`${tool.name}: the input schema must be an object`);
  return tool;
}
