// What a program needs to offer tools, resources and prompts, and to serve them over stdio. Nothing of HTTP or of
// clients is loaded by importing this: that is most of a server's start-up time.
export { elicitForm, elicitUrl, listRoots, sample } from "./ask.ts";
export type { Answers, Ask, Question } from "./ask.ts";
export type { Call, ClientFacts, Principal, Service, Session } from "./call.ts";
export { InvalidArguments } from "./call-tool.ts";
export type { Explain } from "./call-tool.ts";
export { failure, image, structured, text } from "./content.ts";
export type { Content, Icon, ResourceContents, TextBlock, ToolResult } from "./content.ts";
export type { Context, LogLevel } from "./context.ts";
export { serveConnection } from "./connection.ts";
export { isObject, RawJson } from "./json.ts";
export type { Json, JsonObject } from "./json.ts";
export type { Complete, Prompt, PromptMessage, Resource, ResourceTemplate } from "./resource.ts";
export { LEGACY_REVISIONS, META, MODERN_REVISIONS, TASKS_EXTENSION } from "./revisions.ts";
export type { Revision } from "./revisions.ts";
export {
  CAPABILITY_MISSING,
  ConnectionError,
  HEADER_MISMATCH,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RESOURCE_NOT_FOUND,
  RpcError,
  URL_ELICITATION_REQUIRED,
  VERSION_UNSUPPORTED,
} from "./rpc-error.ts";
export { array, boolean, integer, number, object, oneOf, optional, raw, record, string } from "./schema.ts";
export type { Infer, Parsed, Schema } from "./schema.ts";
export { createServer } from "./server.ts";
export type { Server, ServerOptions } from "./server.ts";
export { stdioTransport } from "./stdio.ts";
export { defineTool } from "./tool.ts";
export type { Tool } from "./tool.ts";
export { transportPair } from "./transport.ts";
export type { Transport } from "./transport.ts";
