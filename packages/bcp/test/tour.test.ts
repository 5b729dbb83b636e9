import { expect, test } from "bun:test";
import { decode, encode, encodePlain, render } from "../src/index.ts";
import type { Block } from "../src/index.ts";
import { plain } from "./plain.ts";
import { fromDigits, hex } from "./vectors/hex.ts";
import { TOUR, TOUR_MARKDOWN, TOUR_MINIMAL, TOUR_XML } from "./vectors/tour.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const BLOCKS: readonly Block[] = [
  {
    type: "code",
    flags: 1,
    summary: "Adds.",
    lang: "python",
    path: "a.py",
    content: utf8("a + b"),
    lineStart: 7,
    lineEnd: 8,
  },
  { type: "annotation", flags: 0, targetBlockId: 0, kind: "priority", value: Uint8Array.of(2) },
  { type: "conversation", flags: 0, role: "tool", content: utf8("ok"), toolCallId: "c-1" },
  {
    type: "file_tree",
    flags: 0,
    rootPath: "w/",
    entries: [
      { name: "lib", kind: "directory", size: 0, children: [{ name: "x<y", kind: "file", size: 5 }] },
      { name: "é", kind: "file", size: 1_048_576 },
    ],
  },
  { type: "tool_result", flags: 0, toolName: "ls", status: "timeout", content: utf8(""), schemaHint: "text" },
  { type: "document", flags: 0, title: "T1", content: utf8("h\ni"), formatHint: "plain" },
  { type: "structured_data", flags: 0, format: "csv", schema: "s", content: utf8("a,b") },
  {
    type: "diff",
    flags: 0,
    path: "f",
    hunks: [
      { oldStart: 1, newStart: 1, lines: utf8("-a\n") },
      { oldStart: 9, newStart: 128, lines: utf8("+b") },
    ],
  },
  { type: "embedding_ref", flags: 0, vectorId: utf8("v"), sourceHash: Uint8Array.of(0xab, 0xcd), model: "m-2" },
  { type: "image", flags: 0, mediaType: "svg", altText: 'P"', data: utf8("<s/>") },
  { type: "extension", flags: 0, namespace: "n", typeName: "t", content: utf8("x=1") },
  { type: "unknown", flags: 1, summary: "sum", typeId: 0x30, body: Uint8Array.of(0xff, 0x21) },
];

test("every block type decodes to what its bytes say", () => {
  const { header, blocks } = decode(TOUR);
  expect(header).toEqual({ major: 1, minor: 0, flags: 0 });
  expect(plain(blocks)).toEqual([...BLOCKS]);
});

test("every block type encodes to its bytes", async () => {
  expect(hex(encodePlain(BLOCKS))).toBe(hex(TOUR));
  expect(hex(await encode(BLOCKS))).toBe(hex(TOUR));
});

test.each([
  ["xml", TOUR_XML],
  ["markdown", TOUR_MARKDOWN],
  ["minimal", TOUR_MINIMAL],
] as const)("the %s mode writes every block type as it should", (mode, expected) => {
  expect(render(decode(TOUR).blocks, { mode })).toBe(expected);
});

test("summaries stand in for code only, unless asked for everywhere", () => {
  const { blocks } = decode(TOUR);
  const summary = render(blocks, { mode: "minimal", verbosity: "summary" });
  expect(summary).toStartWith("--- a.py [python] (summary) ---\nAdds.\n\n[tool] ok");
  expect(summary).toEndWith("--- unknown 0x30 ---\n\ufffd!");
  expect(render(blocks, { mode: "minimal", verbosity: "summary", summaries: "all" })).toEndWith(
    "--- unknown 0x30 (summary) ---\nsum",
  );
});

test.each([
  ["code", '<code lang="python" path="a.py" summary="true">\nAdds.\n</code>', "## a.py (summary)\n\nAdds."],
  ["unknown", "<!-- unknown block type 0x30, summary -->\nsum", "### Unknown 0x30 (summary)\n\nsum"],
] as const)("a summary of a %s block in xml and markdown", (type, xml, markdown) => {
  const options = { verbosity: "summary", summaries: "all" } as const;
  const blocks = decode(TOUR).blocks.filter((block) => block.type === type);
  expect(render(blocks, { ...options, mode: "xml" })).toBe(`<context>\n${xml}\n</context>`);
  expect(render(blocks, { ...options, mode: "markdown" })).toBe(markdown);
});

// The bytes of FORMAT.md's own example, with a size that no number holds.
test("a size beyond 2^53 is a bigint and survives", () => {
  const payload = fromDigits(
    "42435000 01000000 0300 19 010100 0202 13 0101 01 78 0200 00 0300 ffffffffffffffffff01 ff010000".replaceAll(
      " ",
      "",
    ),
  );
  const { blocks } = decode(payload);
  expect(plain(blocks)).toEqual([
    { type: "file_tree", flags: 0, rootPath: "", entries: [{ name: "x", kind: "file", size: 18446744073709551615n }] },
  ]);
  expect(hex(encodePlain(blocks))).toBe(hex(payload));
  expect(render(blocks, { mode: "minimal" })).toBe("--- tree:  ---\nx (18446744073709551615 bytes)\n");
});

test("a size that is not known is left out, and no size is shown", () => {
  const entries = [{ name: "x", kind: "file" } as const, { name: "y", kind: "file", size: 0 } as const];
  const { blocks } = decode(encodePlain([{ type: "file_tree", rootPath: "", entries }]));
  expect(plain(blocks)).toEqual([{ type: "file_tree", flags: 0, rootPath: "", entries }]);
  expect(render(blocks, { mode: "minimal" })).toBe("--- tree:  ---\nx\ny (0 bytes)\n");
});
