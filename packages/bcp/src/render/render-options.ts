// What a caller can ask of a rendering.

import type { BlockType } from "../block-types.ts";
import type { Mode } from "./render-mode.ts";

export const VERBOSITIES = ["full", "summary", "adaptive"] as const;
export type Verbosity = (typeof VERBOSITIES)[number];

export type RenderOptions = {
  readonly mode?: Mode;
  /** `adaptive` (the default) obeys a budget; `summary` and `full` do not look at it. */
  readonly verbosity?: Verbosity;
  /** Tokens; approximate. */
  readonly budget?: number;
  readonly include?: ReadonlySet<BlockType>;
  /** `code` (the default, and the reference's way): only CODE blocks are shown by their summary. `all`: any block. */
  readonly summaries?: "code" | "all";
  /** What becomes of an image that is no text: the whole rendering fails (the reference's way), or a placeholder. */
  readonly binaryImages?: "error" | "placeholder";
};

/** The budget that decides what is shown, if one does. */
export function budgetOf({ verbosity = "adaptive", budget }: RenderOptions): number | undefined {
  return verbosity === "adaptive" ? budget : undefined;
}
