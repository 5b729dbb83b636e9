// Unified diffs as git prints them: the lines that name a file four times become one. Everything else is untouched, so
// that what comes back applies.
//
//   === src/a.ts 1a2b3c4..5d6e7f8 100644
//   === src/new.ts new 100644 0000000..5d6e7f8
import type { Fold } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";

type Change = "new" | "deleted" | undefined;

// Bounded: a path without end would be tried at every length.
const HEADER =
  /^diff --git a\/([^\n]{1,300}) b\/\1\n(?:(new|deleted) file mode (\d{6})\n)?index ([0-9a-f]+\.\.[0-9a-f]+)( \d{6})?\n--- (a\/\1|\/dev\/null)\n\+\+\+ (b\/\1|\/dev\/null)$/gm;
const SHORT = /^=== ([^\n]{1,300}?)(?: (new|deleted) (\d{6}))? ([0-9a-f]+\.\.[0-9a-f]+)( \d{6})?$/gm;

export const diffHeaders: Fold = {
  name: "diff",
  fold(text) {
    if (!text.includes("diff --git ") || /^=== /m.test(text)) return undefined;
    let headers = 0;
    const body = text.replace(HEADER, (whole, path: string, change: Change, mode: string, index: string, kept = "") => {
      if (/[\n\r]|^\s|\s$/.test(path) || printHeader(path, change, mode, index, kept) !== whole) return whole;
      headers++;
      return `=== ${path}${change === undefined ? "" : ` ${change} ${mode}`} ${index}${kept}`;
    });
    return headers === 0 ? undefined : { text: withMark(this.name, "", body) };
  },
  unfold({ text }) {
    const { body = "" } = readMark(text) ?? {};
    return body.replace(SHORT, (_, path: string, change: Change, mode: string, index: string, kept = "") =>
      printHeader(path, change, mode, index, kept),
    );
  },
};

function printHeader(path: string, change: Change, mode: string, index: string, kept: string): string {
  const created = change === undefined ? "" : `${change} file mode ${mode}\n`;
  const from = change === "new" ? "/dev/null" : `a/${path}`;
  const to = change === "deleted" ? "/dev/null" : `b/${path}`;
  return `diff --git a/${path} b/${path}\n${created}index ${index}${kept}\n--- ${from}\n+++ ${to}`;
}
