// --record: the results of a session, as the servers gave them, as one BCP payload. Written whole at the end, or not. It
// takes the place of an earlier payload (a client starts us again and again with the same options), and of nothing else.
// Where blocks hold less than was said (fences, a drawn tree, the address of a resource), an ANNOTATION of kind tag on
// the first of them has the content as it came, as JSON; no rendering shows it.
import { accessSync, closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import type { MediaType, NewBlock } from "@bosun/bcp";
import { blocksOf, DEFAULT_THRESHOLD, isCopyOfText, shownText, textOfBlocks } from "@bosun/shrink";
import type { ContentBlock, ToolResult } from "@bosun/shrink";
import { writeWhole } from "../locked-json-file.ts";

/** Kept in memory until the end; what comes after is counted, and the last block says how much it was. */
const MAX_CHARS = 64 * 1024 * 1024;

/** `given`: the content that it was taken from, unless the text is all of it. */
type Part = { text: string; as?: "json" | MediaType; given?: ContentBlock };
type Recorded = Part & { tool: string; status: "ok" | "error" };

/** The one member of a tag that has the content as it came. */
const GIVEN_KEY = "bosun/given";

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
      // The system's reason is what a person can act on.
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** What stands in its place and is not ours to replace. A payload is; anything else is somebody's. */
  obstacle(): string | undefined {
    const there = lstatSync(this.file, { throwIfNoEntry: false });
    if (!there || (there.isFile() && (there.size === 0 || isPayload(this.file)))) return undefined;
    return `${this.file} is there and is no BCP payload: name another file, or move this one away`;
  }

  /** `structured`: the structured content as it was sent. */
  add(tool: string, result: ToolResult, structured?: string): void {
    const status = result.isError === true ? "error" : "ok";
    const parts: Part[] = (Array.isArray(result.content) ? result.content : []).map(partOf);
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
    const blocks: NewBlock[] = [];
    for (const part of this.parts) {
      const own = this.blocksFor(part);
      const given = lostIn(own, part);
      blocks.push(...own);
      if (given !== undefined) blocks.push(tagOn(blocks.length - own.length, part.tool, given));
    }
    if (this.missed > 0) {
      const content = new TextEncoder().encode(
        `${counted(this.missed, "further result")} not recorded: the limit was reached`,
      );
      blocks.push({ type: "tool_result", toolName: "bosun", status: "error", content });
    }
    // A payload holds at least one block; and a session without results is no failure.
    if (blocks.length === 0) return `nothing: no tool said anything, and ${this.file} was not written`;
    const bytes = await encode(blocks, { compressBlocks: true });
    // Again: the session may have lasted for days.
    const obstacle = this.obstacle();
    if (obstacle !== undefined) throw new Error(obstacle);
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
function partOf(given: ContentBlock): Part {
  const text = shownText(given);
  if (text !== undefined) return given.type === "text" && Object.keys(given).length === 2 ? { text } : { text, given };
  const media = given?.type === "image" ? MEDIA[String(given["mimeType"])] : undefined;
  if (media !== undefined && typeof given["data"] === "string") {
    const address = { text: `data:${String(given["mimeType"])};base64,${given["data"]}`, as: media };
    return Object.keys(given).length === 3 ? address : { ...address, given };
  }
  return { text: JSON.stringify(given), as: "json" };
}

/** What was given, if the blocks made of it do not hold all of that. */
function lostIn(blocks: readonly NewBlock[], { text, as, given }: Recorded): ContentBlock | undefined {
  if (given !== undefined || as !== undefined) return given;
  return textOfBlocks(blocks) === text ? undefined : { type: "text", text };
}

// JSON, because it also spells what no UTF-8 can: half a character.
function tagOn(targetBlockId: number, tool: string, content: ContentBlock): NewBlock {
  const value = new TextEncoder().encode(JSON.stringify({ [GIVEN_KEY]: { tool, content } }));
  return { type: "annotation", targetBlockId, kind: "tag", value };
}

/** By how every payload begins (FORMAT.md, header). */
const MAGIC = "BCP\0";

function isPayload(file: string): boolean {
  const start = new Uint8Array(MAGIC.length);
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      readSync(descriptor, start);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false; // what cannot be read is not known to be ours
  }
  return new TextDecoder().decode(start) === MAGIC;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
