// Foreign text of several lines → rows behind a lead of ours: whatever it holds, nothing of it stands at the edge of the
// screen, where our own lines begin.
import { makeScreenSafe } from "@bosun/platform/safe-text";
import { withoutTabs, wrap, widthOf } from "./text-layout.ts";
import type { Frames, Style } from "./style.ts";

/** What of a terminal decides how text is laid out on it. */
export type Screen = { readonly frames: Frames; readonly style: Style; readonly columns: number };

type RowOptions = {
  /** Stands before every row, e.g. the side of a frame. */
  lead: string;
  columns: number;
  style: Style;
  maxLineChars?: number;
};

/** Behind the side of a frame. */
export function framedText({ frames, style, columns }: Screen, text: string, maxLineChars?: number): string[] {
  const limit = maxLineChars === undefined ? {} : { maxLineChars };
  return foreignRows(text, { lead: style.dim(frames.side), columns, style, ...limit });
}

function foreignRows(text: string, options: RowOptions): string[] {
  const { lead, columns, style, maxLineChars = 100_000 } = options;
  const width = columns - 1 - widthOf(lead);
  return text.split(/\r?\n/).flatMap((line) => {
    const mark = style.mark === undefined ? {} : { mark: style.mark };
    const { text: safe } = makeScreenSafe(line, { maxChars: maxLineChars, ...mark });
    return wrap(withoutTabs(safe), width).map((row) => lead + row);
  });
}
