// Texts as tools give them, by class and of any size, never the same twice: what a proxy does to a tree differs from what
// it does to prose, and so does the time it takes.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dir, "../..");
const WORDS = "request session cache handler buffer stream parser token render socket".split(" ");
const word = (at: number): string => WORDS[(at * 31) % WORDS.length] ?? "";
const two = (at: number): string => String(at % 60).padStart(2, "0");

type Make = (bytes: number, turn: number) => string;

export const CLASSES: Record<string, Make> = {
  tree: (bytes, turn) => grown(bytes, turn, folder, 2),
  paths: lines((at) => `/srv/app/src/${word(at >> 5)}/${word(at >> 3)}-${at % 97}/${word(at)}-${at}.ts`),
  grep: lines(
    (at) =>
      `src/${word(at >> 4)}/${word(at >> 3)}.ts:${(at * 13) % 900}:  const ${word(at)} = await ${word(at + 3)}(${at});`,
  ),
  "flat JSON": (bytes, turn) => grown(bytes, turn, row, 2),
  "nested JSON": (bytes, turn) => grown(bytes, turn, order, undefined),
  log: lines(
    (at) =>
      `2026-11-${10 + (at % 20)}T10:${two(at >> 6)}:${two(at)}Z INFO  [${word(at >> 4)}] ${word(at)} ${at} done in ${(at * 7) % 300} ms`,
  ),
  table: lines(
    (at) =>
      `${`${word(at)}-${(at * 31) % 977}.service`.padEnd(30)} loaded  ${(at % 3 ? "active" : "inactive").padEnd(9)} ${String((at * 37) % 9000).padStart(6)}  The ${word(at >> 2)} of ${at}`,
  ),
  code: windows(sources("packages", /\/src\/.*\.ts$/), (at) => ` // ${at}`),
  prose: windows(sources("docs", /\.md$/), (at) => ` (${at})`),
  diff: (bytes, turn) => diffOf(CLASSES["code"]?.(bytes * 2, turn) ?? "", turn).slice(0, bytes),
};

function lines(line: (at: number) => string): Make {
  return (bytes, turn) => {
    const out: string[] = [];
    for (let length = 0, at = turn * 7919; length < bytes; at++) {
      const next = line(at);
      out.push(next);
      length += next.length + 1;
    }
    return out.join("\n");
  };
}

// JSON of as many items as make the size, printed with so many blanks.
function grown(bytes: number, turn: number, item: (at: number) => object, blanks: number | undefined): string {
  const items: object[] = [];
  for (let length = 0, at = turn * 7919; length < bytes; at++) {
    const next = item(at);
    items.push(next);
    length += JSON.stringify([next], undefined, blanks).length;
  }
  return JSON.stringify(items, undefined, blanks);
}

function folder(at: number): object {
  const files = Array.from({ length: 3 + (at % 9) }, (_, i) => ({
    name: `${word(at + i)}-${(at * 7 + i) % 977}.${i % 4 ? "ts" : "md"}`,
    type: "file",
  }));
  const inner = { name: word(at >> 2), type: "directory", children: files.slice(0, at % 4) };
  return { name: `${word(at)}-${at}`, type: "directory", children: [...files, inner] };
}

function row(at: number): object {
  return {
    id: at,
    name: `${word(at)}-${at}`,
    state: at % 3 ? "open" : "closed",
    size: (at * 37) % 5000,
    ratio: (at % 90) / 8,
  };
}

function order(at: number): object {
  const items = Array.from({ length: 1 + (at % 3) }, (_, i) => ({
    sku: `sku-${(at * 13 + i) % 9999}`,
    options: { color: word(at + i), size: at % 5 },
    price: ((at * 17 + i) % 9999) / 100,
  }));
  const user = { first: word(at), last: word(at * 3), zip: String(10_000 + ((at * 31) % 90_000)) };
  return { id: `order_${at}`, user, items, note: at % 4 ? null : "left at the door, please ring twice" };
}

// Stretches of real text. A remark on every third line keeps one from being the repetition of another.
function windows(text: string, remark: (at: number) => string): Make {
  const all = text.split("\n");
  const average = text.length / all.length;
  return (bytes, turn) => {
    const room = Math.max(1, all.length - Math.ceil(bytes / average) * 2);
    const out: string[] = [];
    // More than there is begins again at the top, with other remarks.
    for (let length = 0, at = (turn * 7919) % room; length < bytes; at++) {
      const line = `${all[at % all.length] ?? ""}${at % 3 === 0 ? remark(at + turn * 1000) : ""}`;
      out.push(line);
      length += line.length + 1;
    }
    return out.join("\n");
  };
}

function diffOf(code: string, turn: number): string {
  const out: string[] = [];
  for (const [i, line] of code.split("\n").entries()) {
    if (i % 60 === 0) {
      const file = `src/${word(i + turn)}/${word(turn)}-${i}.ts`;
      const blob = (at: number): string => ((at * 2_654_435_761) >>> 4).toString(16).padStart(7, "0").slice(0, 7);
      out.push(`diff --git a/${file} b/${file}`, `index ${blob(i + turn)}..${blob(i + turn + 1)} 100644`);
      out.push(`--- a/${file}`, `+++ b/${file}`);
    }
    if (i % 20 === 0) out.push(`@@ -${i + 1},18 +${i + 1},20 @@ export function ${word(i)}() {`);
    out.push(`${i % 7 === 2 ? "-" : i % 7 < 2 ? "+" : " "}${line}`);
  }
  return out.join("\n");
}

function sources(under: string, wanted: RegExp): string {
  return readdirSync(path.join(root, under), { recursive: true, encoding: "utf8" })
    .map((name) => path.join(under, name))
    .filter((name) => wanted.test(name) && !name.includes("node_modules"))
    .sort()
    .map((name) => readFileSync(path.join(root, name), "utf8"))
    .join("\n");
}
