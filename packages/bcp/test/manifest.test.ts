import { describe, expect, test } from "bun:test";
import { buildManifest, ManifestError, parseManifest } from "../src/index.ts";
import type { ManifestShape, NewBlock } from "../src/index.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("strict, as the reference", () => {
  test("words in any case, aliases, defaults, and keys that nobody knows", async () => {
    const blocks = await build(
      `{"x": 1, "blocks": [
        {"type": "code", "lang": "Py", "path": "a", "content": "x", "line_start": 3, "compress": true},
        {"type": "code", "lang": "zig", "path": "b", "content": "y", "summary": null},
        {"type": "conversation", "role": "ASSISTANT", "content": "hi", "tool_call_id": "t"},
        {"type": "tool_result", "name": "ls", "content": "o", "status": "err", "summary": "s", "priority": "high"},
        {"type": "document", "title": "T", "content": "d"},
        {"type": "document", "title": "T", "content": "d", "format": "TXT"},
        {"type": "structured_data", "format": "yml", "content": "a: 1"}
      ]}`,
      "strict",
    );
    expect(blocks).toEqual([
      { type: "code", lang: "python", path: "a", content: utf8("x") },
      { type: "code", lang: "unknown", path: "b", content: utf8("y") },
      { type: "conversation", role: "assistant", content: utf8("hi") },
      { type: "tool_result", toolName: "ls", status: "error", content: utf8("o") },
      { type: "document", title: "T", content: utf8("d"), formatHint: "markdown" },
      { type: "document", title: "T", content: utf8("d"), formatHint: "plain" },
      { type: "structured_data", format: "yaml", content: utf8("a: 1") },
    ]);
  });

  test("a priority becomes an annotation behind its block, aimed at it", async () => {
    const entry = '{"type":"conversation","role":"user","content":"x","summary":"","priority":"Low"}';
    expect(await build(`{"blocks":[${entry},${entry}]}`, "strict")).toEqual([
      { type: "conversation", role: "user", content: utf8("x"), summary: "" },
      { type: "annotation", targetBlockId: 0, kind: "priority", value: Uint8Array.of(4) },
      { type: "conversation", role: "user", content: utf8("x"), summary: "" },
      { type: "annotation", targetBlockId: 2, kind: "priority", value: Uint8Array.of(4) },
    ]);
  });

  test("content comes from a file, but what stands in the manifest wins", async () => {
    const blocks = await build(
      `{"blocks":[{"type":"document","title":"T","content_file":"a.md"},
                  {"type":"document","title":"T","content":"here","content_file":"b.md"}]}`,
      "strict",
    );
    expect(blocks).toMatchObject([{ content: utf8("content of a.md") }, { content: utf8("here") }]);
  });
});

describe("extended", () => {
  test("every block type and key", async () => {
    const blocks = await build(
      `{"description": "all", "blocks": [
        {"type": "code", "lang": "c++", "path": "a", "content": "x", "line_start": 3, "line_end": 4, "compress": true},
        {"type": "conversation", "role": "tool", "content": "hi", "tool_call_id": "t"},
        {"type": "tool_result", "tool_name": "ls", "content": "o", "schema_hint": "h", "summary": "s", "priority": "high"},
        {"type": "document", "title": "T", "content": "d", "format_hint": "html"},
        {"type": "structured_data", "format": "toml", "schema": "s", "content": "a=1", "summary": "one"},
        {"type": "file_tree", "root": "/", "summary": "tree", "entries": [
          {"name": "d", "kind": "dir", "children": [{"name": "f", "kind": "FILE", "size": 9007199254740993}]},
          {"name": "g", "kind": "file"}]},
        {"type": "diff", "path": "p", "hunks": [{"old_start": 1, "new_start": 2, "lines": "+a\\n"}], "priority": "low"},
        {"type": "annotation", "target_block_id": 0, "kind": "tag", "value": "entry"},
        {"type": "annotation", "target_block_id": 0, "kind": "priority", "value": "background"},
        {"type": "embedding_ref", "vector_id": "v", "source_hash": "00FF", "model": "m"},
        {"type": "image", "media_type": "jpg", "alt_text": "A", "data": "AAEC/w=="},
        {"type": "image", "media_type": "svg", "alt_text": "B", "data": "https://example.com/b.svg"},
        {"type": "image", "media_type": "webp", "alt_text": "C", "content_file": "c.webp"},
        {"type": "extension", "namespace": "n", "type_name": "t", "content": "c"}
      ]}`,
      "extended",
    );
    expect(blocks).toEqual([
      { type: "code", lang: "cpp", path: "a", content: utf8("x"), lineStart: 3, lineEnd: 4, compress: true },
      { type: "conversation", role: "tool", content: utf8("hi"), toolCallId: "t" },
      { type: "tool_result", toolName: "ls", status: "ok", content: utf8("o"), schemaHint: "h", summary: "s" },
      { type: "annotation", targetBlockId: 2, kind: "priority", value: Uint8Array.of(2) },
      { type: "document", title: "T", content: utf8("d"), formatHint: "html" },
      { type: "structured_data", format: "toml", schema: "s", content: utf8("a=1"), summary: "one" },
      {
        type: "file_tree",
        rootPath: "/",
        summary: "tree",
        entries: [
          { name: "d", kind: "directory", size: 0, children: [{ name: "f", kind: "file", size: 9007199254740993n }] },
          { name: "g", kind: "file", size: 0 },
        ],
      },
      { type: "diff", path: "p", hunks: [{ oldStart: 1, newStart: 2, lines: utf8("+a\n") }] },
      { type: "annotation", targetBlockId: 7, kind: "priority", value: Uint8Array.of(4) },
      { type: "annotation", targetBlockId: 0, kind: "tag", value: utf8("entry") },
      { type: "annotation", targetBlockId: 0, kind: "priority", value: Uint8Array.of(5) },
      { type: "embedding_ref", vectorId: utf8("v"), sourceHash: Uint8Array.of(0, 255), model: "m" },
      { type: "image", mediaType: "jpeg", altText: "A", data: Uint8Array.of(0, 1, 2, 255) },
      { type: "image", mediaType: "svg", altText: "B", data: utf8("https://example.com/b.svg") },
      { type: "image", mediaType: "webp", altText: "C", data: utf8("content of c.webp") },
      { type: "extension", namespace: "n", typeName: "t", content: utf8("c") },
    ]);
  });

  test("the whole can be compressed or deduplicated", () => {
    const whole = parseManifest('{"blocks":[],"compress_payload":true,"auto_dedup":true}', "extended");
    expect([...whole.entries]).toEqual([]);
    expect(whole).toMatchObject({ compressPayload: true, dedup: true });
    expect(parseManifest('{"blocks":[],"compress_payload":true}', "strict").compressPayload).toBe(false);
  });
});

