// --emit bcp: a result as typed BCP blocks, written, read back and rendered. Still under the gate: a rendering leaves
// only when it costs fewer tokens than the text, and the handle beside it gives back every byte.
import { blocksOf, countTokens, DEFAULT_THRESHOLD, escapeMeta, NOTE_KEY, ORIGINAL_KEY, shownText } from "@bosun/shrink";
import type { ContentBlock, FoldNote, Originals, Shrunk, ToolResult } from "@bosun/shrink";
import type { Mode } from "@bosun/bcp";

/** Longer texts pass through, as with folds. */
const MAX_CHARS = 250_000;
/** Where the codec gives up on hostile nesting the text stays as it is. */
type Codec = typeof import("@bosun/bcp");

export class RenderedBlocks {
  private readonly mode: Mode;
  private readonly threshold: number;
  private readonly budget: number;
  private codec: Promise<Codec> | undefined;

  /** `budget`: a rendering of more tokens than this is none; the text is cut instead. */
  constructor(mode: Mode, threshold: number = DEFAULT_THRESHOLD, budget: number = Infinity) {
    this.mode = mode;
    this.threshold = threshold;
    this.budget = budget;
  }

  /** Undefined when no text of the result gets smaller this way. */
  async render(
    originals: Originals,
    client: string,
    toolName: string,
    result: ToolResult,
    json: string,
  ): Promise<Shrunk | undefined> {
    const content = Array.isArray(result.content) ? result.content : [];
    this.codec ??= import("@bosun/bcp");
    const codec = await this.codec;
    const status = result.isError === true ? "error" : "ok";
    const rendered = content.map((block) =>
      isText(block) ? this.smaller(codec, block.text, toolName, status) : undefined,
    );
    if (rendered.every((one) => one === undefined)) return undefined;
    if (content.some((block, at) => isText(block) && this.isOver(block.text, rendered[at]))) return undefined;
    // Stored before anything is emitted that names it.
    const handle = originals.put(client, result, json);
    if (handle === undefined) return undefined;
    const shown = content.map((block, at) => (rendered[at] ? { ...block, text: rendered[at].text } : block));
    const note: FoldNote = { parts: partsOf(shown, rendered) };
    const _meta = { ...(escapeMeta(result._meta) ?? result._meta), [ORIGINAL_KEY]: handle, [NOTE_KEY]: note };
    return {
      result: { ...result, content: shown, _meta },
      changed: true,
      tokensBefore: sum(rendered.map((one) => one?.before ?? 0)),
      tokensAfter: sum(rendered.map((one) => one?.after ?? 0)),
      folds: ["bcp"],
      handle,
      droppedStructured: false,
    };
  }

  private isOver(text: string, rendered: Rendered | undefined): boolean {
    if (this.budget === Infinity) return false;
    return rendered ? rendered.after > this.budget : text.length > this.budget && countTokens(text) > this.budget;
  }

  private smaller(codec: Codec, text: string, toolName: string, status: "ok" | "error"): Rendered | undefined {
    if (text.length > MAX_CHARS) return undefined;
    const blocks = blocksOf(text, { toolName, status, threshold: this.threshold });
    // Without a kind of its own there is nothing to gain: rendering only adds a label.
    if (blocks.every(({ type }) => type === "tool_result")) return undefined;
    let rendered: string;
    try {
      rendered = codec.render(codec.decode(codec.encodePlain(blocks)).blocks, { mode: this.mode });
    } catch (error) {
      if (
        error instanceof codec.EncodeError ||
        error instanceof codec.DecodeError ||
        error instanceof codec.RenderError
      )
        return undefined;
      throw error;
    }
    const before = countTokens(text);
    const after = countTokens(rendered);
    return after < before ? { text: rendered, before, after } : undefined;
  }
}

type Rendered = { text: string; before: number; after: number };

/** Only the original has all of it: `unfold` says so and names the handle. */
function partsOf(content: readonly ContentBlock[], rendered: readonly (Rendered | undefined)[]): FoldNote["parts"] {
  return content.flatMap((block, at) => {
    const text = shownText(block);
    if (text === undefined) return [];
    return [rendered[at] ? { chars: text.length, omitted: true as const } : { chars: text.length }];
  });
}

function isText(block: ContentBlock): block is ContentBlock & { text: string } {
  return typeof block === "object" && block !== null && block.type === "text" && typeof block.text === "string";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
