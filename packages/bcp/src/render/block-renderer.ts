// One rendering, block by block.

import { RenderError } from "../bcp-errors.ts";
import type { Block } from "../block-types.ts";
import { repeatAtOnce } from "../cooperative-work.ts";
import type { More } from "../cooperative-work.ts";
import type { Decision } from "../token-budget.ts";
import { BlockTexts, hasManyParts, isText } from "./block-text.ts";
import { markdown } from "./markdown.ts";
import { minimal } from "./minimal.ts";
import { isShown } from "./render-mode.ts";
import type { Format, Mode, ShownBlock } from "./render-mode.ts";
import type { RenderOptions } from "./render-options.ts";
import type { Part, Write } from "./text-buffer.ts";
import { xml } from "./xml.ts";

const SEPARATOR = "\n\n";
const FORMATS: Readonly<Record<Mode, Format>> = { xml, markdown, minimal };

/** What became of a block. `tokens` is known where a budget was spent. */
export type Outcome = { readonly decision: Decision; readonly tokens: number | undefined };

// Made once, for all of the many blocks.
const WHOLE: Outcome = { decision: "full", tokens: undefined };
const SUMMARISED: Outcome = { decision: "summary", tokens: undefined };

/** What becomes of each block that is shown, by its number among all. */
export type Plan = { outcome(index: number): Outcome | undefined };

export class BlockRenderer {
  private readonly options: RenderOptions;
  private readonly plan: Plan | undefined;
  private readonly format: Format;
  private readonly texts = new BlockTexts();
  private readonly size = new OutputSize();
  private write: Write = () => {};
  private readonly words = (text: string): void => {
    this.size.made(text.length, "words");
    this.write(text);
  };
  private readonly content = (part: Part): void => {
    this.size.made(part.length, "content");
    this.write(part);
  };
  private index = 0;
  /** Among those that are shown. */
  private position = 0;
  private isEmpty = true;
  private left: { readonly block: ShownBlock; readonly more: More } | undefined;

  /** Where there is no plan, all blocks are shown in full. */
  constructor(options: RenderOptions, plan?: Plan) {
    this.options = options;
    this.plan = plan;
    this.format = FORMATS[options.mode ?? "xml"];
  }

  /** Writes the block's text and says what became of it: undefined for a block that is not shown. */
  add(block: Block, write: Write): Outcome | undefined {
    const outcome = this.begin(block, write);
    repeatAtOnce(this.more);
    return outcome;
  }

  /** The same, but for what `more` writes then. */
  begin(block: Block, write: Write): Outcome | undefined {
    const index = this.index++;
    if (!isShown(block, this.options.include)) return undefined;
    const planned = this.plan?.outcome(index) ?? this.unplanned(block);
    this.write = write;
    const decision = planned.decision === "omit" ? "omit" : this.put(block, planned);
    this.position++;
    return decision === planned.decision ? planned : { decision, tokens: planned.tokens };
  }

  /** What stands behind the last block. Throws if nothing was rendered. */
  end(): string {
    if (this.isEmpty) throw new RenderError("EmptyInput", "no blocks to render");
    return this.format.close;
  }

  private unplanned(block: ShownBlock): Outcome {
    return this.options.verbosity === "summary" && block.summary !== undefined ? SUMMARISED : WHOLE;
  }

  private put(block: ShownBlock, { decision, tokens }: Outcome): Decision {
    const { format, options } = this;
    this.size.say(block);
    if (decision === "placeholder") return this.omit(block, tokens ?? 0);
    if (decision === "summary" && block.summary !== undefined) {
      if (block.type === "code" || options.summaries === "all") {
        this.lead();
        format.summary(this.words, block, block.summary);
        return decision;
      }
      // Charged as a summary, printed in full: the reference's way, and its snapshots' (D-22).
    }
    if (!isText(block)) {
      if (block.type === "image" && options.binaryImages === "placeholder") {
        return this.omit(block, tokens ?? this.texts.tokens(block));
      }
      const message = `invalid UTF-8 in block content at index ${this.position}`;
      throw new RenderError("InvalidContent", message, this.position);
    }
    this.lead();
    format.before(this.words, block);
    if (hasManyParts(block)) this.left = { block, more: this.texts.writeParts(block, this.content) };
    else {
      this.texts.write(block, this.content);
      format.after(this.words, block);
    }
    return "full";
  }

  /** Writes some of what is left of the block, and says whether there is more. */
  readonly more = (): boolean => {
    const { left } = this;
    if (!left) return false;
    if (left.more()) return true;
    this.format.after(this.words, left.block);
    this.left = undefined;
    return false;
  };

  private omit(block: ShownBlock, tokens: number): Decision {
    this.lead();
    this.format.placeholder(this.words, block, tokens);
    return "placeholder";
  }

  // What separates a block from the one before.
  private lead(): void {
    this.words(this.isEmpty ? this.format.open : SEPARATOR);
    this.isEmpty = false;
  }
}

// Escaping can make attributes six times as long; nothing else grows. Real text never comes near this.
const FREE_GROWTH = 24 * 1024 * 1024;
const GROWTH_FACTOR = 2;
// No string is longer than this on every runtime.
const MAX_CHARS = 500_000_000;

export class OutputSize {
  private written = 0;
  private said = 0;

  /** What the block says: its names and, where they are shown, so many bytes of content. */
  say(block: ShownBlock): void {
    for (const key in block) {
      const value: unknown = Reflect.get(block, key);
      if (typeof value === "string") this.said += value.length;
    }
  }

  /** A piece of what it became: words of ours, or content as it is. */
  made(size: number, what: "words" | "content"): void {
    this.written += size;
    if (what === "content") this.said += size;
    if (this.written <= Math.min(MAX_CHARS, FREE_GROWTH + GROWTH_FACTOR * this.said)) return;
    throw new RenderError("OutputTooLarge", `the text would have more than ${this.written} characters`);
  }
}
