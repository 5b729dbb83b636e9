// What a program needs to offer tools, resources and prompts, and to serve them over stdio. Nothing of HTTP or of
// clients is loaded by importing this: that is most of a server's start-up time.
export { elicitForm, elicitUrl, listRoots, sample } from "./server/ask.ts";
export type { Answers, Ask, Question } from "./server/ask.ts";
export type { Call, ClientFacts, Principal, Service, Session } from "./server/call.ts";
export { InvalidArguments } from "./server/call-tool.ts";
export type { Explain } from "./server/call-tool.ts";
export { failure, image, structured, text } from "./wire/content.ts";
export type { Content, Icon, ResourceContents, TextBlock, ToolResult } from "./wire/content.ts";
export { EncodedText } from "./wire/encoded-text.ts";
export type { Context, LogLevel } from "./server/context.ts";
export { serveConnection } from "./server/connection.ts";
export type { ConnectionOptions } from "./server/connection.ts";
export { isObject, RawJson } from "./wire/json-value.ts";
export type { Json, JsonObject } from "./wire/json-value.ts";
export type { Complete, Prompt, PromptMessage, Resource, ResourceTemplate } from "./server/resource.ts";
export { LEGACY_REVISIONS, META, MODERN_REVISIONS, TASKS_EXTENSION } from "./wire/revisions.ts";
export type { Revision } from "./wire/revisions.ts";
export {
  CAPABILITY_MISSING,
  ConnectionError,
  HEADER_MISMATCH,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  TooManyClients,
  PARSE_ERROR,
  RESOURCE_NOT_FOUND,
  RpcError,
  CancelledByPeer,
  URL_ELICITATION_REQUIRED,
  VERSION_UNSUPPORTED,
} from "./wire/rpc-error.ts";
export { array, boolean, integer, number, object, oneOf, optional, raw, record, string } from "./server/schema.ts";
export type { Infer, Parsed, Schema } from "./server/schema.ts";
export { createServer } from "./server/server.ts";
export type { Server, ServerOptions } from "./server/server.ts";
export {
  isShared,
  ANONYMOUS_OWNER,
  ownerWithHandle,
  principalOf,
  SESSION_KEY,
  withHandle,
  withState,
} from "./server/session-handle.ts";
export { messagesIn, stdioTransport } from "./wire/stdio.ts";
export { defineTool } from "./server/tool.ts";
export type { Tool } from "./server/tool.ts";
export { transportPair } from "./wire/transport.ts";
export type { Transport } from "./wire/transport.ts";
