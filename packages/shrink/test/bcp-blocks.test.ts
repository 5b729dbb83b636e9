import { decode, encode, LANGS, render } from "@bosun/bcp";
import { expect, test } from "bun:test";

import { blocksOf, textOfBlocks } from "../src/index.ts";

const DIFF = "diff --git a/x.ts b/x.ts\nindex 1a..2b 100644\n--- a/x.ts\n+++ b/x.ts\n@@ -3,2 +3,2 @@\n-a\n+b\n c\n";
const text = (content: unknown) => new TextDecoder().decode(content as Uint8Array);

test("each kind of region becomes its block type", () => {
  const answer = `Here:\n\n${DIFF}\n\`\`\`ts\nlet a = 1;\n\`\`\`\nand\n{"a": [1]}`;
  const blocks = blocksOf(answer, { toolName: "demo" });
  expect(blocks.map(({ type }) => type)).toEqual(["tool_result", "diff", "code", "tool_result", "structured_data"]);
  expect(blocks[1]).toMatchObject({ path: "x.ts", hunks: [{ oldStart: 3, newStart: 3 }] });
  expect(blocks[2]).toMatchObject({ lang: "typescript", path: "" });
  expect(blocks[4]).toMatchObject({ format: "json" });
});

test("a patch keeps every line that applying it needs", () => {
  const [block] = blocksOf(DIFF, { toolName: "git" });
  expect(block?.type === "diff" && [...block.hunks].map(({ lines }) => text(lines)).join("")).toBe(DIFF);
});

test.each([
  ["JSON", '[{"name":"a","type":"directory","children":[{"name":"b.ts","type":"file"}]}]'],
  ["a drawing", "a\n└── b.ts\n"],
  ["blanks", "a/\n  b.ts\n  c.ts\n"],
])("a directory listing as %s is a file tree", (_, listing) => {
  const [block] = blocksOf(listing, { toolName: "tree" });
  expect(block).toMatchObject({ type: "file_tree", entries: [{ name: "a", kind: "directory" }] });
  const [folder] = block?.type === "file_tree" ? block.entries : [];
  expect([...(folder?.children ?? [])][0]).toMatchObject({ name: "b.ts", kind: "file" });
});

test("below the threshold the result stays one plain block, unmodified", () => {
  const csv = "id,name,city\n1,Ann,Rome\n2,Bob,Oslo\n";
  const blocks = blocksOf(csv, { toolName: "q", status: "error", threshold: 0.9 });
  expect(blocks).toMatchObject([{ type: "tool_result", toolName: "q", status: "error" }]);
  expect(blocks[0]?.type === "tool_result" && text(blocks[0].content)).toBe(csv);
});

test("the blocks encode, decode and render", async () => {
  const blocks = blocksOf(`Look:\n\n\`\`\`py\nprint(1)\n\`\`\`\n`, { toolName: "demo" });
  const decoded = decode(await encode(blocks));
  expect(decoded.blocks.map(({ type }) => type)).toEqual(["tool_result", "code"]);
  expect(render(decoded.blocks, { mode: "markdown" })).toContain("print(1)");
});

test("every language that BCP knows by name is recognised on a fence", () => {
  for (const lang of LANGS) {
    expect(blocksOf(`\`\`\`${lang}\nx\n\`\`\`\n`, { toolName: "t" })).toMatchObject([{ type: "code", lang }]);
  }
});

const SIZES = [
  `[DIR] ${"examples".padEnd(30)} `,
  `[FILE] ${"README.md".padEnd(30)} ${"411 B".padStart(10)}`,
  `[FILE] ${"a name of more than thirty characters.md".padEnd(30)} ${"0 B".padStart(10)}`,
  "",
  "Total: 2 files, 1 directories",
  "Combined size: 411 B",
].join("\n");

test("sizes in bytes are those of the files, and what sums a listing up is no file", () => {
  const [tree, rest] = blocksOf(SIZES, { toolName: "ls" });
  expect(tree).toEqual({
    type: "file_tree",
    rootPath: "",
    entries: [
      { name: "examples", kind: "directory", children: [] },
      { name: "README.md", kind: "file", size: 411 },
      { name: "a name of more than thirty characters.md", kind: "file", size: 0 },
    ],
  });
  expect(rest?.type === "tool_result" && text(rest.content).trim()).toBe(SIZES.slice(SIZES.indexOf("Total")));
});

test.each([
  ["rounded sizes", SIZES.replace("  411 B", "4.99 KB")],
  ["folders that may be files", "src\n├── proxy\n└── tools\n"],
  ["packages", "bosun@0.1.0 /work\n├─┬ mcp@0.1.0 -> ./packages/mcp\n│ └── zod@4.1.2 deduped\n└── left-pad@1.0.0\n"],
  ["ls -R", "src:\na.ts\nb.ts\nlib\n\nsrc/lib:\nc.ts\n"],
  ["remarks", "src/\n├── a.ts   # does a.ts\n└── b.ts   # does b.ts\n"],
  ["pictures", "📁 src\n  📄 a.ts\n  📄 b.ts\n"],
  [
    "JSON that says more",
    '[{"name":"a.ts","type":"file","modified":"2026"},{"name":"b.ts","type":"file","modified":"2026"}]',
  ],
  ["a patch of two files", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"],
])("%s stay the very text: no block could say just that", (_, said) => {
  const blocks = blocksOf(said, { toolName: "t" });
  expect(blocks.filter(({ type }) => type === "file_tree" || type === "diff")).toEqual([]);
  expect(textOfBlocks(blocks)).toBe(said);
});

test("names are taken whole", () => {
  const [block] = blocksOf("[FILE] a  b.txt\n[FILE] 5 KB\n[DIR] c\n", { toolName: "ls" });
  expect(block?.type === "file_tree" && [...block.entries].map(({ name }) => name)).toEqual(["a  b.txt", "5 KB", "c"]);
});

test("a file that a patch deletes keeps its name", () => {
  const [block] = blocksOf("diff --git a/x b/x\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", { toolName: "git" });
  expect(block).toMatchObject({ type: "diff", path: "x" });
});
