// Lines that come again: a run of one line, and a block that stood above. The marks stand where the lines would.
//
//   Waiting for the server…
//   [bosun: the line above 11 more times]
//   first line of a block that came before
//   second line
//   [bosun: 43 more lines, the same as lines 21-63 of this result]
//   last line
import { MAX_UNFOLDED_CHARS, UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";

const MIN_RUN = 3;
const MIN_BLOCK = 8;
const WINDOW = 4;
const MIN_BLOCK_CHARS = 200;
const MIN_RUN_CHARS = 40;
const RUN = /^\[bosun: the line above (\d{1,9}) more times\]$/;
const BLOCK = /^\[bosun: (\d{1,9}) more lines, the same as lines (\d{1,9})-(\d{1,9}) of this result\]$/;

export const repeatedLines: Form = {
  name: "repeats",
  fold(text) {
    const lines = text.split("\n");
    const seen = new Map<string, number>();
    const out: string[] = [];
    let isChanged = false;
    for (let i = 0; i < lines.length;) {
      const line = lines[i] ?? "";
      let end = i + 1;
      while (end < lines.length && lines[end] === line) end++;
      if (end - i >= MIN_RUN && (line.length + 1) * (end - i - 1) >= MIN_RUN_CHARS) {
        out.push(line, `[bosun: the line above ${end - i - 1} more times]`);
        isChanged = true;
        i = end;
        continue;
      }
      const from = i + WINDOW <= lines.length ? seen.get(windowAt(lines, i)) : undefined;
      const length = from === undefined ? 0 : sameLines(lines, from, i);
      const chars = length >= MIN_BLOCK ? lines.slice(i + 2, i + length - 1).join("\n").length : 0;
      if (from !== undefined && chars >= MIN_BLOCK_CHARS) {
        const left = length - 3;
        out.push(...lines.slice(i, i + 2));
        out.push(`[bosun: ${left} more lines, the same as lines ${from + 3}-${from + 2 + left} of this result]`);
        out.push(lines[i + length - 1] ?? "");
        isChanged = true;
        i += length;
        continue;
      }
      if (i + WINDOW <= lines.length) {
        const window = windowAt(lines, i);
        if (!seen.has(window)) seen.set(window, i);
      }
      out.push(line);
      i++;
    }
    return isChanged ? { phrase: "", body: out.join("\n") } : undefined;
  },
  unfold({ body }) {
    const out: string[] = [];
    let chars = 0;
    const add = (line: string): void => {
      chars += line.length + 1;
      if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the lines would unfold to too much");
      out.push(line);
    };
    for (const line of body.split("\n")) {
      const times = RUN.exec(line)?.[1];
      const [, count, first] = BLOCK.exec(line) ?? [];
      if (times !== undefined) {
        const above = out.at(-1);
        if (above === undefined) throw new UnfoldError("there is no line above");
        for (let n = Number(times); n > 0; n--) add(above);
      } else if (count !== undefined) {
        const start = Number(first) - 1;
        if (start + Number(count) > out.length || start < 0) throw new UnfoldError("there is no such block");
        for (let n = 0; n < Number(count); n++) add(out[start + n] ?? "");
      } else add(line);
    }
    return out.join("\n");
  },
};

function windowAt(lines: readonly string[], at: number): string {
  return lines.slice(at, at + WINDOW).join("\n");
}

// How many lines are the same from both places on; the first block ends before the second begins.
function sameLines(lines: readonly string[], from: number, at: number): number {
  let length = 0;
  while (from + length < at && at + length < lines.length && lines[from + length] === lines[at + length]) length++;
  return length;
}
