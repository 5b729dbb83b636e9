// What a reader sees: one example of each form, whole.
import { expect, test } from "bun:test";

import { foldText, unfoldText } from "../../src/index.ts";

const repeat = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");

test.each<[string, string, RegExp | string]>([
  [
    "paths",
    repeat(30, (i) => `/home/dev/src/hono/${["a", "b/c", "d"][Math.floor(i / 10)] ?? ""}/file${i}.ts`),
    /^\[bosun: paths by folder, "folder\/: names", all under \/home\/dev\/src\/hono\/\]\na\/: file0\.ts file1\.ts .*\nb\/c\/: file10\.ts/,
  ],
  [
    "paths that would read wrong if a shared part were left out",
    repeat(24, (i) => `pandas/${i < 12 ? "compat/pyarrow" : "core/arrays"}/part_${i}.py`),
    /^\[bosun: paths by folder, "folder\/: names"\]\npandas\/compat\/pyarrow\/: [^\n]*\npandas\/core\/arrays\/: /,
  ],
  [
    "a path with a blank keeps its line",
    `${repeat(24, (i) => `./src/file${i}.ts`)}\n./src/two words.ts\n./src/last.ts`,
    /\n\.\/src\/two words\.ts\n\.\/src\/last\.ts$/,
  ],
  [
    "what stands before paths",
    `commit c45cfe1\n\n${repeat(20, (i) => `M\tlib/api/file${i}.js`)}`,
    /\]\ncommit c45cfe1\n\nM\tlib\/api\/: file0\.js file1\.js /,
  ],
  [
    "labels that differ",
    repeat(
      30,
      (i) =>
        `${(i * 7919) % 97}\t${(i * 31) % 13}\tlib/dispatcher/deep/folder/${String.fromCharCode(97 + (i % 26))}${i}.js`,
    ),
    /^\[bosun: [^\n]*\]\n/,
  ],
  [
    "a tree",
    JSON.stringify(
      [
        {
          name: "docs",
          type: "directory",
          children: [
            {
              name: "api",
              type: "directory",
              children: [
                { name: "a.md", type: "file" },
                { name: "b.md", type: "file" },
              ],
            },
          ],
        },
        { name: "empty", type: "directory", children: [] },
        { name: "one", type: "directory", children: [{ name: "only.ts", type: "file" }] },
        ...Array.from({ length: 8 }, (_, i) => ({ name: `f${i}.ts`, type: "file" })),
      ],
      undefined,
      2,
    ),
    '[bosun: JSON tree as "folder/: names"; names ending in / are directories]\n' +
      "./: docs/api/ empty/ one/only.ts f0.ts f1.ts f2.ts f3.ts f4.ts f5.ts f6.ts f7.ts\ndocs/api/: a.md b.md\nempty/:",
  ],
  [
    "a listing",
    repeat(40, (i) => (i % 4 === 0 ? `[DIR] d${i}` : `[FILE] f${i}.ts`)),
    /^\[bosun: \[DIR\] names end in \/, the others are \[FILE\]\]\nd0\/ f1\.ts f2\.ts f3\.ts d4\/ /,
  ],
  [
    "matches",
    repeat(
      30,
      (i) =>
        `./lib/mock/file${Math.floor(i / 10)}.js${i % 3 === 0 ? ":" : "-"}${i + 1}${i % 3 === 0 ? ":" : "-"}      return ${i} of it`,
    ),
    /^\[bosun: matches as line:text under their file, all under \.\/lib\/mock\/\]\nfile0\.js\n1: {6}return 0 of it\n2- {6}return 1 of it/,
  ],
  [
    "JSON",
    JSON.stringify(
      {
        destination: "google.com",
        port: "80",
        pattern: null,
        empty: "",
        address: { city: "Bonn", zip: "053113" },
        list: [1, "two words", "-"],
        rows: Array.from({ length: 6 }, (_, i) => ({
          type: "reply",
          icmp_seq: i,
          host: { name: `h${i}`, up: true },
          code: `${i}0`,
        })),
      },
      undefined,
      2,
    ),
    "[bosun: JSON as key=value; rows under a header; - is absent]\n" +
      'destination=google.com port="80" pattern=null empty="" address={city=Bonn zip="053113"} list=[1 "two words" "-"]\n' +
      "rows: 6 rows, strings in code, all with type=reply\n icmp_seq host.name host.up code\n 0 h0 true 00\n 1 h1 true 10\n 2 h2 true 20\n 3 h3 true 30\n 4 h4 true 40\n 5 h5 true 50",
  ],
  [
    "null, empty, absent, - and words that look like them",
    JSON.stringify(
      ["x", null, "", undefined, "-", "null", 12345678901].map((value, i) => ({
        id: `row number ${i}`,
        value,
        fixed: "the same in all rows",
      })),
      undefined,
      2,
    ),
    /\n "row number 0" x\n "row number 1" null\n "row number 2" ""\n "row number 3" -\n "row number 4" "-"\n "row number 5" "null"\n "row number 6" 12345678901$/,
  ],
  [
    "records by key, which say their key once more",
    JSON.stringify({
      variants: Object.fromEntries(
        Array.from({ length: 8 }, (_, i) => [
          `100${i}`,
          { item_id: `100${i}`, price: i * 1.5, available: i % 2 === 0 },
        ]),
      ),
    }),
    /\nvariants: 8 rows by key, which is also item_id\n key price available\n 1000 0 true\n/,
  ],
  [
    "lines that say the same",
    repeat(30, (i) => `1408 bytes from 151.101.189.67 (151.101.189.67): icmp_seq=${i} ttl=59 time=31.${i} ms`),
    /^\[bosun: each line gives the values \{1\} \{2\} of: 1408 bytes from 151\.101\.189\.67 \(151\.101\.189\.67\): icmp_seq=\{1\} ttl=59 time=\{2\} ms\]\n0 31\.0\n1 31\.1\n/,
  ],
  [
    "several kinds of lines, and odd ones",
    `begin\n${repeat(60, (i) => {
      const time = `10:${10 + (i % 50)}:10,978`;
      return (i * i) % 7 > 1
        ? `${time} INFO [pool] connection ${i} is open`
        : `${time} WARN [disk] volume v${i} is at ${i * 3} percent`;
    })}\nend`,
    /^\[bosun: "A 5 x" is pattern A with \{1\}=5 \{2\}=x\]\nA = \{1\} WARN \[disk\] volume \{2\} is at \{3\} percent\nB = \{1\} INFO \[pool\] connection \{2\} is open\nbegin\nA 10:10:10,978 v0 0\nA 10:11:10,978 v1 3\nB 10:12:10,978 2\n[^]*\nend$/,
  ],
  [
    "blocks of lines that say the same",
    repeat(
      40,
      (i) => `# Subtest: file${i}.ts is small\nok ${i} - file${i}.ts is small\n  ---\n  duration_ms: ${i}.5\n  ...`,
    ),
    /⏎ is a line break\]\nA = # Subtest: \{1\} is small⏎ok \{2\} - \{1\} is small⏎ {2}---⏎ {2}duration_ms: \{3\}⏎ {2}\.\.\.\nA file0\.ts 0 0\.5\n/,
  ],
  [
    "shared beginnings",
    repeat(
      40,
      (i) =>
        `net.ipv4.conf.${i < 20 ? "all" : "default"}.${["accept", "arp", "bc", "drop", "rp"][i % 5] ?? ""}_${["local", "filter", "notify", "x", "gratuitous_arp"][(i * 3) % 7] ?? "announce"} = ${i % 2 === 0 ? "on" : "off, it seems"}`,
    ),
    /^\[bosun: indented lines continue the last line that ends in "…"\]\nnet\.ipv4\.conf\.all\.…\n accept_local = on\n/,
  ],
  [
    "numbered code",
    repeat(60, (i) => `${String(i + 1).padStart(6)}\t  return ${i}; // and so on`),
    /^\[bosun: every tenth line number is shown\]\n {5}1\t {2}return 0; \/\/ and so on\n {2}return 1; [^]*\n {4}10\t {2}return 9;/,
  ],
  [
    "numbered code with a gap, and a sentence behind it",
    `${repeat(40, (i) => `${String(i < 21 ? i + 40 : i + 59).padStart(6)}\t    return ${i}; // and so on`)}\nThe file has 120 lines.`,
    /^\[bosun: every tenth line number is shown\]\n {4}40\t {4}return 0; \/\/ and so on\n {4}return 1; [^]*\n {4}60\t[^\n]*\n {4}80\t[^]*\n {4}90\t[^]*\n {4}return 39; \/\/ and so on\n\[bosun: end\]\nThe file has 120 lines\.$/,
  ],
  [
    "a line many times",
    `start\n${repeat(40, () => "Waiting for the server to come up")}\nend`,
    "start\nWaiting for the server to come up\n[bosun: the line above 39 more times]\nend",
  ],
  [
    "JSON below a sentence",
    `Found these:\n\n${JSON.stringify(
      Array.from({ length: 20 }, (_, i) => ({ id: i, name: `n${i}`, ok: true })),
      undefined,
      2,
    )}\n`,
    /^Found these:\n\n\[bosun: JSON as key=value; rows under a header; - is absent\]\n20 rows, all with ok=true\n id name\n 0 n0\n[^]*\n\[bosun: end\]\n$/,
  ],
])("%s", (_, text, shown) => {
  const folded = foldText(text, { fold: "plain", threshold: 0.7 });
  if (typeof shown === "string") expect(folded?.text).toBe(shown);
  else expect(folded?.text).toMatch(shown);
  expect(folded && unfoldText(folded.text, folded.notes)).toBe(text);
});

