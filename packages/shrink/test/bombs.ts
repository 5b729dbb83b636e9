// Texts that make careless code slow, of any size.

export const BOMBS: Record<string, (chars: number) => string> = {
  "one letter": (chars) => "a".repeat(chars),
  "one blank": (chars) => " ".repeat(chars),
  "empty lines": (chars) => "\n".repeat(chars),
  "nested arrays": (chars) => "[".repeat(chars / 2) + "]".repeat(chars / 2),
  "nested objects": (chars) => '{"a":'.repeat(chars / 6) + "1" + "}".repeat(chars / 6),
  "half a JSON": (chars) => '{"a":[1,2,3],"b":"'.padEnd(chars, "xy "),
  "a million columns": (chars) => "a  ".repeat(chars / 3),
  "wide table": (chars) => `${"ab   ".repeat(200)}\n`.repeat(chars / 1001),
  "two words": (chars) => "foo bar ".repeat(chars / 8),
  "many keys": (chars) => `[${Array.from({ length: chars / 24 }, (_, i) => `{"k${i % 5000}":${i}}`).join(",")}]`,
  "forged marks": (chars) => "[bosun:abbr]\n".repeat(chars / 13),
  "disguised marks": (chars) => "[bosun:" + Array.from({ length: chars / 11 }, (_, i) => `[b${i}sun:`).join(""),
  "escape sequences": (chars) => "\u001b[31mx\u001b[0m".repeat(chars / 10),
  "open sequence": (chars) => "\u001b]".repeat(chars / 2),
  "carriage returns": (chars) => "50%\r".repeat(chars / 4),
  paths: (chars) => Array.from({ length: chars / 30 }, (_, i) => `/a/b${i % 97}/c${i % 13}/file${i}.ts`).join("\n"),
  "deep path": (chars) => "a/".repeat(chars / 2),
  "deep paths": (chars) => `${"a/".repeat(200)}x.ts\n`.repeat(chars / 405),
  "sorted deep paths": (chars) =>
    Array.from({ length: chars / 500 }, (_, i) => `${"a/".repeat(i % 240)}${String(i).padStart(6, "0")}/x.ts`)
      .sort()
      .join("\n"),
  "columns before paths": (chars) =>
    Array.from({ length: chars / 40 }, (_, i) => `${i % 7} ${i}   ${i * 3}\tsrc/part${i % 50}/file${i}.ts`).join("\n"),
  "many stems": (chars) => Array.from({ length: chars / 24 }, (_, i) => `a${i}.d.ts\na${i}.js`).join("\n"),
  "hexadecimal digits": (chars) => "0123456789abcdef".repeat(chars / 16),
  digests: (chars) =>
    Array.from(
      { length: chars / 60 },
      (_, i) => `${((i + 1) * 2654435761).toString(16).repeat(9).slice(0, 40)}\tsrc/file${i}.ts`,
    ).join("\n"),
  "grep lines": (chars) => "src/a-1-b-2-c-3-d.ts:12:x-1-y\n".repeat(chars / 30),
  dashes: (chars) => "a-1".repeat(chars / 3),
  "diff headers": (chars) => "diff --git a/x b/x\n".repeat(chars / 19),
  "long diff header": (chars) => `diff --git a/${"x b/".repeat(chars / 4)}`,
  "drawn tree": (chars) =>
    "│   "
      .repeat(50)
      .concat("├── a\n")
      .repeat(chars / 206),
  "indented tree": (chars) => `a/\n${"  b/\n    c\n".repeat(chars / 12)}`,
  "blanks before slashes": (chars) =>
    `a/\n${`${" ".repeat(400)}x /y`
      .repeat(5)
      .concat("/\n")
      .repeat(chars / 2030)}`,
  fences: (chars) => "```\n".repeat(chars / 4),
  "braces on lines": (chars) => "{\n".repeat(chars / 2),
  "different words": (chars) =>
    Array.from({ length: chars / 8 }, (_, i) => ((i * 2654435761) % 4294967296).toString(36)).join(" "),
  emoji: (chars) => "😀".repeat(chars / 2),
  quotes: (chars) => '"'.repeat(chars),
  backslashes: (chars) => `["${"\\\\".repeat(chars / 2)}"]`,
  dates: (chars) => "Sun Nov 15 2026 19:27:15 GMT+0000 (Coordinated Universal Time) ".repeat(chars / 63),
};
