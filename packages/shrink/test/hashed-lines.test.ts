import { expect, test } from "bun:test";

import { hashLines, sameLines, WINDOW } from "../src/hashed-lines.ts";
import { Random } from "./random.ts";

const WORDS = ["", "a", "a", "b", "const x = 1;", "ä→z", "\r"];

test("lines are where split finds them, and equal windows have equal hashes", () => {
  const random = new Random(5);
  const hashes = new Map<string, number>();
  for (let i = 0; i < 300; i++) {
    const lines = Array.from({ length: random.below(40) }, () => WORDS[random.below(WORDS.length)] ?? "");
    const text = lines.join("\n");
    const { count, starts, windows } = hashLines(text);
    const cut = Array.from({ length: count }, (_, line) => text.slice(starts[line], (starts[line + 1] ?? 0) - 1));
    expect(cut).toEqual(text.split("\n"));
    expect(windows.length).toBe(Math.max(0, count - WINDOW + 1));
    for (const [line, hash] of windows.entries()) {
      const window = cut.slice(line, line + WINDOW).join("\n");
      expect(hashes.get(window) ?? hash).toBe(hash);
      hashes.set(window, hash);
    }
  }
  expect(new Set(hashes.values()).size).toBe(hashes.size);
});

test("more lines than any text before had", () => {
  const text = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join("\n");
  const { count, starts } = hashLines(text);
  expect(count).toBe(20_000);
  expect(text.slice(starts[19_999])).toBe("line 19999");
});

test.each<[string, string, number, string, number, { count: number; chars: number }]>([
  ["to the end of both", "x\nab\nc", 1, "ab\nc", 0, { count: 2, chars: 5 }],
  ["up to a line that differs", "ab\nc\nd", 0, "ab\nc\ne", 0, { count: 2, chars: 5 }],
  ["not where one line goes on", "ab\ncd", 0, "ab\nc", 0, { count: 1, chars: 3 }],
  ["nothing", "a", 0, "b", 0, { count: 0, chars: 0 }],
])("lines in common: %s", (_, left, leftLine, right, rightLine, same) => {
  expect(sameLines(hashLines(left), leftLine, hashLines(right), rightLine)).toEqual(same);
});

test("lines in common that are too few characters are none", () => {
  const [left, right] = [hashLines("ab\ncd\nef"), hashLines("ab\ncd\nxy")];
  expect(sameLines(left, 0, right, 0, 6)).toEqual({ count: 2, chars: 6 });
  expect(sameLines(left, 0, right, 0, 7)).toEqual({ count: 0, chars: 0 });
});
