import { expect, test } from "bun:test";

import { DisguisedLater } from "../src/lazy-escaped-text.ts";
import { escapeMarks } from "../src/escape.ts";
import { NOTE_KEY } from "../src/fold-note.ts";
import { Shrinker, unfold, wholeText } from "../src/index.ts";

const LONG = "a line with [bosun:tree] and [b0: in it → and more\n".repeat(90_000);

test("a text too long to be folded wears its disguise for whoever reads it", () => {
  const original = { content: [{ type: "text", text: LONG, annotations: { priority: 1 } }] };
  const { result, changed, disguised } = new Shrinker().shrink(original);
  expect(changed).toBe(true);
  expect([...(disguised ?? [])]).toEqual([[0, 1]]);
  expect(wholeText(result)).toBe(escapeMarks(LONG)?.text ?? "");
  expect(JSON.parse(JSON.stringify(result.content))).toEqual([
    { type: "text", text: escapeMarks(LONG)?.text, annotations: { priority: 1 } },
  ]);
  expect(result._meta?.[NOTE_KEY]).toEqual({ parts: [{ chars: wholeText(result).length, escaped: 1 }] });
  expect(unfold({ text: wholeText(result), meta: result._meta })).toEqual({ ok: true, text: LONG });
});

test("its length is known before it is made", () => {
  const later = new DisguisedLater("[bosun:a] [bosun:b]", 12);
  expect(later.length).toBe("[b12:a] [b12:b]".length);
  expect({ ...later.within({ type: "text", text: "" }) }.text).toBe("[b12:a] [b12:b]");
});

test("a budget cuts the text in its disguise", () => {
  const { result } = new Shrinker({ budget: 200 }).shrink({ content: [{ type: "text", text: LONG }] });
  expect(wholeText(result)).toContain("[bosun:omitted lines");
  expect(wholeText(result).split("[bosun:").length).toBe(2);
});
