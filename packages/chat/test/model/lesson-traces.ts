// What servers say when they cannot take a request, and the switch that answers it.
import type { Compat } from "../../src/model/compat.ts";

/** The message, the change it asks for, and whether it is about tool turns. */
export const LESSONS: readonly [message: string, change: Partial<Compat>, toolTurns?: boolean][] = [
  ["Unknown parameter: 'stream_options'", { streamOptions: "omit" }],
  ["Only user and assistant roles are supported!", { toolRole: "prefix" }, true],
  ["After the optional system message, conversation roles must alternate user/assistant", { toolRole: "prefix" }, true],
  ["Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.", { toolIds: "short9" }],
  ["This model only supports single tool-calls at once!", { callsPerTurn: "one" }],
  ["messages: text content blocks must be non-empty", { emptyContent: "null" }],
  ["System role not supported", { systemRole: "merge" }],
  ["Missing `reasoning_content` field in the assistant message", { reasoningEcho: "always" }],
  ["Cannot pass both content and thinking in an assistant message with tool calls", { reasoningEcho: "never" }],
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { tokenParam: "max_completion_tokens" },
  ],
  ["Unsupported value: 'temperature' does not support 0.2", { temperature: "omit" }],
  ["registry.ollama.ai/library/x does not support tools", { tools: "off" }],
  ["tools param requires --jinja flag", { tools: "off" }],
  ["Invalid schema for function 'f': moonshot flavored json schema", { schema: "plain" }],
  ["'name' is not permitted in a tool message", { toolNameField: "omit" }, true],
  ["role 'tool' is not supported by this model", { toolRole: "prefix" }, true],
  ["Unexpected role 'tool' after role 'user'", { toolRole: "prefix" }, true],
  ["[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]", { streamOptions: "omit" }],
  ["No endpoints found that support tool use", { tools: "off" }],
  ['"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', { tools: "off" }],
  ["tools.0.custom.input_schema: JSON schema is invalid", { schema: "plain" }],
  ["reasoning_content is not allowed in this request", { reasoningEcho: "never" }],
];
