// The content of a tool result → text for the model and for the person. What is not text becomes a line that says so, and
// the bytes go where the person can find them.
import { withoutTagCharacters } from "@bosun/platform/safe-text";
import { isObject } from "@bosun/mcp";
import type { Json, JsonObject } from "@bosun/mcp";

const MAX_IMAGE_BYTES = 8 * 1024 * 1024;

export type ResultText = {
  forModel: string;
  forPerson: string;
  /** Data URLs of pictures, for models that see. */
  images: string[];
  warnings: string[];
};

/** Keeps bytes under a name and says which; undefined when nothing is kept. */
export type SaveBytes = (bytes: Uint8Array, mimeType: string) => string | undefined;

export function textOfResult(result: JsonObject, save: SaveBytes): ResultText {
  const blocks = Array.isArray(result["content"]) ? result["content"].filter(isObject) : [];
  const out: ResultText = { forModel: "", forPerson: "", images: [], warnings: [] };
  const forModel: string[] = [];
  const forPerson: string[] = [];
  for (const block of blocks) {
    const text = blockText(block, out, save);
    forPerson.push(text);
    forModel.push(isForPersonOnly(block) ? "[shown to the user]" : text);
  }
  const { structuredContent } = result;
  // Servers repeat the structured content as text: only without text it is news.
  const hasText = blocks.some((block) => block["type"] === "text" && block["text"] !== "");
  if (structuredContent !== undefined && !hasText) {
    const text = JSON.stringify(structuredContent);
    forModel.push(text);
    forPerson.push(text);
  }
  const seen = withoutTagCharacters(forModel.join("\n\n"));
  const note = seen.removed === 0 ? "" : `\n[${seen.removed} invisible characters removed]`;
  out.forModel = `${seen.text}${note}`;
  out.forPerson = forPerson.join("\n\n");
  if (out.forModel.trim() === "" && result["isError"] === true) {
    out.forModel = "The tool reported an error without a message.";
    out.forPerson = out.forModel;
  }
  return out;
}

function blockText(block: JsonObject, out: ResultText, save: SaveBytes): string {
  const { type } = block;
  if (type === "text") return typeof block["text"] === "string" ? block["text"] : "";
  if (type === "image" || type === "audio") return mediaText(type, block, out, save);
  if (type === "resource" && isObject(block["resource"])) return resourceText(block["resource"], save);
  if (type === "resource_link") {
    return `[link ${[block["name"], block["uri"], block["mimeType"]].filter((part) => typeof part === "string").join(" ")}]`;
  }
  const shown = typeof type === "string" ? type.slice(0, 60) : "unknown";
  out.warnings.push(`content of type "${shown}" cannot be shown`);
  return `[content of type "${shown}" not shown]`;
}

function mediaText(kind: string, block: JsonObject, out: ResultText, save: SaveBytes): string {
  const mime = typeof block["mimeType"] === "string" ? block["mimeType"] : "application/octet-stream";
  const bytes = bytesOf(block["data"]);
  if (bytes === undefined) return `[${kind} ${mime}, unreadable]`;
  if (kind === "image" && bytes.length <= MAX_IMAGE_BYTES && /^image\/[a-z0-9.+-]+$/.test(mime)) {
    out.images.push(`data:${mime};base64,${Buffer.from(bytes).toString("base64")}`);
  }
  return `[${kind} ${mime} ${sizeText(bytes.length)}${savedAs(save(bytes, mime))}]`;
}

function resourceText(resource: JsonObject, save: SaveBytes): string {
  const uri = typeof resource["uri"] === "string" ? resource["uri"] : "";
  if (typeof resource["text"] === "string") return `[resource ${uri}]\n${resource["text"]}`;
  const bytes = bytesOf(resource["blob"]);
  const mime = typeof resource["mimeType"] === "string" ? resource["mimeType"] : "application/octet-stream";
  if (bytes === undefined) return `[resource ${uri} ${mime}, unreadable]`;
  return `[resource ${uri} ${mime} ${sizeText(bytes.length)}${savedAs(save(bytes, mime))}]`;
}

function savedAs(name: string | undefined): string {
  return name === undefined ? "" : `, saved as ${name}`;
}

function isForPersonOnly(block: JsonObject): boolean {
  const audience = isObject(block["annotations"]) ? block["annotations"]["audience"] : undefined;
  return Array.isArray(audience) && audience.length > 0 && audience.every((one) => one === "user");
}

function bytesOf(data: Json | undefined): Uint8Array | undefined {
  if (typeof data !== "string" || !/^[A-Za-z0-9+/=\s_-]*$/.test(data)) return undefined;
  return Buffer.from(data, "base64");
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
