import { expect, test } from "bun:test";

import { detect, kindOf } from "../src/index.ts";

const CODE = "import x from 'y';\nexport function main() {\n  return x;\n}\n";
const DIFF = "--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n";

test.each<[string, string, string, number]>([
  ["fenced code with a language", `\`\`\`ts\n${CODE}\`\`\`\n`, "code", 0.95],
  ["a bare fence", `\`\`\`\n${CODE}\`\`\`\n`, "code", 0.7],
  ["a path with code below it", `src/main.ts:\n${CODE}`, "code", 0.8],
  ["a directory listing", "src/\n  main.ts\n  util.ts\nREADME.md\n", "tree", 0.85],
  ["a directory listing without slashes", "src\n  main.ts\n  lib\n    util.ts\nREADME.md\n", "tree", 0.85],
  ["a drawn tree", ".\n├── a.ts\n└── b\n    └── c.ts\n", "tree", 0.85],
  ["valid JSON", '{"a": [1, 2]}', "json", 0.9],
  ["JSON line by line", '{"a":1}\n{"a":2}\n', "json", 0.9],
  ["YAML", "---\nname: x\nlist:\n  - a\n  - b\n", "yaml", 0.75],
  ["TOML", '[package]\nname = "x"\nversion = "1"\n', "toml", 0.75],
  ["a unified diff", DIFF, "diff", 0.95],
  ["search results", "src/a.ts:1:import x\nsrc/b.ts:22:export y\n", "grep", 0.85],
  ["a list of paths", "src/a.ts\nsrc/b.ts\nlib/c.ts\n", "paths", 0.8],
  [
    "a history, whatever its messages say",
    `commit ${"0123456789".repeat(4)}\nAuthor: A <a@b.c>\nDate:   Tue Oct 14 09:12:33 2025 +0200\n\n    One.\n\n    Two.\n\n    Three.\n`,
    "log",
    0.8,
  ],
  ["a log", "2026-11-15 12:00:01 INFO start\n2026-11-15 12:00:02 WARN slow\n", "log", 0.8],
  [
    "a stack trace",
    "TypeError: x is not a function\n    at main (/a/b.js:1:2)\n    at run (/a/c.js:3:4)\n",
    "stack-trace",
    0.85,
  ],
  ["a test report", "TAP version 13\nok 1 - a\nnot ok 2 - b\n", "test-report", 0.8],
  ["ls -l", "total 8\n-rw-r--r-- 1 a b 12 Nov 15 12:00 x\ndrwxr-xr-x 2 a b 40 Nov 15 12:00 y\n", "ls-long", 0.9],
  ["ps", "  PID TTY          TIME CMD\n    1 ?        00:00:01 init\n   22 ?        00:00:00 sh\n", "ps", 0.9],
  [
    "a table",
    "NAME      READY   STATUS    AGE\nweb-1     1/1     Running   3d\nweb-2     0/1     Pending   1m\n",
    "table",
    0.75,
  ],
  ["CSV", "id,name,city\n1,Ann,Rome\n2,Bob,Oslo\n", "csv", 0.75],
  ["HTML", "<!doctype html>\n<html><body><p>x</p></body></html>\n", "html", 0.8],
  ["base64", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9\n", "base64", 0.85],
  ["plain text", "The build has finished. Nothing else to say here.", "text", 0],
])("%s", (_, text, kind, confidence) => {
  const [region, ...others] = detect(text);
  expect({ kind: region?.kind, confidence: region?.confidence, others: others.length }).toEqual({
    kind: kind as never,
    confidence,
    others: 0,
  });
});

test("a mixed answer is cut into its parts, without gaps", () => {
  const text = `Here is the patch:\n\n${DIFF}\n\`\`\`ts\n${CODE}\`\`\`\nand the data:\n{"a": [1, 2]}`;
  const regions = detect(text);
  expect(regions.map(({ kind }) => kind)).toEqual(["text", "diff", "code", "text", "json"]);
  expect(regions.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
  expect(regions[2]).toMatchObject({ lang: "ts" });
  expect(text.slice(regions[2]?.contentStart, regions[2]?.contentEnd)).toBe(CODE);
});

test("below the threshold everything is plain text", () => {
  expect(detect(`\`\`\`\n${CODE}\`\`\`\n`, 0.8)).toMatchObject([{ kind: "text", confidence: 0 }]);
  expect(detect("id,name,city\n1,Ann,Rome\n2,Bob,Oslo\n", 0.9)).toMatchObject([{ kind: "text" }]);
});

test("a text is of the kind that most of it is", () => {
  expect(kindOf(`Look:\n\n\`\`\`ts\n${CODE}\`\`\`\n`)).toBe("code");
  expect(kindOf("")).toBe("text");
});
