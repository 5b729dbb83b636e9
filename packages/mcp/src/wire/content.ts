// What tools, prompts and resources say: content blocks, and the makers of tool results.
import type { Json, JsonObject } from "./json-value.ts";

export type Annotations = { audience?: ("user" | "assistant")[]; priority?: number; lastModified?: string };
export type Icon = { src: string; mimeType?: string; sizes?: string[]; theme?: "light" | "dark" };

export type ResourceContents = { uri: string; mimeType?: string; _meta?: JsonObject } & (
  { text: string; blob?: never } | { blob: string; text?: never }
);

type Block<Type extends string, Members> = { type: Type; annotations?: Annotations; _meta?: JsonObject } & Members;
export type TextBlock = Block<"text", { text: string }>;
export type ImageBlock = Block<"image", { data: string; mimeType: string }>;
type AudioBlock = Block<"audio", { data: string; mimeType: string }>;
type EmbeddedResource = Block<"resource", { resource: ResourceContents }>;
type ResourceLink = Block<
  "resource_link",
  { uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number }
>;
export type Content = TextBlock | ImageBlock | AudioBlock | EmbeddedResource | ResourceLink;

export type ToolResult = { content: Content[]; structuredContent?: Json; isError?: boolean; _meta?: JsonObject };

export function text(value: string): ToolResult {
  return { content: [{ type: "text", text: value }] };
}

/** A failure the model can read and act on: a result, never a JSON-RPC error. */
export function failure(message: string): ToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** Data for programs, repeated as text for models whose client shows them only text. */
export function structured(value: Json): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

export function image(bytes: Uint8Array, mimeType: string): ImageBlock {
  return { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType };
}
