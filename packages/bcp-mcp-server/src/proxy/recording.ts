// --record: the results of a session, as the servers gave them, as one BCP payload. Written whole at the end, or not.
import path from "node:path";
import { blocksOf, DEFAULT_THRESHOLD, shownText } from "@bosun/shrink";
import type { ToolResult } from "@bosun/shrink";
import { writeWhole } from "./state-file.ts";

/** Kept in memory until the end; what comes after is counted, and the last block says how much it was. */
const MAX_CHARS = 64 * 1024 * 1024;

type Recorded = { tool: string; status: "ok" | "error"; text: string };

export class Recording {
  readonly file: string;
  private readonly threshold: number;
  private readonly maxChars: number;
  private readonly texts: Recorded[] = [];
  private chars = 0;
  private missed = 0;

  constructor(file: string, threshold: number = DEFAULT_THRESHOLD, maxChars: number = MAX_CHARS) {
    this.file = path.resolve(file);
    this.threshold = threshold;
    this.maxChars = maxChars;
  }

  add(tool: string, { content, isError }: ToolResult): void {
    for (const block of Array.isArray(content) ? content : []) {
      const text = shownText(block);
      if (text === undefined) continue;
      if (this.chars + text.length > this.maxChars) this.missed++;
      else {
        this.chars += text.length;
        this.texts.push({ tool, status: isError === true ? "error" : "ok", text });
      }
    }
  }

  /** What was written, in words. */
  async write(): Promise<string> {
    const { encode } = await import("@bosun/bcp");
    // Typed here and not while somebody waits for an answer.
    const blocks = this.texts.flatMap(({ tool, status, text }) =>
      blocksOf(text, { toolName: tool, status, threshold: this.threshold }),
    );
    if (this.missed > 0) {
      const content = new TextEncoder().encode(
        `${this.missed} further results were not recorded: the limit was reached`,
      );
      blocks.push({ type: "tool_result", toolName: "bosun", status: "error", content });
    }
    const bytes = await encode(blocks, { compressBlocks: true });
    writeWhole(this.file, bytes);
    return `${this.texts.length} results in ${blocks.length} blocks, ${bytes.length} bytes: ${this.file}`;
  }
}
