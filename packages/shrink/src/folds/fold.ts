// What a fold is: a way to write a text in fewer tokens, and the exact way back.

/**
 * A text after a fold. `text` holds every visible character, so a model has everything before it; `layout` holds at
 * most the white space that a pretty-printer put between them, and travels beside the text.
 */
export type Folded = { text: string; layout?: string };

export type Fold = {
  /** As it stands in the mark, or in the layout where there is no mark. */
  name: string;
  /** undefined: this text is not of the fold's kind. */
  fold(text: string): Folded | undefined;
  /** The exact inverse. Throws UnfoldError when the text is not what `fold` writes. */
  unfold(folded: Folded): string;
  /** Whether `unfold` gives this text, where that can be told without making it. Throws as `unfold` does. */
  unfoldsTo?(folded: Folded, text: string): boolean;
};

export class UnfoldError extends Error {
  override name = "UnfoldError";
}