describe("a wrong shape is told with line and column", () => {
  test.each<[string, ManifestShape, string, string]>([
    ["no JSON", "strict", "", "EOF while parsing a value at line 1 column 1"],
    ["a byte-order mark", "strict", "\ufeff{}", "expected value at line 1 column 1"],
    ["something behind it", "strict", '{"blocks":[]} x', "trailing characters at line 1 column 15"],
    ["a trailing comma", "strict", '{"blocks":[],}', "trailing comma at line 1 column 14"],
    ["not an object", "strict", "[]", "invalid type: sequence, expected a map at line 1 column 1"],
    ["no blocks", "strict", "{}", "missing field `blocks` at line 1 column 1"],
    [
      "blocks that are none",
      "strict",
      '{"blocks":7}',
      "invalid type: integer `7`, expected a sequence at line 1 column 11",
    ],
    [
      "a block that is none",
      "strict",
      '{"blocks":[\n  "x"]}',
      "invalid type: string, expected a map at line 2 column 3",
    ],
    ["no type", "strict", '{"blocks":[{}]}', "missing field `type` at line 1 column 12"],
    [
      "a type of the extended shape",
      "strict",
      '{"blocks":[{"type":"diff"}]}',
      "unknown variant `diff`, expected one of `code`, `conversation`, `tool_result`, `document`, `structured_data` at line 1 column 20",
    ],
    ["a missing key", "strict", '{"blocks":[{"type":"code","lang":"c"}]}', "missing field `path` at line 1 column 12"],
    [
      "null where something must be",
      "strict",
      '{"blocks":[{"type":"code","lang":null,"path":""}]}',
      "missing field `lang` at line 1 column 12",
    ],
    [
      "a number where text must be",
      "strict",
      '{"blocks":[{"type":"code","lang":5,"path":""}]}',
      "invalid type: integer `5`, expected a string at line 1 column 34",
    ],
    [
      "a key twice",
      "strict",
      '{"blocks":[{"type":"code","lang":"c","lang":"c"}]}',
      "duplicate field `lang` at line 1 column 38",
    ],
    [
      "a key twice, spelled differently",
      "strict",
      '{"blocks":[{"type":"code","lang":"c","l\\u0061ng":"c"}]}',
      "duplicate field `lang` at line 1 column 38",
    ],
    [
      "a key that nobody knows, twice",
      "strict",
      '{"blocks":[],"x":{"x":1},"x":2}',
      "duplicate field `x` at line 1 column 26",
    ],
    [
      "of a hundred keys several twice: the first that is",
      "strict",
      `{${Array.from({ length: 99 }, (_, i) => `"k${i}":0`).join(",")},"k7":1,"k3":1,"blocks":[]}`,
      "duplicate field `k7` at line 1 column 784",
    ],
    [
      "a number that no machine has a word for",
      "extended",
      `{"blocks":[{"type":"annotation","target_block_id":${"9".repeat(400_000)}}]}`,
      `invalid value: integer \`${"9".repeat(100)}…\`, expected u32 at line 1 column 51`,
    ],
    [
      "tool_name in the strict shape",
      "strict",
      '{"blocks":[{"type":"tool_result","tool_name":"x"}]}',
      "missing field `name` at line 1 column 12",
    ],
    [
      "both names for one thing",
      "extended",
      '{"blocks":[{"type":"tool_result","name":"x","tool_name":"x"}]}',
      "duplicate field `name` at line 1 column 57",
    ],
    [
      "half a line range",
      "extended",
      '{"blocks":[{"type":"code","lang":"c","path":"","line_end":1}]}',
      "line_start and line_end belong together at line 1 column 12",
    ],
    [
      "a fraction",
      "extended",
      '{"blocks":[{"type":"diff","path":"","hunks":[{"old_start":1.5}]}]}',
      "invalid type: floating point `1.5`, expected u32 at line 1 column 59",
    ],
    [
      "a size beyond 64 bits",
      "extended",
      '{"blocks":[{"type":"file_tree","root":"","entries":[{"name":"","kind":"file","size":18446744073709551616}]}]}',
      "invalid value: integer `18446744073709551616`, expected u64 at line 1 column 85",
    ],
    ["a lone surrogate", "strict", '{"blocks":"\\ud800"}', "lone surrogate in escape at line 1 column 12"],
    ["an unknown escape", "strict", '"\\x"', "invalid escape at line 1 column 2"],
    ["a line break in a string", "strict", '"\n"', "control character found while parsing a string at line 1 column 2"],
    ["a string without end", "strict", '"abc', "EOF while parsing a string at line 1 column 5"],
    ["a number with a leading zero", "strict", "[01]", "expected `,` or `]` at line 1 column 3"],
  ])("%s", (_, shape, text, message) => {
    expect(() => parseManifest(text, shape)).toThrow(new ManifestError(message));
  });

  test("a hundred thousand brackets are only a wrong shape", () => {
    const deep = `{"blocks":[{"type":"file_tree","root":"/","entries":${"[{".repeat(3)}`;
    expect(() => parseManifest(deep, "extended")).toThrow(ManifestError);
    expect(() => parseManifest("[".repeat(100_000), "strict")).toThrow("EOF while parsing a value");
    expect(() => parseManifest("[".repeat(10_000_000), "strict")).toThrow("EOF while parsing a value");
    const tree = `${'[{"name":"d","kind":"dir","children":'.repeat(100_000)}[]${"}]".repeat(100_000)}`;
    const manifest = `{"blocks":[{"type":"file_tree","root":"/","entries":${tree}}]}`;
    expect(() => parseManifest(manifest, "extended")).toThrow("entries are nested more than 1024 levels deep");
  });
});

