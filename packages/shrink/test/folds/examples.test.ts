// Each fold on a typical text: what the model sees, and that it comes back byte for byte.
import { expect, test } from "bun:test";

import { abbreviations } from "../../src/folds/abbreviations.ts";
import { digests } from "../../src/folds/digests.ts";
import { diffHeaders } from "../../src/folds/diff-headers.ts";
import { drawnTree } from "../../src/folds/drawn-tree.ts";
import type { Fold } from "../../src/folds/fold.ts";
import { grepByFile } from "../../src/folds/grep.ts";
import { indentedTree } from "../../src/folds/indented-tree.ts";
import { compactJson, jsonNotation } from "../../src/folds/json.ts";
import { lineRuns } from "../../src/folds/line-runs.ts";
import { folderListing } from "../../src/folds/listing.ts";
import { recursiveListing } from "../../src/folds/ls-recursive.ts";
import { paint } from "../../src/folds/paint.ts";
import { pathList } from "../../src/folds/paths.ts";
import { scriptDates } from "../../src/folds/script-dates.ts";
import { alignedTable } from "../../src/folds/table.ts";
import { directoryTree } from "../../src/folds/tree.ts";

const file = (name: string) => ({ name, type: "file" });
const TREE = [
  file("a.ts"),
  {
    name: "src",
    type: "directory",
    children: [file("b.ts"), { name: "empty", type: "directory", children: [] }, file("c d.ts")],
  },
];
const count = (from: number, length: number) => Array.from({ length }, (_, i) => from + i);
const DIGESTS = Array.from({ length: 8 }, (_, i) => String(i).repeat(7) + "0123456789abcdef".repeat(3).slice(0, 33));
const TSC = Array.from(
  { length: 12 },
  (_, i) => `index.js(${i},7): error TS7006: Parameter 'p${i}' implicitly has an 'any' type.`,
).join("\n");

