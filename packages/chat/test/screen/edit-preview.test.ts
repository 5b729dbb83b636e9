// Calls of editing tools as the lines that go and come; what lines could not show stays with the arguments.
import { expect, test } from "bun:test";
import type { JsonObject } from "@bosun/mcp";
import { editPreview } from "../../src/screen/edit-preview.ts";

const FILE = "one\ntwo\nthree\nfour\nfive\nsix\n";
const read = (file: string): string | undefined => (file === "a.txt" ? FILE : undefined);

test.each<[string, JsonObject, string[], JsonObject]>([
  [
    "a replacement stands in its file",
    { path: "a.txt", old_str: "three", new_str: "THREE" },
    [" one", " two", "-three", "+THREE", " four", " five", " six"],
    { path: "a.txt" },
  ],
  [
    "within a line",
    { path: "a.txt", old_string: "hre", new_string: "HRE", replace_all: false },
    [" one", " two", "-three", "+tHREe", " four", " five", " six"],
    { path: "a.txt", replace_all: false },
  ],
  [
    "of a file nobody knows",
    { file_path: "b.txt", oldText: "x\ny", newText: "x\nz" },
    [" x", "-y", "+z"],
    { file_path: "b.txt" },
  ],
  ["something removed", { path: "b.txt", old_str: "gone" }, ["-gone"], { path: "b.txt" }],
  [
    "several at once",
    {
      path: "b.txt",
      edits: [
        { oldText: "a", newText: "b" },
        { oldText: "c", newText: "d" },
      ],
      dryRun: false,
    },
    ["-a", "+b", "-c", "+d"],
    { path: "b.txt", dryRun: false },
  ],
  ["a new file", { path: "new.txt", file_text: "one\ntwo\n" }, ["+one", "+two"], { path: "new.txt" }],
  [
    "a file written anew",
    { path: "a.txt", content: FILE.replace("six", "SIX") },
    ["  ⋯", " three", " four", " five", "-six", "+SIX"],
    { path: "a.txt" },
  ],
  [
    "a last line break that goes",
    { path: "b.txt", old_str: "a\n", new_str: "b" },
    ["-a", "+b", "  (the line break at the end goes)"],
    { path: "b.txt" },
  ],
])("%s", (_, args, lines, rest) => {
  expect(editPreview(args, read)).toEqual({ lines, rest });
});

test.each<[string, JsonObject]>([
  ["no file", { old_str: "a", new_str: "b" }],
  ["no change that is known", { path: "a.txt", view_range: [1, 2] }],
  ["carriage returns, which lines do not show", { path: "b.txt", old_str: "a\r\n", new_str: "a\n" }],
  ["edits of another kind", { path: "b.txt", edits: [{ line: 3 }] }],
  ["the same again", { path: "a.txt", content: FILE }],
])("no preview: %s", (_, args) => {
  expect(editPreview(args, read)).toBeUndefined();
});
