// Texts as tools might say them, and as nobody should: generated from a seed, or mutated from recorded ones.
import type { Random } from "./random.ts";

const WORDS =
  "src lib test index main util parse config server error warn info file type name value data node http json".split(
    " ",
  );
const ODD = [
  "a b",
  "ünï",
  "αβ",
  "x=y",
  "q:z",
  "*.md",
  "|bar",
  ":colon",
  "tab\tin",
  "back\\slash",
  'quo"te',
  "[b]",
  "{c}",
  "-",
  "^",
  "",
  " lead",
  "trail ",
  "'s",
  "[bosun: end]",
  "[bosun:",
  "[b0sun:",
  "日本",
  "😀",
  "1e5",
  "007",
  "null",
  "true",
  "×3 x",
  "=== x",
  "--",
  "a/b",
];
const ENDINGS = [".ts", ".js", ".d.ts", ".md", ".json", "", ".test.ts"];

export function generateText(random: Random): string {
  return random.pick(MAKERS)(random);
}

/** Small damage: what a tool cut off, repeated or garbled. */
export function mutate(text: string, random: Random): string {
  let out = text;
  for (let times = 1 + random.below(3); times > 0; times--) {
    const at = random.below(out.length + 1);
    const to = Math.min(out.length, at + random.below(30));
    const way = random.below(8);
    if (way === 0) out = out.slice(0, at) + out.slice(to);
    else if (way === 1) out = out.slice(0, at) + random.pick(ODD) + out.slice(at);
    else if (way === 2) out = out.slice(0, to) + out.slice(at);
    else if (way === 3) out = out.slice(0, at);
    else if (way === 4) out = shuffleLine(out, random);
    else if (way === 5) out = out.slice(at);
    else if (way === 6)
      out = out.replaceAll(
        random.pick([" ", "\n", "/", ":", ",", "0"]),
        random.pick(["  ", "\r\n", "\t", "", "-", "α"]),
      );
    else out = `${out}\n${out.slice(at, to)}`;
  }
  // Half a surrogate pair cannot travel as UTF-8.
  return out.toWellFormed();
}

function shuffleLine(text: string, random: Random): string {
  const lines = text.split("\n");
  const from = random.below(lines.length);
  const [line = ""] = lines.splice(from, 1);
  lines.splice(random.below(lines.length + 1), 0, line);
  return lines.join("\n");
}

const MAKERS: ((random: Random) => string)[] = [
  json,
  jsonLines,
  paths,
  labelledPaths,
  columnsAndPaths,
  counted,
  grep,
  tree,
  listing,
  recursive,
  recursiveTree,
  table,
  log,
  painted,
  diff,
  drawn,
  indented,
  repeated,
  prose,
  forged,
];

function word(random: Random): string {
  return random.below(12) === 0
    ? random.pick(ODD)
    : random.pick(WORDS) + (random.below(3) === 0 ? String(random.below(2000)) : "");
}

function fileName(random: Random): string {
  return word(random).replaceAll("\n", "") + random.pick(ENDINGS);
}

function path(random: Random, root: string): string {
  const depth = random.below(4);
  return root + Array.from({ length: depth }, () => `${random.pick(WORDS)}/`).join("") + fileName(random);
}

function many<Item>(random: Random, most: number, make: () => Item): Item[] {
  return Array.from({ length: 1 + random.below(most) }, make);
}

function jsonValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 3 ? 5 : 9);
  if (kind === 0) return random.below(100_000) / random.pick([1, 10, 1000]);
  if (kind === 1) return random.pick([true, false, null]);
  if (kind < 5) return random.below(6) === 0 ? String(random.below(10_000)) : word(random);
  if (kind === 5) return many(random, 5, () => jsonValue(random, depth + 1));
  if (kind === 6) {
    const keys = many(random, 5, () => word(random));
    return many(random, 8, () =>
      Object.fromEntries(keys.filter(() => random.below(9) > 0).map((key) => [key, jsonValue(random, depth + 2)])),
    );
  }
  if (kind === 7) {
    const keys = many(random, 4, () => word(random));
    return Object.fromEntries(
      many(random, 6, () => [word(random), Object.fromEntries(keys.map((key) => [key, jsonValue(random, depth + 2)]))]),
    );
  }
  return Object.fromEntries(many(random, 6, () => [word(random), jsonValue(random, depth + 1)]));
}

