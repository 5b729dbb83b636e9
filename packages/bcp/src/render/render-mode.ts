// What a render mode has to say, and how it gets at the text of a block.

import type { Block, BlockType, CodeBlock, UnknownBlock } from "../block-types.ts";

export const MODES = ["xml", "markdown", "minimal"] as const;
export type Mode = (typeof MODES)[number];

/** A block that has a text: everything but annotations. */
export type ShownBlock = Exclude<Block, { type: "annotation" }>;

export function isShown(block: Block, include: ReadonlySet<BlockType> | undefined): block is ShownBlock {
  return block.type !== "annotation" && (include === undefined || include.has(block.type));
}

/** Writes words, piece by piece: one string of them for each of a million blocks would be a lot of garbage. */
export type Words = (text: string) => void;

/** How one mode writes blocks. Nothing in it escapes, trims or re-indents content (D-25). */
export type Format = {
  readonly open: string;
  readonly close: string;
  /** What stands before the block's content, tree or hunks, and behind it. */
  before(words: Words, block: ShownBlock): void;
  after(words: Words, block: ShownBlock): void;
  /** A summary in place of the content. Only CODE blocks have it unless asked for more (D-22). */
  summary(words: Words, block: ShownBlock, summary: string): void;
  /** What stands for a block that does not fit. */
  placeholder(words: Words, block: ShownBlock, tokens: number): void;
};

/** CODE's language in rendered text: numbers and "unknown" have no name. */
export function langText(block: Pick<CodeBlock, "lang">): string {
  return typeof block.lang === "number" || block.lang === "unknown" ? "text" : block.lang;
}

export function typeHex(block: Pick<UnknownBlock, "typeId">): string {
  return block.typeId.toString(16).padStart(2, "0").toUpperCase();
}
