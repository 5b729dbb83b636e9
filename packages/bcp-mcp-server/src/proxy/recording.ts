// --record: the results of a session, as the servers gave them, as one BCP payload. Written whole at the end, or not.
import { accessSync, constants } from "node:fs";
import path from "node:path";
import type { MediaType, NewBlock } from "@bosun/bcp";
import { blocksOf, DEFAULT_THRESHOLD, isCopyOfText, shownText } from "@bosun/shrink";
import type { ContentBlock, ToolResult } from "@bosun/shrink";
import { writeWhole } from "./state-file.ts";

/** Kept in memory until the end; what comes after is counted, and the last block says how much it was. */
const MAX_CHARS = 64 * 1024 * 1024;

type Recorded = { tool: string; status: "ok" | "error"; text: string; as?: "json" | MediaType };

export class Recording {
  readonly file: string;
  private readonly threshold: number;
  private readonly maxChars: number;
  private readonly parts: Recorded[] = [];
  private results = 0;
  private chars = 0;
  private missed = 0;

  constructor(file: string, threshold: number = DEFAULT_THRESHOLD, maxChars: number = MAX_CHARS) {
    this.file = path.resolve(file);
    this.threshold = threshold;
    this.maxChars = maxChars;
  }

  /** Why nothing can be written there now: better said before the session than after it. */
  problem(): string | undefined {
    try {
      accessSync(path.dirname(this.file), constants.W_OK);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** `structured`: the structured content as it was sent. */
  add(tool: string, result: ToolResult, structured?: string): void {
    const status = result.isError === true ? "error" : "ok";
    const parts = (Array.isArray(result.content) ? result.content : []).map(partOf);
    // What says the same as the text is not said twice.
    if (structured !== undefined && !isCopyOfText(result, () => structured))
      parts.push({ text: structured, as: "json" });
    const chars = parts.reduce((sum, { text }) => sum + text.length, 0);
    if (this.chars + chars > this.maxChars) {
      this.missed++;
      return;
    }
    this.results++;
    this.chars += chars;
    this.parts.push(...parts.map((part) => ({ tool, status, ...part }) as const));
  }

  /** What was written, in words. */
  async write(): Promise<string> {
    const { encode } = await import("@bosun/bcp");
    // Typed here and not while somebody waits for an answer.
    const blocks = this.parts.flatMap((part) => this.blocksFor(part));
    if (this.missed > 0) {
      const content = new TextEncoder().encode(
        `${counted(this.missed, "further result")} not recorded: the limit was reached`,
      );
      blocks.push({ type: "tool_result", toolName: "bosun", status: "error", content });
    }
    // A payload holds at least one block; and a session without results is no failure.
    if (blocks.length === 0) return `nothing: no tool said anything, and ${this.file} was not written`;
    const bytes = await encode(blocks, { compressBlocks: true });
    writeWhole(this.file, bytes);
    return `${counted(this.results, "result")} in ${counted(blocks.length, "block")}, ${bytes.length} bytes: ${this.file}`;
  }

  private blocksFor({ tool, status, text, as }: Recorded): NewBlock[] {
    if (as === undefined) return blocksOf(text, { toolName: tool, status, threshold: this.threshold });
    const content = new TextEncoder().encode(text);
    if (as === "json") return [{ type: "structured_data", format: "json", content }];
    return [{ type: "image", mediaType: as, altText: tool, data: content }];
  }
}

const MEDIA: Readonly<Record<string, MediaType>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/gif": "gif",
  "image/svg+xml": "svg",
  "image/webp": "webp",
};

/** Pictures as addresses that hold them: bytes of a picture cannot be rendered. What has no block of its own as JSON. */
function partOf(block: ContentBlock): { text: string; as?: "json" | MediaType } {
  const text = shownText(block);
  if (text !== undefined) return { text };
  const media = block?.type === "image" ? MEDIA[String(block["mimeType"])] : undefined;
  if (media !== undefined && typeof block["data"] === "string")
    return { text: `data:${String(block["mimeType"])};base64,${block["data"]}`, as: media };
  return { text: JSON.stringify(block), as: "json" };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
