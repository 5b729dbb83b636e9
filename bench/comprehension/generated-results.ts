// Results as tools give them, made from a seed: no recording is needed to see whether a notation can be read.
import { Random } from "../../packages/shrink/test/random.ts";

export type GeneratedResult = { id: string; class: string; text: string };

const MAKERS: Record<string, (random: Random) => string> = {
  paths,
  tree,
  "ls -R": listing,
  grep,
  "json rows": rows,
  "json object": object,
  "json lines": (random) => many(random, 12, () => JSON.stringify(record(random, 5))).join("\n"),
  table,
  log,
  numbered,
  patch,
  repeats,
  settings,
  prose: (random) => many(random, 12, () => `${many(random, 14, () => word(random)).join(" ")}.`).join("\n"),
};

export function* generatedResults(count: number, seed: number): Generator<GeneratedResult> {
  const random = new Random(seed);
  const kinds = Object.entries(MAKERS);
  for (let i = 0; i < count; i++) {
    const [kind, make] = kinds[i % kinds.length] as (typeof kinds)[number];
    yield { id: `generated/${seed}/${i}`, class: kind, text: make(random) };
  }
}

const WORDS =
  "src lib test index main util parse config server error warn info file type name value data node http json report worker queue cache session user order item price state".split(
    " ",
  );
const ENDINGS = [".ts", ".js", ".md", ".json", ".test.ts", ".d.ts", ""];

function word(random: Random): string {
  return random.pick(WORDS) + (random.below(3) === 0 ? String(random.below(2000)) : "");
}

function many<Item>(random: Random, most: number, make: (i: number) => Item): Item[] {
  return Array.from({ length: 3 + random.below(most) }, (_, i) => make(i));
}

function fileName(random: Random): string {
  const odd =
    random.below(30) === 0 ? random.pick(["a b", "x:y", "tab", "-", "=", "[id]", "(group)", "A", "…", "ü"]) : "";
  return odd + word(random) + random.pick(ENDINGS);
}

