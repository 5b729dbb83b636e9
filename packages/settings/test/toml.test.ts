import { describe, expect, test } from "bun:test";
import type { Node } from "../src/settings-document.ts";
import { readJson } from "../src/json-settings.ts";
import { readToml } from "../src/toml.ts";

describe("a document means what another reader says it means", () => {
  test.each<[string, string]>([
    ["nothing", ""],
    ["comments and blank lines", "# hi\n\n  # there\na = 1 # end\n"],
    ["strings", String.raw`a = "x\ty\u00e9\\ \"q\""` + "\nb = 'C:\\new'\n"],
    ["multi-line strings", 'a = """\nline 1\nline \\\n   2 ""quoted"" """\nb = \'\'\'\nraw \\n\n\'\'\'\n'],
    ["quotes at the end of a multi-line string", 'a = """x""""\nb = """y"""""\n'],
    ["numbers", "a = 1\nb = -17\nc = 1_000\nd = 0xff\ne = 0o17\nf = 0b101\ng = 3.14\nh = -1e-3\ni = 6.0e2\n"],
    ["booleans", "a = true\nb = false\n"],
    ["lists", "a = [1, 2, 3,]\nb = [\n  'x', # c\n  \"y\"\n]\nc = [[1], ['z']]\nd = []\n"],
    ["inline tables", "a = { b = 1, c.d = 'x', e = [ {f = 1} ] }\ng = {}\n"],
    ["tables", "[a]\nx = 1\n[a.b]\ny = 2\n[c]\n"],
    ["a table after its child", "[a.b]\nx = 1\n[a]\ny = 2\n"],
    ["dotted keys", "a.b.c = 1\na.b.d = 2\na.e = 3\n"],
    ["quoted keys", '"git.*" = true\n\'x y\' = 1\n"" = 2\n'],
    ["lists of tables", "[[r]]\na = 1\n[[r]]\na = 2\n[r.sub]\nb = 3\n[[r.list]]\nc = 4\n"],
    ["CR LF", "a = 1\r\n[b]\r\nc = 2\r\n"],
    ["no line end", "a = 1"],
    ["a byte order mark", "\ufeffa = 1\n"],
  ])("%s", (_, text) => {
    expect(plain(readToml("f", text))).toEqual(Bun.TOML.parse(text.replace("\ufeff", "")) as object);
  });
});

test("dates are kept as text", () => {
  expect(plain(readToml("f", "a = 2026-01-02T03:04:05Z\nb = 2026-01-02\nc = 03:04:05.5\n"))).toEqual({
    a: "2026-01-02T03:04:05Z",
    b: "2026-01-02",
    c: "03:04:05.5",
  });
});

describe("what is wrong is named with its place", () => {
  test.each<[string, string, string]>([
    ["a key without value", "a = 1\nb =\n", "f:2:4: expected a value"],
    ["a value without quotes", "a = hello\n", "f:1:5: hello is not a value: text needs quotes"],
    ["a key set twice", "a = 1\n\na = 2\n", "f:3:1: a is set twice (first on line 1)"],
    ["a table defined twice", "[a]\n[b]\n[a]\n", "f:3:2: a is defined twice (first on line 1)"],
    ["text never closed", 'x = 1\na = "abc\nb = 2\n', "f:2:5: this text is never closed"],
    ["multi-line text never closed", 'a = """abc\n', "f:1:5: this text is never closed"],
    ["a list never closed", "a = [1,\n 2\n", 'f:3:1: expected "," or "]" in the list'],
    ["an inline table never closed", "a = { b = 1\n", 'f:1:12: expected "," or "}" in the inline table'],
    ["a bad escape", 'a = "\\d"\n', "f:1:6: \\d is not an escape: write \\\\ for a backslash, or use 'single quotes'"],
    ["a control character", 'a = "x\u0001"\n', "f:1:7: a control character must be written as an escape"],
    ["a leading zero", "a = 007\n", "f:1:5: a number cannot begin with 0"],
    ["a huge number", "a = 99999999999999999999\n", "f:1:5: 99999999999999999999 is too large"],
    ["an underscore at the end", "a = 1_\n", "f:1:5: an underscore must stand between digits"],
    ["two values on a line", "a = 1 b = 2\n", "f:1:7: expected the end of the line"],
    [
      "adding to an inline table",
      "a = { b = 1 }\na.c = 2\n",
      "f:2:1: a is already complete (line 1): nothing can be added to it",
    ],
    ["adding to a list written out", "a = [{}]\n[[a]]\n", "f:2:3: a is already something else (line 1)"],
    ["a header over a value", "a = 1\n[a]\n", "f:2:2: a is defined twice (first on line 1)"],
    ["no equals sign", "a 1\n", 'f:1:3: expected "=" after the key'],
    ["an unclosed header", "[a\nb = 1\n", "f:1:3: expected ] after the table's name"],
    ["a date that is none", "a = 2026-02-30\n", "f:1:5: 2026-02-30 is not a date"],
    [
      "a lone surrogate",
      'a = "\\ud800"\n',
      "f:1:6: \\u is not an escape: write \\\\ for a backslash, or use 'single quotes'",
    ],
  ])("%s", (_, text, message) => {
    expect(() => readToml("f", text)).toThrow(message);
  });

  test("endless nesting ends", () => {
    expect(() => readToml("f", `a = ${"[".repeat(100_000)}`)).toThrow("nested too deeply");
    expect(() => readToml("f", `${"a.".repeat(1000)}b = 1`)).toThrow("too many parts");
    expect(() => readJson("f", `{"a":${"[".repeat(100_000)}`)).toThrow("nested too deeply");
  });
});

test("every prefix of a file is read or refused with a place, and nothing hangs", () => {
  const text = `a = "x\\n"\n[b.c]\nd = [1, { e = 'f' }, """g\n"""]\n[[h]]\ni = 2026-01-02 # j\n"k.l" = -1.5e3\n`;
  for (let end = 0; end <= text.length; end += 1) {
    try {
      readToml("f", text.slice(0, end));
    } catch (error) {
      expect(String(error)).toMatch(/f:\d+:\d+: /);
    }
  }
});

describe("JSON gives the same document", () => {
  test("values and places", () => {
    const text = '{\n  "a": [1, -2.5e3, "x\\u00e9", true, null],\n  "b": {"c": {}}\n}';
    const document = readJson("f", text);
    expect(plain(document)).toEqual(JSON.parse(text) as object);
    expect(document.members.get("b")?.at).toEqual({ line: 3, column: 3 });
  });

  test.each([
    ["a trailing comma", '{"a":1,}', 'f:1:8: expected a key, found "}"'],
    ["a key twice", '{"a":1,\n"a":2}', "f:2:1: a is set twice (first on line 1)"],
    ["not an object", "[1]", "f:1:1: settings must be an object { … }"],
    ["something after the end", "{} x", 'f:1:4: expected the end, found "x"'],
    ["never closed", '{"a": 1', 'f:1:8: expected "," or "}"'],
    ["text never closed", '{"a": "x', "f:1:7: this text is never closed"],
  ])("%s", (_, text, message) => {
    expect(() => readJson("f", text)).toThrow(message);
  });
});

function plain(node: Node): unknown {
  switch (node.kind) {
    case "table":
      return Object.fromEntries([...node.members].map(([key, member]) => [key, plain(member.value)]));
    case "list":
      return node.items.map(plain);
    case "null":
      return null;
    default:
      return node.value;
  }
}
