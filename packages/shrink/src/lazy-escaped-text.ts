// A long text in its disguise, made when somebody reads it. A proxy does not: it puts the disguise into the JSON that it
// passes on, and another text of ten million characters would take longer than everything else.
import { disguised, lengthInDisguise } from "./escape.ts";
import type { ContentBlock } from "./tool-result.ts";

export class DisguisedLater {
  readonly variant: number;
  readonly length: number;
  readonly #text: string;
  #made: string | undefined;

  constructor(text: string, variant: number) {
    this.#text = text;
    this.variant = variant;
    this.length = lengthInDisguise(text, variant);
  }

  /** The block with this text. */
  within(block: ContentBlock): ContentBlock {
    const copy = { ...block };
    return Object.defineProperty(copy, "text", { enumerable: true, configurable: true, get: () => this.toString() });
  }

  toString(): string {
    return (this.#made ??= disguised(this.#text, this.variant));
  }
}
