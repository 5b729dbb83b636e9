// What stands for a block's content in the modes that write headings, not tags: a summary, or a note that it is left out.

import { describe } from "./summary-and-placeholder.ts";
import type { Format, ShownBlock, Words } from "./render-mode.ts";

export type Heading = (words: Words, block: ShownBlock) => void;

export function summaryUnder(heading: Heading, behind: string): Format["summary"] {
  return (words, block, summary) => {
    heading(words, block);
    words(behind);
    words(summary);
  };
}

export function omitted(before: string, behind: (tokens: number) => string): Format["placeholder"] {
  return (words, block, tokens) => {
    words(before);
    describe(words, block, " ");
    words(behind(tokens));
  };
}
