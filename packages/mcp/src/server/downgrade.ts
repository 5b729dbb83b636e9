// Tools and their results as each revision can read them: newer members are left out for older clients.
import type { Content, ToolResult } from "../wire/content.ts";
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import { atLeast } from "../wire/revisions.ts";
import type { Revision } from "../wire/revisions.ts";
import type { PromptMessage } from "./resource.ts";
import type { Tool } from "./tool.ts";

export function toolDefinition(tool: Tool, revision: Revision): JsonObject {
  const has = (since: Revision): boolean => atLeast(revision, since);
  const definition: JsonObject = { name: tool.name };
  if (tool.title !== undefined && has("2025-06-18")) definition["title"] = tool.title;
  definition["description"] = tool.description;
  definition["inputSchema"] = tool.input.json;
  const output = tool.output?.json;
  // Below 2026-07-28 structured content is an object, so another kind of schema must not be promised.
  if (output && has(output["type"] === "object" ? "2025-06-18" : "2026-07-28")) definition["outputSchema"] = output;
  const annotations = annotationsOf(tool, revision);
  if (annotations) definition["annotations"] = annotations;
  if (tool.icons && has("2025-11-25")) definition["icons"] = tool.icons;
  if (tool.task && revision === "2025-11-25") {
    definition["execution"] = { taskSupport: tool.task === "required" ? "required" : "optional" };
  }
  if (tool.meta && has("2025-06-18")) definition["_meta"] = tool.meta;
  return definition;
}

export function toolResultFor(result: ToolResult, revision: Revision): JsonObject {
  const { content, structuredContent, isError, _meta } = result;
  const wire: JsonObject = {
    content: (revision === "2025-03-26" ? content.map(linkAsText) : content) as Json[],
  };
  if (structuredContent !== undefined && revision !== "2025-03-26") {
    if (isObject(structuredContent) || revision === "2026-07-28") wire["structuredContent"] = structuredContent;
  }
  if (isError) wire["isError"] = true;
  if (_meta) wire["_meta"] = _meta;
  for (const name in result) {
    if (!OWN.has(name) && !(name in wire)) wire[name] = (result as JsonObject)[name];
  }
  return wire;
}

/** A prompt's messages have the same closed list of block types in 2025-03-26. */
export function promptFor(prompt: { description?: string; messages: PromptMessage[] }, revision: Revision): JsonObject {
  if (revision !== "2025-03-26") return prompt as JsonObject;
  const messages = prompt.messages.map((message) => ({ ...message, content: linkAsText(message.content) }));
  return { ...prompt, messages } as JsonObject;
}

const OWN = new Set(["content", "structuredContent", "isError", "_meta"]);

function annotationsOf(tool: Tool, revision: Revision): JsonObject | undefined {
  const hints: JsonObject = {};
  if (tool.title !== undefined && revision === "2025-03-26") hints["title"] = tool.title;
  if (tool.readOnly !== undefined) hints["readOnlyHint"] = tool.readOnly;
  if (tool.destructive !== undefined) hints["destructiveHint"] = tool.destructive;
  if (tool.idempotent !== undefined) hints["idempotentHint"] = tool.idempotent;
  if (tool.openWorld !== undefined) hints["openWorldHint"] = tool.openWorld;
  return Object.keys(hints).length === 0 ? undefined : hints;
}

// 2025-03-26 has a closed list of block types, and resource_link is not among them.
function linkAsText(block: Content): Content {
  if (block.type !== "resource_link") return block;
  return { type: "text", text: `${block.title ?? block.name}: ${block.uri}` };
}
