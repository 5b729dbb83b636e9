// What a form is: a way to write a text in fewer tokens that a reader understands at first sight, and the exact way back.

/** `phrase`: what the mark says of the lines below; empty where no mark is needed. `layout`: white space, beside the text. */
export type Folded = { phrase: string; body: string; layout?: string };

export type Form = {
  /** As the note beside the text names it. */
  name: string;
  /** undefined: the text is not of this kind. */
  fold(text: string): Folded | undefined;
  /** The exact inverse. Throws UnfoldError on what `fold` never writes. */
  unfold(folded: Folded): string;
};

export class UnfoldError extends Error {
  override name = "UnfoldError";
}

/** What a damaged or hostile text may unfold to. */
export const MAX_UNFOLDED_CHARS = 64 << 20;
