// Looking at a file or directory: text with numbers, a tree, an image, or a word on what it is.
import path from "node:path";
import {
  EngineError,
  drawTree,
  fingerprintFrom,
  isPlain,
  kindOfFile,
  listTree,
  loadImage,
  openForReading,
  readLines,
} from "@bosun/engine";
import type { LineRange, LinesRead, OpenFile, ScopedPath, TextEncoding } from "@bosun/engine";
import { EncodedText, text } from "@bosun/mcp/server";
import type { TextBlock, ToolResult } from "@bosun/mcp/server";
import type { ToolCall } from "../../calls/tool-definition.ts";
import { numberedJson, numberedLines } from "./numbered-lines.ts";

/** 2,000 lines of 2,000 characters fit; a range that is more than a client takes at once does not. */
const LINES = { maxLines: 2000, maxLineChars: 2000, maxTextBytes: 4_200_000 };
const LISTING = { depth: 2, maxEntries: 2000, hidden: [".git", "node_modules"] };

/** From here on it pays to send the text while it is made. */
const LONG_BYTES = 64 * 1024;

export async function viewPath(wanted: readonly number[] | undefined, call: ToolCall): Promise<ToolResult> {
  const place = call.place();
  const range = rangeOf(wanted);
  if (place.entry?.kind === "directory") return listing(place, call);
  using file = openForReading(place);
  return await viewFile(file, range, call);
}

async function viewFile(file: OpenFile, range: LineRange | undefined, call: ToolCall): Promise<ToolResult> {
  const kind = kindOfFile(file);
  switch (kind.kind) {
    case "image": {
      const { base64 } = await loadImage(file, limitsOf(call));
      noteWhole(file, call);
      return { content: [{ type: "image", data: base64, mimeType: kind.mimeType }] };
    }
    case "svg": {
      const { base64 } = await loadImage(file, limitsOf(call));
      const source = await lines(file, "utf-8", range, call);
      return {
        content: [{ type: "image", data: base64, mimeType: "image/svg+xml" }, source],
      };
    }
    case "binary":
      noteWhole(file, call);
      return text(`Binary file (${sizeText(file.size)})`);
    case "text":
      return { content: [await lines(file, kind.encoding, range, call)] };
  }
}

async function lines(
  file: OpenFile,
  encoding: TextEncoding,
  range: LineRange | undefined,
  call: ToolCall,
): Promise<TextBlock> {
  return shown(await readLines(file, { encoding, range, ...LINES, ...limitsOf(call) }), file, call);
}

function shown(read: LinesRead, file: OpenFile, call: ToolCall): TextBlock {
  call.session.viewed.note(file.path, read.fingerprint);
  const { runs, totalLines, more } = read;
  const note = more ? `\n[Truncated: file has ${totalLines} lines. Use view_range to read specific sections.]` : "";
  const size = runs.reduce((sum, run) => sum + (isPlain(run) ? run.bytes.length : run.text.length), 0);
  if (size >= LONG_BYTES) return new EncodedText(size, () => numberedJson(runs, note));
  return { type: "text", text: numberedLines(read.lines) + note };
}

async function listing(place: ScopedPath, call: ToolCall): Promise<ToolResult> {
  const tree = await listTree(place, { ...LISTING, signal: call.context.signal });
  return text(drawTree(path.basename(place.path), tree));
}

function noteWhole(file: OpenFile, call: ToolCall): void {
  call.session.viewed.note(file.path, fingerprintFrom(file.stat, undefined));
}

function limitsOf(call: ToolCall): { maxBytes: number; signal: AbortSignal } {
  return { maxBytes: call.state.config.maxFileBytes, signal: call.context.signal };
}

// An end of -1 means "to the end" for clients trained on the combined editor; the schema of `view` does not offer it.
function rangeOf(range: readonly number[] | undefined): LineRange | undefined {
  if (range === undefined) return undefined;
  const [first = 1, last = 1] = range;
  if (range.length !== 2) {
    throw new EngineError("RANGE_INVALID", `invalid view_range: expected [start, end], got ${range.length} items`);
  }
  if (first < 1) throw new EngineError("RANGE_INVALID", `invalid view_range: start must be >= 1, got ${first}`);
  if (first > last) throw new EngineError("RANGE_INVALID", `invalid view_range: start ${first} > end ${last}`);
  return { first, last };
}

const UNITS = ["KB", "MB", "GB"] as const;

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  let size = bytes / 1024;
  let unit = 0;
  for (; size >= 1024 && unit < UNITS.length - 1; unit += 1) size /= 1024;
  return `${size.toFixed(1)} ${UNITS[unit]}`;
}