test.each<[string, Fold, string, string]>([
  [
    "JSON loses the white space of its printer",
    compactJson,
    '{\n  "a": 1.0,\n  "a": [\n    true\n  ]\n}\n',
    '{"a":1.0,"a":[true]}',
  ],
  [
    "JSON keeps integers that no double can hold",
    compactJson,
    '{"n": 12345678901234567890}',
    '{"n":12345678901234567890}',
  ],
  [
    "rows of the same keys become a table",
    jsonNotation,
    '[{"id": 1, "name": "Ann", "kind": "user"}, {"id": 2, "name": "Bob B", "kind": "user"}]',
    '[bosun:json]\n[{id name kind=user}\n1 Ann\n2 "Bob B"]',
  ],
  [
    "a column of strings that look like numbers says so",
    jsonNotation,
    '[{"zip":"01234"},{"zip":"5"}]',
    "[bosun:json]\n[{zip'}\n01234\n5]",
  ],
  [
    "absent keys and repeated values are marked",
    jsonNotation,
    '[{"a":"2026-11-15","b":1},{"a":"2026-11-15"},{"a":"2026-11-15","b":[]}]',
    "[bosun:json]\n[{a=2026-11-15 b}\n1\n-\n[]]",
  ],
  [
    "an object of rows is a table with keys",
    jsonNotation,
    '{"x":{"a":1,"b":2},"y":{"a":3,"b":4}}',
    "[bosun:json]\n{{a b}\nx 1 2\ny 3 4}",
  ],
  [
    "JSON line by line is a table too",
    jsonNotation,
    '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n',
    "[bosun:json]\n[{a b}\n1 x\n2 y]",
  ],
  [
    "a directory tree is one line per folder",
    directoryTree,
    JSON.stringify(TREE, undefined, 2),
    "[bosun:tree]\na.ts\nsrc/ b.ts\n empty/\n c\\ d.ts",
  ],
  [
    "paths share their root and their ending",
    pathList,
    "/w/src/a.ts\n/w/src/b.ts\n/w/src/c.ts\n/w/d.md\n",
    "[bosun:paths /w/]\nsrc/*.ts a b c\nd.md\n",
  ],
  [
    "labels follow their path",
    pathList,
    "M\tsrc/a.ts\nM\tsrc/b.js\nM\tlib/c.ts\nD\tlib/d.js",
    "[bosun:paths =M]\nsrc/ a.ts b.js\nlib/ c.ts d.js=D",
  ],
  [
    "labels and endings stand apart",
    pathList,
    "M\ta/a.ts\nM\ta/b.ts\nM\ta/c.ts\nA\tx/d.ts\nA\tx/e.ts\nA\tx/f.ts\nM\ty/a.ts\nD\ty/b.ts\nM\ty/c.ts",
    "[bosun:paths *.ts =M]\na/ a b c\nx/=A d e f\ny/ a b=D c",
  ],
  [
    "folders that hold the same names stand in braces",
    pathList,
    "m/a/x.ts\nm/a/y.ts\nm/b/x.ts\nm/b/y.ts\nm/c/x.ts\nm/c/y.ts\nm/c/z.ts\nm/x.ts",
    "[bosun:paths m/]\n{a,b}/ x.ts y.ts\nc/*.ts x y z\nx.ts",
  ],
  [
    "what stands before the same name in each folder stands in the braces",
    pathList,
    "1a\trefs/pull/1/head\n2b\trefs/pull/2/head\n3c\trefs/pull/3/head\n4d\trefs/tags/v1\n5e\trefs/tags/v1^{}",
    "[bosun:paths refs/]\npull/{1=1a,2=2b,3=3c}/ head\ntags/ v1=4d v1^{}=5e",
  ],
  [
    "a sorted list needs no order: names stand with their folder, folders that are alike together",
    pathList,
    "a.ts\nsrc/a/x.ts\nsrc/a/y.ts\nsrc/b.ts\nsrc/c/z.ts\nsrc/d.ts\nsrc/e/x.ts\nsrc/e/y.ts\nz.ts\n",
    "[bosun:paths sorted]\na.ts z.ts\nsrc/ b.ts d.ts\n {a,e}/ x.ts y.ts\n c/ z.ts\n",
  ],
  [
    "sorted folder by folder is another order",
    pathList,
    "/w/a/x.ts\n/w/a/y.ts\n/w/a-b/x.ts\n/w/a-b/z.ts\n/w/c.ts\n/w/d/x.ts\n/w/d/y.ts\n/w/e.ts",
    "[bosun:paths /w/ walked]\nc.ts e.ts\n{a,d}/ x.ts y.ts\na-b/ x.ts z.ts",
  ],
  [
    "sizes that were sorted come back sorted",
    pathList,
    "90\t.\n40\t./src\n20\t./docs/b.md\n20\t./docs/a.md\n9\t./src/x.ts\n8\t./docs/c.md\n7\t./src/y.ts\n",
    "[bosun:paths ./ descending]\n.=90\nsrc/ .=40 x.ts=9 y.ts=7\ndocs/*.md b=20 a=20 c=8\n",
  ],
  [
    "a folder before what it holds is a dot in it",
    pathList,
    ".\n./src\n./src/b\n./src/b/x.ts\n./src/a.ts\n./c.ts\n",
    "[bosun:paths ./]\n.\nsrc/ .\n b/ . x.ts\n a.ts\nc.ts\n",
  ],
  [
    "a folder after what it holds too, with its slash where it had one",
    pathList,
    "4\t/w/src/a.ts\n12\t/w/src/\n7\t/w/b.ts\n3\t/w/lib/a.ts\n15\t/w/lib\n40\t/w",
    "[bosun:paths /w/]\nsrc/ a.ts=4 ./=12\nb.ts=7\nlib/ a.ts=3 .=15\n.=40",
  ],
  [
    "what most names of a folder are labelled with is said once",
    pathList,
    "A\tx/a.ts\nA\tx/b.js\nD\tx/c.md\nA\tx/d.css\nM\ty.ts\nM\ty.js\nM\ty.md\nM\ty.css\n",
    "[bosun:paths =M]\nx/=A a.ts b.js c.md=D d.css\ny.ts y.js y.md y.css\n",
  ],
  [
    "a name that is a dot and an ending is no folder",
    pathList,
    "x/a.ts\nx/b.ts\nx/..ts\n",
    "[bosun:paths x/]\n*.ts a b :..ts\n",
  ],
  [
    "each part of a list is sorted by itself",
    pathList,
    "M\ta/x.ts\nM\tb.ts\nM\tc/x.ts\nM\td.ts\n\nnext\nM\ta/x.ts\nM\tb.ts\nM\tc/x.ts\nM\td.ts",
    "[bosun:paths *.ts =M sorted]\nb d\na/ x\nc/ x\n|\n|next\nb d\na/ x\nc/ x",
  ],
  [
    "names that differ in their endings only are written once",
    pathList,
    "a/m.d.ts\na/m.js\na/n.d.ts\na/n.js\na/o.js\nb/p.d.ts\nb/p.js\nb/q+\nb/q.d.ts\nb/q.js\n",
    "[bosun:paths +.d.ts,.js]\na/ m+ n+ o.js\nb/ p+ :q+ q+\n",
  ],
  [
    "names that count are a range, with noughts and without",
    pathList,
    [
      ...count(8, 12).map((i) => `a/f-${String(i).padStart(3, "0")}.png`),
      ...count(9, 10).map((i) => `b/v${i}`),
      "b/v20",
    ].join("\n"),
    "[bosun:paths]\na/ f-{008..019}.png\nb/ v{9..18} v20",
  ],
  [
    "the same label all the way",
    pathList,
    [...count(1, 10).map((i) => `A\tx/${i}.sql`), ...count(11, 11).map((i) => `M\tx/${i}.sql`)].join("\n"),
    "[bosun:paths x/ =M]\n{1..10}.sql=A {11..21}.sql",
  ],
  [
    "with what stood before each of them",
    pathList,
    "1\tt/v1\n2\tt/v1^{}\n3\tt/v2\n4\tt/v2^{}\n5\tt/v3\n5\tt/v3^{}\n6\tt/v4\n7\tt/v4^{}",
    "[bosun:paths t/ +,^{}]\nv1+=1;2 v2+=3;4 v3+=5 v4+=6;7",
  ],
  [
    "columns that are always the same stand in the mark, an exception has all of them",
    pathList,
    ["100644 1a 0\tx.ts", "100644 2b 0\ty.ts", "100644 3c 0\ty.md", "100644 4d 0\ty.js", "100755 5e 0\tz.sh"].join(
      "\n",
    ),
    "[bosun:paths =100644,*,0]\nx.ts=1a y.ts=2b y.md=3c y.js=4d z.sh=100755,5e,0",
  ],
  [
    "words, each on a line of its own",
    pathList,
    ["main", "next", "v1", "v2", "x-y", "release", "stable", "old"].join("\n"),
    "[bosun:paths]\nmain next v1 v2 x-y release stable old",
  ],
  [
    "columns are aligned again",
    pathList,
    ["blob 1a     7\ta/x.ts", "blob 2b  1234\ta/y.js", "blob 3c    56\ta/z.md"].join("\n"),
    "[bosun:paths a/ =blob,*,*]\nx.ts=1a,7 y.js=2b,1234 z.md=3c,56",
  ],
  [
    "short lists on one line, as people write them",
    compactJson,
    '{\n  "a": ["x", "y"],\n\n  "b": {"c": 1, "d" : []},\n  "e": [\n    1\n  ]\n}\n',
    '{"a":["x","y"],"b":{"c":1,"d":[]},"e":[1]}',
  ],
  [
    "the same without quotes",
    jsonNotation,
    '[\n  {"name": "one", "tags": ["x", "y"]},\n  {"name": "two", "tags": [ ]}\n]',
    "[bosun:json]\n[{name tags}\none [x y]\ntwo []]",
  ],
  ["one blank too many", compactJson, '{"a":1 ,"b": 2}', '{"a":1,"b":2}'],
  [
    "a heading per file",
    grepByFile,
    "src/a.ts:1:x\nsrc/a.ts-2-y\n--\nsrc/b.ts:3:z\n",
    "[bosun:grep src/]\na.ts\n1:x\n-2-y\n--\nb.ts\n3:z\n",
  ],
  [
    "what a search complains about",
    grepByFile,
    "./a.ts:1:x\n./a.ts:2:y\n./a.ts:3:z\ngrep: ./b.bin: binary file matches\n./c.ts:4:|\n./c.ts:5:b",
    "[bosun:grep ./]\na.ts\n1:x\n2:y\n3:z\n|grep: ./b.bin: binary file matches\nc.ts\n4:|\n5:b",
  ],
  [
    "lines that say the same, one after the other in one file",
    grepByFile,
    "a.ts:3:}\na.ts:12:}\na.ts:40:}\na.ts:41: }\na.ts-42-}\na.ts-43-}\nb.ts:50:1,2:}\nb.ts:51:1,2:}\nc.ts:52:1,2:}",
    "[bosun:grep]\na.ts\n3,12,40:}\n41: }\n-42-}\n-43-}\nb.ts\n50,51:1,2:}\nc.ts\n52:1,2:}",
  ],
  [
    "the filesystem server's list",
    folderListing,
    "[DIR] src\n[FILE] a.ts\n[FILE] b c.ts",
    "[bosun:list]\nsrc/ a.ts b\\ c.ts",
  ],
  [
    "its names too are written once where only their endings differ",
    folderListing,
    ["a.d.ts", "a.js", "b.d.ts", "b.js", "c.d.ts", "c.js", "d.d.ts", "d.js"].map((name) => `[FILE] ${name}`).join("\n"),
    "[bosun:list +.d.ts,.js]\na+ b+ c+ d+",
  ],
  [
    "sizes without padding",
    folderListing,
    `[DIR] ${"src".padEnd(30)} \n[FILE] ${"a.ts".padEnd(30)} ${"1.15 KB".padStart(10)}\n\nTotal: 1 files`,
    "[bosun:list sizes]\nsrc/ a.ts=1.15K\n\nTotal: 1 files",
  ],
  [
    "ls -R of sorted names is a tree",
    recursiveListing,
    "src:\na.ts\nempty\nlib\nz c.ts\n\nsrc/empty:\n\nsrc/lib:\nLICENSE\ndeep\n\nsrc/lib/deep:\nx.ts\n",
    "[bosun:ls-R src:]\na.ts z\\ c.ts\nempty/\nlib/ LICENSE\n deep/ x.ts\n",
  ],
  [
    "ls -R cut off: a folder without its names is a name",
    recursiveListing,
    "lib/:\napi\ncore\n\nlib/api:\na.js\nb",
    "[bosun:ls-R lib/:]\ncore\napi/ a.js b",
  ],
  [
    "ls -R is one line per folder",
    recursiveListing,
    "src:\na.ts\nb c\n\nsrc/x:\nd.ts\n",
    "[bosun:ls-R]\nsrc: a.ts b\\ c\nsrc/x: d.ts\n",
  ],
  [
    "ls -R says endings once",
    recursiveListing,
    "src:\na.ts\nb.ts\n:c.ts\nwasm\n\nsrc/wasm:\nd.wasm\ne.wasm\nf.wasm\n",
    "[bosun:ls-R]\nsrc:*.ts a b ::c.ts :wasm\nsrc/wasm:*.wasm d e f\n",
  ],
  [
    "a drawn tree keeps its depth only",
    drawnTree,
    "p@1\n├─┬ a@1\n│ └── b@1\n└── c@1\n",
    "[bosun:drawn npm]\n|p@1\na@1\n b@1\nc@1\n|",
  ],
  [
    "names further and further in are one line per folder",
    indentedTree,
    "src/\n  a.ts\n  empty/\n  lib/\n    b.ts\n    c d.ts\nREADME.md\n",
    "[bosun:indented]\nsrc/ a.ts\n empty/\n lib/ b.ts c\\ d.ts\nREADME.md",
  ],
  [
    "so are names behind bullets, below a heading, above a remark",
    indentedTree,
    "- /home/dev/work/\n\t- src/\n\t\t- a.ts\n\t\t- b.ts\n\t\t- c.ts\n\t\t- d.ts\n\t- x.md\n\t- y/\n\t\t- z.md\n\nmore",
    "[bosun:indented -]\n|- /home/dev/work/\nsrc/*.ts a b c d\nx.md\ny/ z.md\n|\n|more",
  ],
  [
    "folders without a slash show in what they hold",
    indentedTree,
    "src\n  a.ts\n  lib\n    b.ts\nREADME.md",
    "[bosun:indented noslash]\nsrc/ a.ts\n lib/ b.ts\nREADME.md",
  ],
  [
    "pictures of folders and files stand in the mark",
    indentedTree,
    "📁 src\n  📄 a.ts\n  📁 empty\n  📄 b.ts",
    "[bosun:indented noslash 📁 📄]\nsrc/ a.ts\n empty/\n b.ts",
  ],
  [
    "file names of a patch once",
    diffHeaders,
    "diff --git a/x b/x\nindex 1a..2b 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    "[bosun:diff]\n=== x 1a..2b 100644\n@@ -1 +1 @@\n-a\n+b\n",
  ],
  [
    "a new file in a patch",
    diffHeaders,
    "diff --git a/x b/x\nnew file mode 100644\nindex 00..2b\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b",
    "[bosun:diff]\n=== x new 100644 00..2b\n@@ -0,0 +1 @@\n+b",
  ],
  [
    "aligned columns",
    alignedTable,
    "name      size\na.ts         1\nlong.ts   1234\n",
    "[bosun:table]\nname size\na.ts 1\nlong.ts 1234\n",
  ],
  [
    "digests begin with their digits, and stand there once",
    digests,
    [...DIGESTS, DIGESTS[0]].map((digest, i) => `${digest}\ttags/${i}`).join("\n"),
    [
      `[bosun:digests 7 digits, then words; read_original ${"0".repeat(24)}]`,
      ...DIGESTS.map((digest, i) => `${digest.slice(0, 7)}ChArchThroughCalcWinnerAmazingGenSafeUuidBirTras\ttags/${i}`),
      "0000000…\ttags/8",
    ].join("\n"),
  ],
  ["the same line again and again", lineRuns, "a\nwait\nwait\nwait\nb", "[bosun:runs]\na\n×3 wait\nb"],
  ["colours are gone, and the mark says so", paint, "\u001b[31merror\u001b[0m: x", "[bosun:unpainted]\nerror: x"],
  ["progress that was overwritten is gone", paint, "10%\r50%\r100% done\nnext", "[bosun:unpainted]\n100% done\nnext"],
  [
    "JavaScript dates",
    scriptDates,
    "created: Sun Nov 15 2026 19:27:15 GMT+0000 (Coordinated Universal Time)\n",
    "[bosun:dates]\ncreated: 2026-11-15 19:27:15\n",
  ],
  [
    "a date with the wrong day stays",
    scriptDates,
    "a: Sun Nov 15 2026 19:27:15 GMT+0000 (Coordinated Universal Time)\nb: Oct Oct 26 1985 08:15:00 GMT+0000 (Coordinated Universal Time)",
    "[bosun:dates]\na: 2026-11-15 19:27:15\nb: Oct Oct 26 1985 08:15:00 GMT+0000 (Coordinated Universal Time)",
  ],
  [
    "phrases get a letter",
    abbreviations,
    TSC,
    "[bosun:abbr]\nα=,7): error TS7006: Parameter 'p\nβ=' implicitly has an 'any' type\nγ=index.js(\nγ0α0β.\nγ1α1β.\n",
  ],
])("%s", (_, fold, text, seen) => {
  const folded = fold.fold(text);
  expect(folded?.text.slice(0, seen.length + 200).startsWith(seen) ? seen : folded?.text).toBe(seen);
  expect(fold.unfold(folded ?? { text: "" })).toBe(text);
});

