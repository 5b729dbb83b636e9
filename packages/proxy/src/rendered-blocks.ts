// --emit bcp: a result as typed BCP blocks, written, read back and rendered, text by text. A rendering takes the place
// of the folded text only when it costs fewer tokens than what the server sent and hardly more than the fold; the
// handle beside it gives back every byte.
import {
  blocksOf,
  countTokens,
  DEFAULT_THRESHOLD,
  escapeMeta,
  NOTE_KEY,
  ORIGINAL_KEY,
  readNote,
  shownText,
} from "@bosun/shrink";
import type { ContentBlock, FoldNote, NotedPart, Originals, Shrunk, ToolResult } from "@bosun/shrink";
import type { Mode } from "@bosun/bcp";

/** Longer texts pass through, as with folds. */
const MAX_CHARS = 250_000;
/** What types may cost: who asks for them wants them, but asked for fewer tokens first. */
const MOST_PER_FOLDED = 1.25;
/** Where the codec gives up on hostile nesting the text stays as it is. */
type Codec = typeof import("@bosun/bcp");

/** A result as it came, and whose it is. */
export type Given = { result: ToolResult; json: string; toolName: string; client: string };

export class RenderedBlocks {
  private readonly mode: Mode;
  private readonly threshold: number;
  private readonly budget: number;
  private codec: Promise<Codec> | undefined;

  /** `budget`: a rendering of more tokens than this is none. */
  constructor(mode: Mode, threshold: number = DEFAULT_THRESHOLD, budget: number = Infinity) {
    this.mode = mode;
    this.threshold = threshold;
    this.budget = budget;
  }

  /** `folded` with renderings where they are worth it; itself where none is. */
  async render(originals: Originals, given: Given, folded: Shrunk): Promise<Shrunk> {
    this.codec ??= import("@bosun/bcp");
    const codec = await this.codec;
    const { result, toolName } = given;
    const status = result.isError === true ? "error" : "ok";
    const notes = notedParts(folded.result);
    const rendered = contentOf(result).map((block, at) =>
      isText(block)
        ? this.worth(block.text, contentOf(folded.result)[at], notes[at], (text) =>
            this.rendering(codec, text, toolName, status),
          )
        : undefined,
    );
    if (rendered.every((one) => one === undefined)) return folded;
    // Stored before anything is emitted that names it.
    const handle = folded.handle ?? originals.put(given.client, result, given.json);
    if (handle === undefined) return folded;
    return withRenderings(given.result, folded, rendered, notes, handle);
  }

  private worth(
    text: string,
    folded: ContentBlock | undefined,
    note: NotedPart | undefined,
    render: (text: string) => string | undefined,
  ): Rendered | undefined {
    // Foreign marks wear a disguise in the fold; in a rendering they would pass for ours.
    if (text.length > MAX_CHARS || note?.escaped !== undefined) return undefined;
    const shown = render(text);
    if (shown === undefined) return undefined;
    const [before, after] = [countTokens(text), countTokens(shown)];
    if (after >= before || after > this.budget) return undefined;
    // What was cut for the budget is no measure: a rendering that fits leaves nothing out.
    const isDear = note?.omitted !== true && after > MOST_PER_FOLDED * countTokens(String(folded?.text));
    return isDear ? undefined : { text: shown, before, after };
  }

  private rendering(codec: Codec, text: string, toolName: string, status: "ok" | "error"): string | undefined {
    const blocks = blocksOf(text, { toolName, status, threshold: this.threshold, compact: true });
    // Without a kind of its own there is nothing to gain: rendering only adds a label.
    if (blocks.every(({ type }) => type === "tool_result")) return undefined;
    try {
      return codec.render(codec.decode(codec.encodePlain(blocks)).blocks, { mode: this.mode });
    } catch (error) {
      if (
        error instanceof codec.EncodeError ||
        error instanceof codec.DecodeError ||
        error instanceof codec.RenderError
      )
        return undefined;
      throw error;
    }
  }
}

type Rendered = { text: string; before: number; after: number };

function withRenderings(
  given: ToolResult,
  folded: Shrunk,
  rendered: readonly (Rendered | undefined)[],
  notes: readonly (NotedPart | undefined)[],
  handle: string,
): Shrunk {
  const content = contentOf(folded.result).map((block, at) => {
    const one = rendered[at];
    return one ? { ...block, text: one.text } : block;
  });
  // Only the original has all of a rendering: `unfold` says so and names the handle.
  const parts = content.flatMap((block, at): NotedPart[] => {
    const chars = shownText(block)?.length;
    if (chars === undefined) return [];
    if (rendered[at]) return [{ chars, omitted: true }];
    return [notes[at] ?? (isText(block) ? { chars } : { chars, foreign: true })];
  });
  const note: FoldNote = { ...readNote(folded.result._meta), parts };
  const foreign = folded.changed ? folded.result._meta : (escapeMeta(given._meta) ?? given._meta);
  const isOnly = rendered.every((one, at) => one !== undefined || notes[at]?.folded === undefined);
  const folds = folded.folds.filter((fold) => !isOnly || fold === "structured");
  return {
    ...folded,
    result: { ...folded.result, content, _meta: { ...foreign, [ORIGINAL_KEY]: handle, [NOTE_KEY]: note } },
    changed: true,
    tokensBefore: sum(rendered.map((one) => one?.before ?? 0)),
    tokensAfter: sum(rendered.map((one) => one?.after ?? 0)),
    folds: [...folds, "bcp"],
    handle,
  };
}

/** What the way back of a folded result is, block by block. */
function notedParts(folded: ToolResult): (NotedPart | undefined)[] {
  const parts = [...(readNote(folded._meta)?.parts ?? [])];
  return contentOf(folded).map((block) => (shownText(block) === undefined ? undefined : parts.shift()));
}

function contentOf({ content }: ToolResult): ContentBlock[] {
  return Array.isArray(content) ? content : [];
}

function isText(block: ContentBlock): block is ContentBlock & { text: string } {
  return typeof block === "object" && block !== null && block.type === "text" && typeof block.text === "string";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
