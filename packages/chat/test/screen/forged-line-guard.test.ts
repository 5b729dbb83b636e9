// The model's words at the edge of the screen: whatever comes, in whatever pieces, no row begins like one of ours, and
// nothing but backslashes is added.
import { expect, test } from "bun:test";
import { ForgedLineGuard } from "../../src/screen/forged-line-guard.ts";
import { framesFor } from "../../src/screen/style.ts";
import { render } from "../pty.ts";
import { seeded } from "../scripted-model.ts";

const PIECES = [
  "word ",
  "[aish] ",
  "[ai",
  "sh] x",
  "└ ",
  "┌",
  "│ ",
  "日本",
  "a",
  "\n",
  "\u001b[1m",
  "\u001b[0m",
  "+ ",
  "| ",
];

test.each([true, false])("random words, UTF-8 frames: %p", (isUtf8) => {
  const random = seeded(7);
  for (let run = 0; run < 300; run += 1) {
    const columns = 10 + Math.floor(random() * 20);
    const guard = new ForgedLineGuard(framesFor(isUtf8));
    let said = "";
    let out = "";
    for (let n = 0; n < 60; n += 1) {
      const piece = PIECES[Math.floor(random() * PIECES.length)] ?? "";
      // At the start of a line the guard of foreign text stands; here only its edge is looked at.
      const plain = Bun.stripANSI(said);
      const isLineStart = plain === "" || plain.endsWith("\n");
      const next = isLineStart && /^[[┌└│]/.test(piece) ? "x" : piece;
      said += next;
      out += guard.push(next, columns);
    }
    const rows = render(out.replaceAll("\n", "\r\n"), columns).split("\n");
    const marks = isUtf8 ? /^(?:\[aish\]|[┌└│])/ : /^(?:\[aish\]|[┌└│]|[+|] )/;
    expect(rows.filter((row) => marks.test(row))).toEqual([]);
    expect(out.replaceAll("\\", "")).toBe(said);
  }
});