test.each<[string, Fold, string]>([
  ["clock times are no search results", grepByFile, "2026-11-15:12:a\n2026-11-15:13:b\n2026-11-15:14:c"],
  ["a few words are no list", pathList, "main\nnext\nold"],
  ["sentences are no paths", pathList, "This is one.\nThis is two.\nAnd three."],
  [
    "JSON with white space of its own everywhere is not ours",
    compactJson,
    `[${Array.from({ length: 40 }, (_, i) => (i % 10) + ([",", " ,", ", "][i % 3] ?? "")).join("")}0]`,
  ],
  ["cut-off JSON is not JSON", jsonNotation, '[{"a":1},{"a":'],
  [
    "rows under headings are a table",
    pathList,
    ["NAME TYPE WHERE", "a disk /", "b disk /b", "c disk /c", "d none", "e none"].join("\n"),
  ],
  [
    "many columns are a table",
    pathList,
    Array.from({ length: 9 }, (_, i) => `${i} ${i + 1} ${i + 2} ${i + 3} src/${i}.ts`).join("\n"),
  ],
  [
    "a name that looks like a range stays away",
    directoryTree,
    JSON.stringify([file("a{1..3}.ts"), file("b.ts"), file("c.ts")], undefined, 2),
  ],
  ["a handful of digests is there to be used", digests, DIGESTS.slice(1).join("\n")],
  ["what already looks like a short digest stays", digests, [...DIGESTS, "0000000…"].join("\n")],
  ["ids of 32 digits are not digests", digests, DIGESTS.map((digest) => digest.slice(8)).join("\n")],
  ["words that do not line up are no table", alignedTable, "a b   c\ndd e f   g h\nx"],
])("%s", (_, fold, text) => {
  expect(fold.fold(text)).toBeUndefined();
});

