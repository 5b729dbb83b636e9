import { expect, test } from "bun:test";
import { LineWindows } from "../src/line-windows.ts";
import { Random } from "./random.ts";

test("finds the first place of every window, as long as its text is known, as a map would", () => {
  const random = new Random(11);
  const known = new Set<number>();
  const windows = new LineWindows((text) => known.has(text));
  const expected = new Map<number, [text: number, line: number]>();
  for (let text = 0; text < 60; text++) {
    const hashes = Int32Array.from({ length: random.below(900) }, () => random.below(9000) * 0x12345 - 5000);
    known.add(text);
    windows.add(hashes, text);
    for (const [line, hash] of hashes.entries()) {
      const first = expected.get(hash);
      if (first === undefined || !known.has(first[0])) expected.set(hash, [text, line]);
    }
    known.delete(text - 12);
    for (const [hash, [from, line]] of expected) {
      const found = windows.find(hash) && known.has(windows.text) ? [windows.text, windows.line] : undefined;
      expect(found).toEqual(known.has(from) ? [from, line] : undefined);
    }
    expect(windows.find(1)).toBe(false);
  }
});
