// One rendering, block by block.

import type { Block } from "../blocks/all.ts";
import type { Decision } from "../budget.ts";
import { RenderError } from "../failure.ts";
import { BlockTexts, describe } from "./block-text.ts";
import type { Part } from "./joined.ts";
import { markdown } from "./markdown.ts";
import { minimal } from "./minimal.ts";
import { isShown } from "./mode.ts";
import type { Format, Mode, ShownBlock } from "./mode.ts";
import type { RenderOptions } from "./options.ts";
import { OutputSize } from "./output-size.ts";
import { xml } from "./xml.ts";

const SEPARATOR = "\n\n";
const FORMATS: Readonly<Record<Mode, Format>> = { xml, markdown, minimal };

/** What became of a block. `tokens` is known where a budget was spent. */
export type Outcome = { readonly decision: Decision; readonly tokens: number | undefined };

export class Rendering {
  private readonly options: RenderOptions;
  private readonly plan: readonly Outcome[] | undefined;
  private readonly format: Format;
  private readonly texts: BlockTexts;
  private readonly size = new OutputSize();
  private position = 0;
  private isEmpty = true;

  /**
   * `plan`: what becomes of the blocks that are shown, in their order; where there is none, all are shown in full. `texts`:
   * what was spelled out already.
   */
  constructor(options: RenderOptions, plan?: readonly Outcome[], texts: BlockTexts = new BlockTexts()) {
    this.options = options;
    this.plan = plan;
    this.texts = texts;
    this.format = FORMATS[options.mode ?? "xml"];
  }

  /** Adds the block's text to `parts`. Undefined for a block that is not shown. */
  add(parts: Part[], block: Block): Outcome | undefined {
    if (!isShown(block, this.options.include)) return undefined;
    const planned = this.plan?.[this.position] ?? { decision: this.unplanned(block), tokens: undefined };
    const start = parts.length;
    const decision = this.put(parts, block, planned);
    this.position++;
    if (parts.length > start) {
      this.isEmpty = false;
      this.size.count(block, parts, start);
    }
    return { decision, tokens: planned.tokens };
  }

  /** Call it once, last. Throws if nothing was rendered. */
  end(parts: Part[]): void {
    if (this.isEmpty) throw new RenderError("EmptyInput", "no blocks to render");
    parts.push(this.format.close);
  }

  private unplanned(block: ShownBlock): Decision {
    return this.options.verbosity === "summary" && block.summary !== undefined ? "summary" : "full";
  }

  private put(parts: Part[], block: ShownBlock, { decision, tokens }: Outcome): Decision {
    if (decision === "omit") return decision;
    const { format, texts, options } = this;
    const lead = this.isEmpty ? format.open : SEPARATOR;
    const omitted = (): string => {
      const { label, description } = describe(block);
      return lead + format.placeholder(label, description, tokens ?? texts.tokens(block));
    };
    if (decision === "placeholder") {
      parts.push(omitted());
      return decision;
    }
    if (decision === "summary" && block.summary !== undefined) {
      if (block.type === "code" || options.summaries === "all") {
        parts.push(lead + format.summary(block, block.summary));
        return decision;
      }
      // Charged as a summary, printed in full: the reference's way, and its snapshots' (D-22).
    }
    const [before, after] = format.full(block);
    const start = parts.length;
    parts.push(lead + before);
    if (texts.addTo(parts, block)) {
      parts.push(after);
      return "full";
    }
    parts.length = start;
    if (block.type === "image" && options.binaryImages === "placeholder") {
      parts.push(omitted());
      return "placeholder";
    }
    const message = `invalid UTF-8 in block content at index ${this.position}`;
    throw new RenderError("InvalidContent", message, this.position);
  }
}