test("a character that only looks like the first of a phrase, by its lower half, is not taken for it", () => {
  const text = `${",0".repeat(300)}本${"0,".repeat(300)}0`;
  const folded = abbreviations.fold(text);
  expect(folded?.text).toContain("本");
  expect(abbreviations.unfold(folded ?? { text: "" })).toBe(text);
});

test("phrases end where words and numbers do", () => {
  const names = ["Alex Chen", "Alexander Weiss", "Alexandra Kay", "Andrew", "Alexis"];
  const text = Array.from({ length: 60 }, (_, i) => `drwxr-xr-x root root 409${i % 10} by ${names[i % 5] ?? ""}`).join(
    "\n",
  );
  const { text: folded = "" } = abbreviations.fold(text) ?? {};
  const [, ...lines] = folded.split("\n");
  const legend = lines.filter((line) => /^\p{L}=/u.test(line)).map((line) => line.slice(2));
  expect(legend).not.toBeEmpty();
  for (const phrase of legend) {
    expect(phrase).not.toMatch(/ 409$/);
    expect(phrase).not.toMatch(/Alex$/);
  }
  expect(folded).toMatch(/409\d/);
  expect(abbreviations.unfold({ text: folded })).toBe(text);
});

test("letters come in the order in which other vocabularies take them best", () => {
  const words = Array.from({ length: 12 }, (_, i) => `the ${"word ".repeat(3)}number ${i} of twelve, `);
  const folded = abbreviations.fold(words.map((word) => word.repeat(6)).join("\n"));
  const letters = folded?.text.match(/^.(?==)/gmu)?.join("") ?? "";
  expect(letters).not.toBe("");
  expect("αβγεθλμπσφωΔ").toStartWith(letters.slice(0, 12));
});

test("a text that holds our letters gets others", () => {
  const folded = abbreviations.fold(TSC.replaceAll("index", "α"));
  expect(folded?.text).toContain("\nβ=");
  expect(folded?.text).not.toContain("\nα=");
});