describe("a wrong word is told with the block", () => {
  test.each<[string, string]>([
    ['{"type":"code","lang":"c","path":""}', 'code block requires either "content" or "content_file"'],
    ['{"type":"conversation","role":"bob","content":""}', 'unknown role "bob" — expected system|user|assistant|tool'],
    [
      '{"type":"tool_result","name":"","status":"\\u001b","content":""}',
      'unknown status "\\u{1b}" — expected ok|error|timeout',
    ],
    [
      '{"type":"document","title":"","format":"rtf","content":""}',
      'unknown document format "rtf" — expected markdown|plain|html',
    ],
    [
      '{"type":"structured_data","format":"xml","content":""}',
      'unknown data format "xml" — expected json|yaml|toml|csv',
    ],
    [
      '{"type":"code","lang":"c","path":"","content":"","priority":"top"}',
      'unknown priority "top" — expected critical|high|normal|low|background',
    ],
    [
      '{"type":"annotation","target_block_id":0,"kind":"note","value":""}',
      'unknown annotation kind "note" — expected priority|summary|tag',
    ],
    [
      '{"type":"image","media_type":"bmp","alt_text":"","data":""}',
      'unknown media type "bmp" — expected png|jpeg|gif|svg|webp',
    ],
    ['{"type":"image","media_type":"png","alt_text":""}', 'image block requires either "data" or "content_file"'],
    ['{"type":"image","media_type":"png","alt_text":"","data":"(1x1 PNG)"}', "image data is neither base64 nor a URI"],
    ['{"type":"embedding_ref","vector_id":"","source_hash":"xyz","model":""}', "source_hash must be hexadecimal"],
    [
      '{"type":"file_tree","root":"","entries":[{"name":"","kind":"link"}]}',
      'unknown entry kind "link" — expected file|directory',
    ],
  ])("%s", async (entry, cause) => {
    const ok = '{"type":"conversation","role":"user","content":""}';
    const failure = await build(`{"blocks":[${ok},${entry}]}`, "extended").catch((error: unknown) => error);
    expect(failure).toEqual(new ManifestError(`block 1: failed to apply: ${cause}`, { block: 1 }));
  });
});

function build(text: string, shape: ManifestShape): Promise<NewBlock[]> {
  return buildManifest(parseManifest(text, shape), (file) => Promise.resolve(utf8(`content of ${file}`)));
}