test.each<[string, string]>([
  [
    "code",
    repeat(
      40,
      (i) => `  const part${i} = { name: '${i % 3}', ...options };\n  if (!part${i}.ok) throw new Error('no ${i}');`,
    ),
  ],
  [
    "prose",
    repeat(30, (i) => `The ${i}th sentence of a text that says something else each time, and is there to be read.`),
  ],
  ["one match per file", repeat(12, (i) => `src/part${i}/a${i}.ts:${i}:x`)],
  [
    "a line that looks like a row of a pattern",
    `A hello\n${repeat(30, (i) => `job ${i} is done in ${i * 3} ms by x${i}`)}`,
  ],
  ["a text that holds {1}", `{1}\n${repeat(30, (i) => `job ${i} is done in ${i * 3} ms by x${i}`)}`],
  ["fewer than forty tokens", repeat(6, (i) => `src/a${i}.ts`)],
])("%s stays as it is", (_, text) => {
  const folded = foldText(text, { fold: "plain", threshold: 0.7 });
  expect(folded?.folds.includes("patterns") === true ? folded.text : undefined).toBeUndefined();
  if (!text.includes("job")) expect(folded).toBeUndefined();
});

test("keys that no notation may change come back", () => {
  const odd = { "a.b": 1, "a=b": 2, key: 3, "": 4, "two words": 5, "[x]": 6, 'q"': 7 };
  const text = JSON.stringify(
    { list: Array.from({ length: 9 }, (_, i) => ({ ...odd, i })), odd, big: [1.5e300] },
    undefined,
    2,
  ).replace("5e300", "50E+300");
  const folded = foldText(text.replace('"key": 3', '"key": 12345678901234567890'), { fold: "plain", threshold: 0.7 });
  expect(folded?.folds).toEqual(["json"]);
  expect(folded?.text).toContain("12345678901234567890");
});
