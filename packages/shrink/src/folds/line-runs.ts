// The same line many times in a row: once, with how often it came.
//
//   [bosun:runs]
//   ×12 Waiting for the server…
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";

const SIGN = "×";
const MIN_RUN = 3;
/** What a damaged or hostile text may unfold to. */
const MAX_CHARS = 64 << 20;

export const lineRuns: Fold = {
  name: "runs",
  fold(text) {
    if (text.startsWith(SIGN) || text.includes(`\n${SIGN}`)) return undefined;
    const lines = linesOf(text);
    const out: string[] = [];
    for (let i = 0; i < lines.length;) {
      let end = i + 1;
      while (end < lines.length && lines[end] === lines[i]) end++;
      const line = lines[i] ?? "";
      if (end - i >= MIN_RUN) out.push(`${SIGN}${end - i} ${line}`);
      else for (let k = i; k < end; k++) out.push(line);
      i = end;
    }
    return out.length === lines.length ? undefined : { text: withMark(this.name, "", out.join("\n")) };
  },
  unfold({ text }) {
    const { body = "" } = readMark(text) ?? {};
    const out: string[] = [];
    let chars = 0;
    for (const line of body.split("\n")) {
      const [, times, repeated = ""] = /^×(\d{1,9}) ([^]*)$/.exec(line) ?? [];
      chars += (repeated.length + 1) * Number(times ?? 0);
      if (chars > MAX_CHARS) throw new UnfoldError("too many repeated lines");
      if (times === undefined) out.push(line);
      else for (let i = 0; i < Number(times); i++) out.push(repeated);
    }
    return out.join("\n");
  },
};