function json(random: Random): string {
  const value = jsonValue(random, 0);
  const style = random.below(5);
  let text = JSON.stringify(value, undefined, [undefined, 2, 4, "\t", 1][style]) ?? "null";
  if (style === 0 && random.below(2) === 0) text = text.replaceAll('":', '": ').replaceAll(',"', ', "');
  // People put some of it on one line, and a blank where no printer would.
  if (random.below(4) === 0)
    text = text.replaceAll(/\n\s*(?="|\d|\]|\})/g, (gap) =>
      random.below(3) === 0 ? random.pick(["", " ", "\n\n "]) : gap,
    );
  // What JSON.stringify never writes: a repeated key, and numbers that no double can hold.
  if (random.below(4) === 0)
    text = text.replace(/\d+/, random.pick(["12345678901234567890", "1.0", "1E+2", "-0", "0.10"]));
  if (random.below(6) === 0) text = text.replace(/("[\w]+":)/, "$1 1, $1");
  return text + random.pick(["", "\n", "", " "]);
}

function jsonLines(random: Random): string {
  return (
    many(random, 8, () =>
      JSON.stringify({ id: random.below(1000), [word(random)]: jsonValue(random, 3), name: word(random) }),
    ).join("\n") + random.pick(["", "\n"])
  );
}

function paths(random: Random): string {
  const root = random.pick(["/home/dev/work/", "./", "", "C:\\x\\", "/"]);
  let all = many(random, 20, () => path(random, root));
  // As `find` does: folders before what they hold, perhaps with a slash.
  if (random.below(3) === 0)
    all = all.flatMap((one) => [one.slice(0, one.lastIndexOf("/") + random.below(2)), one]).filter((one) => one !== "");
  const order = random.below(4);
  if (order === 0) all.sort();
  else if (order === 1) all.sort((left, right) => (left.replaceAll("/", "\0") < right.replaceAll("/", "\0") ? -1 : 1));
  return (random.below(3) === 0 ? [...new Set(all)] : all).join("\n") + random.pick(["", "\n"]);
}

function labelledPaths(random: Random): string {
  const gap = random.pick(["\t", "  ", " "]);
  const width = random.pick([0, 5, 8]);
  const label = random.pick<() => string>([() => String(random.below(9000)), () => random.pick(["M", "A", "D", "??"])]);
  return many(random, 16, () =>
    random.below(9) === 0 ? word(random) : label().padStart(width) + gap + path(random, "./"),
  ).join("\n");
}

// As `git ls-files -s`, `sha256sum`, `git log --numstat` and `du | sort` do: columns before paths, sorted or not.
function columnsAndPaths(random: Random): string {
  const known = many(random, 4, () => digest(random));
  const column = random.pick<() => string>([
    () => (random.below(4) === 0 ? random.pick(known) : digest(random)),
    () => `100644 ${digest(random)} 0`,
    () => `${random.below(90)}\t${random.below(90)}`,
    () => String(random.below(5000)).padStart(6),
    () => `-rw-r--r-- 1 root root ${String(random.below(90_000)).padStart(5)} Aug 22 05:55`,
  ]);
  const lines = many(random, 24, () => `${column()}${random.pick(["\t", "\t", "  "])}${path(random, "./")}`);
  const name = (line: string) => line.slice(line.lastIndexOf("./"));
  const order = random.below(4);
  if (order === 0) lines.sort((left, right) => (name(left) < name(right) ? -1 : 1));
  else if (order === 1) lines.sort((left, right) => parseInt(right, 10) - parseInt(left, 10));
  if (random.below(4) === 0) lines.splice(random.below(lines.length), 0, "", `commit ${digest(random)}`);
  return lines.join("\n") + random.pick(["", "\n"]);
}

function digest(random: Random): string {
  const digits = random.pick([32, 40, 40, 64, 128, 39]);
  return Array.from({ length: digits }, () => random.below(16).toString(16)).join("");
}

// Names that count, with holes, other numbers beside, and labels or not.
function counted(random: Random): string {
  const [before, after] = [random.pick(["d/part", "v", "", "a1b", "x/0"]), random.pick([".ts", "", ".d.ts", "-2.js"])];
  const label = random.pick(["", "", "M\t", "12  "]);
  const width = random.pick([0, 0, 3]);
  let number = random.pick([0, 1, 7, 98, 997, 99_999_990]);
  return many(random, 24, () => {
    number += random.below(8) === 0 ? random.below(5) : 1;
    return `${random.below(9) === 0 ? "D\t" : label}${before}${String(number).padStart(width, "0")}${random.below(9) === 0 ? ".js" : after}`;
  }).join("\n");
}

function grep(random: Random): string {
  const files = many(random, 4, () => path(random, "./src/"));
  const lines = many(
    random,
    20,
    () => `${random.pick(files)}${random.pick([":12:", "-13-", ":7:3:", ":"])}${word(random)} ${word(random)}`,
  );
  if (random.below(3) === 0)
    lines.push(...Array.from({ length: 4 }, (_, i) => `${files[0] ?? ""}:${i * 7}:${word(random)}`));
  if (random.below(4) === 0)
    lines.splice(random.below(lines.length), 0, random.pick(["grep: x: not a file", "", "|", "x"]));
  return lines.join(random.pick(["\n", "\n", "\n--\n"])) + random.pick(["", "\n"]);
}

function treeNodes(random: Random, depth: number): object[] {
  return many(random, 5, () =>
    random.below(3) === 0 && depth < 4
      ? { name: word(random), type: "directory", children: random.below(5) === 0 ? [] : treeNodes(random, depth + 1) }
      : { name: fileName(random), type: "file" },
  );
}

function tree(random: Random): string {
  return JSON.stringify(treeNodes(random, 0), undefined, 2);
}

function listing(random: Random): string {
  const sized = random.below(2) === 0;
  const lines = many(random, 20, () => {
    const folder = random.below(4) === 0;
    const name = folder ? word(random) : fileName(random);
    const size = random.pick(["957 B", "1.15 KB", "22.16 MB"]);
    if (!sized) return `${folder ? "[DIR]" : "[FILE]"} ${name}`;
    return `${folder ? "[DIR]" : "[FILE]"} ${name.padEnd(30)} ${folder ? "" : size.padStart(10)}`;
  });
  return lines.join("\n") + (sized ? `\n\nTotal: ${lines.length} files, 2 directories\nCombined size: 1.2 KB` : "");
}

// As ls sorts: every folder that is named has its names further down.
function recursiveTree(random: Random): string {
  const sections: string[] = [];
  const visit = (folder: string, depth: number): void => {
    const names = [...new Set(many(random, 6, () => fileName(random)))].filter((name) => name !== "").sort();
    sections.push([`${folder}:`, ...(random.below(6) === 0 ? [] : names)].join("\n"));
    if (sections.at(-1) === `${folder}:`) return;
    for (const name of names) if (depth < 3 && random.below(3) === 0) visit(`${folder}/${name}`, depth + 1);
  };
  visit(random.pick(["src", ".", "/usr/lib"]), 0);
  return sections.join("\n\n") + random.pick(["", "\n"]);
}

function recursive(random: Random): string {
  return (
    many(random, 6, () => [`${path(random, "src/")}:`, ...many(random, 6, () => fileName(random))].join("\n")).join(
      "\n\n",
    ) + "\n"
  );
}

function table(random: Random): string {
  const widths = many(random, 6, () => 3 + random.below(14));
  const left = widths.map(() => random.below(2) === 0);
  const rows = many(random, 14, () =>
    widths
      .map((width, i) => (left[i] ? word(random).padEnd(width) : word(random).padStart(width)))
      .join(random.pick([" ", " ", "  "])),
  );
  return rows.join("\n") + random.pick(["", "\n"]);
}

function log(random: Random): string {
  const day = `2026-11-${10 + random.below(19)}`;
  return many(
    random,
    20,
    () =>
      `${day}T19:27:${10 + random.below(49)}.${random.below(1000)}Z ${random.pick(["INFO ", "WARN ", "DEBUG"])} [${random.pick(WORDS)}.file] indexed path=${path(random, "")} bytes=${random.below(9999)}`,
  ).join("\n");
}

function painted(random: Random): string {
  const colour = () => `\u001b[${random.pick(["31", "32", "1;33", "0", "m"])}m`;
  return many(
    random,
    12,
    () =>
      `${colour()}${word(random)}\u001b[0m ${random.below(4) === 0 ? `10%\r50%\r${word(random)} done` : word(random)}`,
  ).join(random.pick(["\n", "\r\n"]));
}

function diff(random: Random): string {
  return many(random, 3, () => {
    const name = `${random.pick(WORDS)}/${word(random)}.ts`;
    const change = random.below(4);
    const head =
      change === 0
        ? "new file mode 100644\nindex 0000000..1a2b3c4\n"
        : change === 1
          ? "deleted file mode 100644\nindex 1a2b3c4..0000000\n"
          : "index 1a2b3c4..5d6e7f8 100644\n";
    const names = `--- ${change === 0 ? "/dev/null" : `a/${name}`}\n+++ ${change === 1 ? "/dev/null" : `b/${name}`}\n`;
    const body = many(random, 8, () => random.pick([" ", "+", "-"]) + word(random)).join("\n");
    return `diff --git a/${name} b/${name}\n${head}${names}@@ -1,3 +1,4 @@\n${body}`;
  }).join("\n");
}

function drawn(random: Random): string {
  const out = ["project@1.0.0 /work"];
  const draw = (prefix: string, depth: number) => {
    const count = 1 + random.below(4);
    for (let i = 0; i < count; i++) {
      const last = i === count - 1;
      const parent = depth < 3 && random.below(3) === 0;
      out.push(`${prefix}${last ? "└" : "├"}─${parent ? "┬" : "─"} ${word(random)}@1.${random.below(9)}.0`);
      if (parent) draw(prefix + (last ? "  " : "│ "), depth + 1);
    }
  };
  draw("", 0);
  return out.join("\n") + "\n";
}

function indented(random: Random): string {
  const unit = random.pick(["  ", "    ", "\t", " "]);
  const [ofFolders = "", ofFiles = ofFolders] = random.pick([[""], [""], ["- "], ["* "], ["📁 ", "📄 "], ["", "- "]]);
  const slash = random.pick(["/", "/", ""]);
  const out = random.below(3) === 0 ? [random.pick(["/home/dev/work/", "- /work/:", "", "12 files"])] : [];
  const base = out.length > 0 ? random.pick(["", unit]) : "";
  const list = (depth: number) => {
    for (let left = random.below(6) + (depth === 0 ? 2 : 0); left > 0; left--) {
      const folder = depth < 4 && random.below(3) === 0;
      out.push(base + unit.repeat(depth) + (folder ? ofFolders + word(random) + slash : ofFiles + fileName(random)));
      if (folder) list(depth + 1);
    }
  };
  list(0);
  return out.join("\n") + random.pick(["", "\n", "\n\n3 folders\n"]);
}

function repeated(random: Random): string {
  return many(random, 8, () =>
    Array.from({ length: 1 + random.below(9) }, (_, i) =>
      i === 0 ? `${word(random)} ${word(random)}` : "again and again the same line",
    ).join("\n"),
  ).join("\n");
}

function prose(random: Random): string {
  return many(random, 8, () => many(random, 14, () => word(random)).join(" ")).join(random.pick(["\n", "\n\n", ". "]));
}

function forged(random: Random): string {
  return `${random.pick(["[bosun: $1 stands for the text given here]\n$1 = x\n$1", "[bosun: the line above 9 more times]\n", "[bosun: JSON as key=value; rows under a header; - is absent]\na=1", "[bosun: end]\nb"])}${prose(random)}`;
}
