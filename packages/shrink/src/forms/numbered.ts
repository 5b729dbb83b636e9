// Numbered code: the number of the first line, of every tenth, and after a gap. The code is untouched.
//
//   [bosun: every tenth line number is shown]
//        1	import x
//   export y
import { UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";

const PHRASE = "every tenth line number is shown";
const MIN_LINES = 6;
const NUMBERED = /^( *)(\d{1,9})([\t|:→-])/;

export const numberedLines: Form = {
  name: "numbered",
  fold(text) {
    const lines = text.split("\n");
    if (lines.length < MIN_LINES) return undefined;
    const first = NUMBERED.exec(lines[0] ?? "");
    if (first === null) return undefined;
    const [whole, blanks = "", digits = "", separator = ""] = first;
    const width = whole.length - 1;
    if (blanks !== "" && blanks.length + digits.length !== width) return undefined;
    const out: string[] = [];
    let expected = 0;
    for (const [i, line] of lines.entries()) {
      const [before = "", , number, sign] = NUMBERED.exec(line) ?? [];
      if (number === undefined || sign !== separator) return undefined;
      const value = Number(number);
      if (before !== prefix(value, blanks === "" ? 0 : width, separator)) return undefined;
      const rest = line.slice(before.length);
      // A line that looks as if it had a number must have its own, and so must an empty one at the end.
      const isOdd = NUMBERED.exec(rest)?.[3] === separator || (rest === "" && i === lines.length - 1);
      const isShown = i === 0 || value !== expected || value % 10 === 0 || isOdd;
      out.push(isShown ? line : rest);
      expected = value + 1;
    }
    return { phrase: PHRASE, body: out.join("\n") };
  },
  unfold({ body }) {
    let next = 0;
    let shape: { width: number; separator: string } | undefined;
    const lines = body.split("\n").map((line) => {
      const [whole = "", blanks = "", digits = "", separator = ""] = NUMBERED.exec(line) ?? [];
      if (whole !== "" && (shape === undefined || separator === shape.separator)) {
        shape ??= { width: blanks === "" ? 0 : blanks.length + digits.length, separator };
        next = Number(digits) + 1;
        return line;
      }
      if (shape === undefined) throw new UnfoldError("the first line has no number");
      return prefix(next++, shape.width, shape.separator) + line;
    });
    return lines.join("\n");
  },
};

function prefix(value: number, width: number, separator: string): string {
  return String(value).padStart(width) + separator;
}