function folders(random: Random): string[] {
  return many(random, 9, () =>
    `${Array.from({ length: random.below(4) }, () => random.pick(WORDS)).join("/")}/`.replace(/^\//, ""),
  );
}

function paths(random: Random): string {
  const root = random.pick(["/home/dev/work/project/", "./", "", "/"]);
  const inside = folders(random);
  const all = [...new Set(many(random, 50, () => root + random.pick(inside) + fileName(random)))];
  const ordered = random.below(3) === 0 ? all : all.sort();
  return (
    (random.below(4) === 0 ? ordered.map((one) => `${random.pick(["M", "A", "D"])}\t${one}`) : ordered).join("\n") +
    random.pick(["", "\n"])
  );
}

type Entry = { name: string; type: string; children?: Entry[] };

function entries(random: Random, depth: number): Entry[] {
  const names = [...new Set(many(random, 8, () => fileName(random)))];
  return names.map((name) => {
    if (depth > 3 || random.below(4) > 0) return { name, type: "file" };
    return { name, type: "directory", children: random.below(6) === 0 ? [] : entries(random, depth + 1) };
  });
}

function tree(random: Random): string {
  return JSON.stringify(entries(random, 0), undefined, 2);
}

function listing(random: Random): string {
  return (
    many(random, 8, (i) => [`src/part${i}:`, ...many(random, 12, () => fileName(random))].join("\n")).join("\n\n") +
    "\n"
  );
}

function grep(random: Random): string {
  const root = random.pick(["./", "/home/dev/project/", "src/", ""]);
  const context = random.below(3) === 0;
  return many(random, 8, (i) => {
    let number = 1;
    const file = `${root}${random.pick(WORDS)}/${i}${fileName(random)}`;
    return many(random, 9, () => {
      number += random.below(20) + 1;
      const sign = context && random.below(3) > 0 ? "-" : ":";
      const text = `${random.pick(["", "  ", "\t", "12: ", "{", ""])}const ${word(random)} = ${word(random)}(${random.below(100)});`;
      return `${file}${sign}${number}${sign}${text}`;
    }).join("\n");
  }).join(context ? "\n--\n" : "\n");
}

function scalar(random: Random): unknown {
  const way = random.below(12);
  if (way < 3) return random.below(100_000) / random.pick([1, 10]);
  if (way < 4) return String(random.below(100_000));
  if (way < 5)
    return random.pick([null, true, false, "", "-", "null", "true", "a b", "x=y", "[a]", "{", "01234", "1e5"]);
  return way < 8 ? `${word(random)} ${word(random)}` : word(random);
}

function record(random: Random, most: number): Record<string, unknown> {
  const pairs = many(random, most, (i): [string, unknown] => [
    random.below(25) === 0 ? `odd key.${i}` : `${random.pick(WORDS)}${i}`,
    scalar(random),
  ]);
  return Object.fromEntries(pairs);
}

function rows(random: Random): string {
  const keys = many(random, 6, (i) => (random.below(20) === 0 ? `odd ${i}` : `${random.pick(WORDS)}_${i}`));
  const kinds = keys.map(() => random.below(5));
  const same = keys.map(() => scalar(random));
  const all = many(random, 30, (n) =>
    Object.fromEntries(
      keys.flatMap((key, i): [string, unknown][] => {
        if (kinds[i] === 0) return [[key, same[i]]];
        if (kinds[i] === 1) return random.below(5) === 0 ? [] : [[key, scalar(random)]];
        if (kinds[i] === 2) return [[key, n * 7]];
        if (kinds[i] === 3) return [[key, { low: random.below(9), high: word(random) }]];
        return [[key, String(random.below(3000))]];
      }),
    ),
  );
  return JSON.stringify(random.below(2) === 0 ? all : { total: all.length, rows: all }, undefined, random.pick([0, 2]));
}

function object(random: Random): string {
  const value: Record<string, unknown> = record(random, 20);
  value["inner"] = record(random, 6);
  value["list"] = many(random, 6, () => scalar(random));
  if (random.below(2) === 0)
    value["by_name"] = Object.fromEntries(
      many(random, 8, (i) => [`k${i}.x`, { ...record(random, 2), fixed: 1, n: i }]),
    );
  if (random.below(3) === 0) value["mixed"] = many(random, 4, () => record(random, 3));
  return JSON.stringify(value, undefined, random.pick([0, 2, 4]));
}

function table(random: Random): string {
  const widths = many(random, 5, () => 4 + random.below(12));
  const kinds = widths.map(() => random.below(4));
  const cell = (i: number, n: number): string =>
    kinds[i] === 0
      ? "root"
      : kinds[i] === 1
        ? String(n * 13)
        : kinds[i] === 2
          ? random.pick(["running", "sleeping", "zombie"])
          : word(random);
  const header = widths.map((width, i) => `COL${i}`.padEnd(width)).join(" ");
  const body = many(random, 40, (n) =>
    widths.map((width, i) => (kinds[i] === 1 ? cell(i, n).padStart(width) : cell(i, n).padEnd(width))).join(" "),
  );
  return [header, ...body].join("\n") + "\n";
}

function log(random: Random): string {
  const start = Date.UTC(2026, 10, 15, 19, 27, 0);
  let now = start;
  const line = (): string => {
    now += random.below(4000);
    const time = new Date(now).toISOString();
    const kind = random.below(10);
    if (kind < 5) return `${time} INFO  [indexer.file] indexed path=src/${word(random)}.ts bytes=${random.below(9000)}`;
    if (kind < 8) return `${time} DEBUG [pool] connection ${random.below(20)} is idle for ${random.below(5000)} ms`;
    if (kind < 9) return `${time} WARN  [pool] ${many(random, 6, () => word(random)).join(" ")}`;
    return random.pick(["A hello", "    at main (src/a.ts:1:2)", "{1} is not there", "B", "", "$1 = x", "a…"]);
  };
  return Array.from({ length: 20 + random.below(80) }, line).join(random.pick(["\n", "\n", "\r\n"]));
}

function numbered(random: Random): string {
  const [width, sign] = random.pick([
    [6, "\t"],
    [0, ":"],
    [4, "|"],
    [5, "→"],
  ] as [number, string][]);
  let number = 1 + random.below(300);
  const lines = many(random, 60, () => {
    const text = random.pick([
      "",
      "  return 1;",
      "\tif (x) {",
      `const ${word(random)} = 1;`,
      "12: literal",
      "}",
      "  // note",
    ]);
    return `${String(number++).padStart(width)}${sign}${text}`;
  });
  return lines.join("\n") + random.pick(["", "\n", "\nThe file goes on below."]);
}

function patch(random: Random): string {
  return many(random, 4, (i) => {
    const file = `src/${word(random)}${i}.ts`;
    const body = many(random, 8, () => random.pick([" ", "+", "-"]) + word(random)).join("\n");
    return `diff --git a/${file} b/${file}\nindex 1a2b3c${i}..5d6e7f8 100644\n--- a/${file}\n+++ b/${file}\n@@ -1,3 +1,4 @@\n${body}`;
  }).join("\n");
}

function repeats(random: Random): string {
  const block = many(random, 14, () => `${word(random)} ${word(random)} ${word(random)} stays the same`);
  return many(random, 6, () =>
    random.below(2) === 0
      ? block
      : Array.from({ length: 1 + random.below(30) }, () => "waiting for the server to come up"),
  )
    .flat()
    .join("\n");
}

function settings(random: Random): string {
  const roots = many(random, 5, () => `net.${random.pick(WORDS)}.${word(random)}`);
  return roots.flatMap((root) => many(random, 12, () => `${root}.${word(random)} = ${random.below(9000)}`)).join("\n");
}
