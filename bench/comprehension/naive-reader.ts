// A reader that has the text and nothing else: English as it stands in the marks, one rule per phrase, and what everybody
// knows (ls, rg --heading, key=value, rows under a header, {1} for a gap). It imports nothing of shrink, on purpose: what it
// cannot make out is a fault of the notation. An unknown mark, or anything that can be read in two ways, is not understood.
import type { Node } from "./nodes.ts";
import type { Reading } from "./reading.ts";
import { entriesOf, readPlain, splitLines } from "./reading.ts";

class NotUnderstood extends Error {}

/** undefined: some of it cannot be understood. */
export function readNaively(text: string): Reading | undefined {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

const MARK = /^\[bosun: (.*)\]$/;
const END = "[bosun: end]";

function read(text: string): Reading {
  if (!text.includes("[bosun:")) return readPlain(text);
  const shown = withLegend(text.split("\n"));
  const reading: Reading = { lines: [], values: [], entries: undefined };
  let plain: string[] = [];
  const take = (part: Reading): void => {
    for (const line of part.lines) reading.lines.push(line);
    reading.values.push(...part.values);
    reading.entries ??= part.entries;
  };
  for (let i = 0; i < shown.length; i++) {
    const line = shown[i] ?? "";
    if (!line.includes("[bosun:")) {
      plain.push(line);
      continue;
    }
    const says = MARK.exec(line)?.[1] ?? fail(`a mark in the middle of a line: ${line}`);
    const [again, times] = /^the line above (\d+) more times$/.exec(says) ?? [];
    const [more, count, from, to] = /^(\d+) more lines, the same as lines (\d+)-(\d+) of this result$/.exec(says) ?? [];
    if (again !== undefined) {
      for (let n = Number(times); n > 0; n--) plain.push(plain.at(-1) ?? fail("no line above"));
    } else if (more !== undefined) {
      const all = [...reading.lines, ...plain].slice(Number(from) - 1, Number(to));
      if (all.length !== Number(count)) fail("a block of another length");
      plain.push(...all);
    } else {
      take(splitLines(plain));
      plain = [];
      const end = shown.indexOf(END, i);
      const body = shown.slice(i + 1, end < 0 ? shown.length : end);
      const after: string[] = [];
      if (end < 0) while (body.at(-1) === "") after.push(body.pop() ?? "");
      take(form(says, body));
      plain = after;
      i = end < 0 ? shown.length : end;
    }
  }
  take(splitLines(plain));
  return reading;
}

// "$1 stands for the text given here": put back before anything else is read.
function withLegend(lines: string[]): string[] {
  const says = /^\[bosun: ((?:\$\d )+)stands? for the text given here/.exec(lines[0] ?? "")?.[1];
  if (says === undefined) return lines;
  const names = says.trim().split(" ");
  const meanings = new Map(
    names.map((name, i) => {
      const line = lines[i + 1] ?? "";
      return line.startsWith(`${name} = `) ? [name, line.slice(name.length + 3)] : fail("a legend without its line");
    }),
  );
  return lines.slice(names.length + 1).map((line) => line.replace(/\$\d/g, (name) => meanings.get(name) ?? fail(name)));
}

function form(mark: string, body: string[]): Reading {
  const says = mark.replace(/; (?:repeat the call for the original|original: read_original \d+)$/, "");
  // What is invisible anyway.
  const phrase = says.replace(/^(?:(?:without colours|columns without padding)(?:; |$))*/, "");
  const root = /, all under (\S+)$/.exec(phrase)?.[1] ?? "";
  const name = phrase.replace(/, all under \S+$/, "");
  if (name === "" && root === "") return splitLines(body);
  if (name === 'paths by folder, "folder/: names"') return ofLines(body.flatMap((line) => pathsIn(line, root)));
  if (name === 'JSON tree as "folder/: names"; names ending in / are directories') return tree(body);
  if (name === 'ls -R as "folder/: names"') return listings(body);
  if (name === "[DIR] names end in /, the others are [FILE]") return ofLines(listing(body));
  if (name === "matches as line:text under their file") return ofLines(matches(body, root, /^\d+[:-]/));
  if (name === "matches as text under their file") return ofLines(matches(body, root, /^ /));
  if (name === "JSON as key=value; rows under a header; - is absent") return ofValue(json(body));
  if (name === "a JSON list of one object as key=value; rows under a header; - is absent")
    return ofValue({ items: [json(body)] });
  if (name === "JSON lines as key=value; rows under a header; - is absent") return jsonLines(body);
  if (name === "every tenth line number is shown") return ofLines(numbered(body));
  if (name === 'indented lines continue the last line that ends in "…"') return ofLines(continued(body));
  if (name.startsWith("indented lines are about files of the folder above, whose name belongs before theirs"))
    return ofLines(belowFolders(body, /; each begins with "(.*)"$/.exec(name)?.[1] ?? ""));
  if (name === '"diff FILE" is the header of a change to FILE') return ofLines(body.flatMap(patchHeader));
  if (name.startsWith("each line gives the values ")) return ofLines(onePattern(name, body));
  if (name.startsWith('"A 5 x" is pattern A with {1}=5 {2}=x')) return ofLines(patterns(body, name.includes("⏎")));
  return fail(`an unknown mark: ${mark}`);
}

function ofLines(lines: string[]): Reading {
  return splitLines(lines);
}

function ofValue(node: Node): Reading {
  const entries = entriesOf(node);
  return { lines: [], values: entries ? [] : [node], entries };
}

function pathsIn(line: string, root: string): string[] {
  const [, folder, names] = /^(.*\/): (.+)$/.exec(line) ?? [];
  if (folder === undefined || names === undefined) return [root + line];
  const whole = folder === "./" && root !== "" ? root : root + folder;
  return names.split(" ").map((name) => whole + name);
}

function tree(body: string[]): Reading {
  const entries = new Map<string, boolean>();
  for (const line of body) {
    const [, folder = "", names = ""] = /^(.+\/):(?: (.+))?$/.exec(line) ?? fail(`no folder: ${line}`);
    const whole = folder === "./" ? "" : folder;
    if (whole !== "") entries.set(whole.slice(0, -1), true);
    for (const word of names === "" ? [] : names.split(" ")) {
      for (let at = word.indexOf("/"); at >= 0; at = word.indexOf("/", at + 1))
        entries.set(whole + word.slice(0, at), true);
      if (!word.endsWith("/")) entries.set(whole + word, false);
    }
  }
  return { lines: [], values: [], entries };
}

function listings(body: string[]): Reading {
  const entries = new Map<string, boolean>();
  for (const line of body) {
    const [, folder = "", names = ""] = /^(.+\/):(?: (.+))?$/.exec(line) ?? fail(`no folder: ${line}`);
    for (const name of names === "" ? [] : names.split(" ")) entries.set(folder + name, false);
  }
  return { lines: [], values: [], entries };
}

function listing(body: string[]): string[] {
  const [names = "", ...rest] = body;
  const entries = names
    .split(" ")
    .map((name) => (name.endsWith("/") ? `[DIR] ${name.slice(0, -1)}` : `[FILE] ${name}`));
  return [...entries, ...rest];
}

function matches(body: string[], root: string, isMatch: RegExp): string[] {
  let file: string | undefined;
  return body.flatMap((line) => {
    if (line === "--" || line === "") return [line];
    if (isMatch.test(line)) {
      const whole = root + (file ?? fail("a match without a file"));
      if (line.startsWith(" ")) return [`${whole}:${line.slice(1)}`];
      return [whole + (/^\d+-/.test(line) ? "-" : ":") + line];
    }
    if (/^[^:\s]+:(?:\d+:|)/.test(line)) return [root + line]; // the only match of its file, whole
    file = line;
    return [];
  });
}

function numbered(body: string[]): string[] {
  let number = 0;
  let shape: { width: number; separator: string } | undefined;
  return body.map((line) => {
    const [, before = "", digits, separator = ""] = /^( *)(\d+)([\t|:→-])/.exec(line) ?? [];
    const isFirst = shape === undefined;
    if (digits !== undefined && (isFirst || separator === shape?.separator)) {
      number = Number(digits);
      shape ??= { width: before === "" ? 0 : before.length + digits.length, separator };
      return line;
    }
    if (shape === undefined) fail("no line number on the first line");
    number++;
    const padded = String(number).padStart(shape.width);
    return padded + shape.separator + line;
  });
}

function continued(body: string[]): string[] {
  let heading: string | undefined;
  return body.flatMap((line) => {
    if (line.startsWith(" ")) return [(heading ?? fail("nothing to continue")) + line.slice(1)];
    if (!line.endsWith("…")) return [line];
    heading = line.slice(0, -1);
    return [];
  });
}

function belowFolders(body: string[], begin: string): string[] {
  let folder: string | undefined;
  return body.flatMap((line) => {
    if (line.startsWith(" ") && folder !== undefined) {
      const name = line.slice(line.search(/\S+$/));
      return [begin + line.slice(1, line.length - name.length) + folder + name];
    }
    folder = line.endsWith("/:") ? line.slice(0, -1) : undefined;
    return folder === undefined ? [line] : [];
  });
}

function patchHeader(line: string): string[] {
  const [, file, index] = /^diff (\S+) (index \S+(?: \d+)?)$/.exec(line) ?? [];
  if (file === undefined) return [line];
  return [`diff --git a/${file} b/${file}`, index ?? "", `--- a/${file}`, `+++ b/${file}`];
}

function onePattern(says: string, body: string[]): string[] {
  const [, values = "", pattern = ""] =
    /^each line gives the values ((?:\{[\d…]+\} ?)+) of: ([^]*)$/.exec(says) ?? fail(says);
  const slots = values.trim().split(" ");
  return body.map((row) => filled(pattern, slots, row));
}

const LETTERED = /^([A-Z]) = (.*)$/;

function patterns(body: string[], hasBreaks: boolean): string[] {
  const known = new Map<string, string>();
  let at = 0;
  for (; ; at++) {
    const [, letter = "", pattern = ""] = LETTERED.exec(body[at] ?? "") ?? [];
    if (letter === "" || letter.charCodeAt(0) !== 65 + known.size) break;
    known.set(letter, pattern);
  }
  return body.slice(at).flatMap((line) => {
    const pattern = /^[A-Z](?: |$)/.test(line) ? known.get(line[0] ?? "") : undefined;
    if (pattern === undefined) return [line];
    const slots = [...new Set(pattern.match(/\{(?:\d+|…)\}/g))].sort(
      (a, b) => (Number(a.slice(1, -1)) || 99) - (Number(b.slice(1, -1)) || 99),
    );
    const whole = filled(pattern, slots, line.slice(2));
    return hasBreaks ? whole.split("⏎") : [whole];
  });
}

// The values stand between blanks; what {…} stands for is all that is left.
function filled(pattern: string, slots: readonly string[], row: string): string {
  const words = row === "" ? [] : row.split(" ");
  const open = slots.at(-1) === "{…}" ? slots.length - 1 : slots.length;
  if (open === slots.length ? words.length !== open : words.length <= open) fail(`${row} does not fit ${pattern}`);
  const meanings = new Map(slots.slice(0, open).map((slot, i) => [slot, words[i] ?? ""]));
  if (open < slots.length) meanings.set("{…}", words.slice(open).join(" "));
  return pattern.replace(/\{(?:\d+|…)\}/g, (slot) => meanings.get(slot) ?? slot);
}

function jsonLines(body: string[]): Reading {
  const node = json(body);
  return { lines: [], values: "items" in node ? node.items : fail("no list of lines"), entries: undefined };
}

// Members on lines, tables under their heading; a list alone has no name before its heading.
function json(body: string[]): Node {
  if (body.length === 1 && body[0]?.startsWith("[") === true) return new Words(body[0] ?? "").onlyValue();
  const members: [string, Node][] = [];
  for (let i = 0; i < body.length; i++) {
    const line = body[i] ?? "";
    const words = new Words(line);
    const heading =
      /^(?:((?:[^\s"=]|"(?:[^"\\]|\\.)*")+): )?(\d+) (rows|objects)(?: in lists of (\d+))?( by key)?(?:, which is also ((?:[^\s",]|"(?:[^"\\]|\\.)*")+))?(, one per line)?(?:, (all strings|strings in ([^]*?)))?(?:, all with ([^]*))?$/.exec(
        line,
      );
    if (heading === null) {
      members.push(...words.members());
      continue;
    }
    const [, name, count, kind, size, byKey, also, , strings, named, shared = ""] = heading;
    const rows = body.slice(i + 1, i + 1 + Number(count) + (kind === "rows" ? 1 : 0));
    i += rows.length;
    if (rows.some((row) => !row.startsWith(" "))) fail("a row that is not indented");
    const common = new Words(shared).members();
    const bareStrings = strings === "all strings" ? true : new Set(named === undefined ? [] : new Words(named).keys());
    const list =
      kind === "rows"
        ? table(rows, byKey !== undefined, common, bareStrings)
        : rows.map((row) => record(row.slice(1), byKey !== undefined, common));
    if (also !== undefined)
      for (const [key, own] of list)
        place("members" in own ? own.members : [], new Words(also).path(), { raw: JSON.stringify(key) });
    const items = list.map(([, own]) => own);
    const each = Number(size);
    const inLists = (): Node[] =>
      Array.from({ length: items.length / each }, (_, n) => ({ items: items.slice(n * each, (n + 1) * each) }));
    const node: Node = byKey !== undefined ? { members: list } : { items: size === undefined ? items : inLists() };
    if (name === undefined) return i + 1 === body.length ? node : fail("more behind a list");
    place(members, new Words(name).path(), node);
  }
  return { members };
}

function record(row: string, byKey: boolean, common: readonly [string, Node][]): [string, Node] {
  const words = new Words(row);
  const key = byKey ? words.keyBeforeColon() : "";
  return [key, { members: [...common, ...words.members()] }];
}

function table(
  rows: string[],
  byKey: boolean,
  common: readonly [string, Node][],
  strings: true | Set<string>,
): [string, Node][] {
  const [header = "", ...lines] = rows;
  const columns = new Words(header.slice(1)).paths();
  const keyed = byKey ? 0 : -1;
  return lines.map((line) => {
    const words = new Words(line.slice(1));
    const members: [string, Node][] = [...common];
    let key = "";
    columns.forEach((steps, i) => {
      const asString = i === keyed || strings === true || strings.has(steps.join("."));
      const cell = words.cell(asString);
      if (i === keyed)
        key = JSON.parse(("raw" in (cell ?? fail("no key")) && (cell as { raw: string }).raw) || '""') as string;
      else if (cell !== undefined) place(members, steps, cell);
    });
    if (!words.atEnd()) fail(`more cells than columns: ${line}`);
    return [key, { members }];
  });
}

function place(members: [string, Node][], [first = "", ...rest]: readonly string[], node: Node): void {
  if (rest.length === 0) {
    members.push([first, node]);
    return;
  }
  let inner = members.find(([key]) => key === first)?.[1];
  if (inner === undefined) members.push([first, (inner = { members: [] })]);
  place("members" in inner ? inner.members : fail(`${first} is no object`), rest, node);
}

/** Words between blanks: key=value, values, lists in brackets and objects in braces. */
class Words {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  onlyValue(): Node {
    const node = this.#value(false);
    return this.atEnd() ? node : fail("more behind a value");
  }

  members(): [string, Node][] {
    const found: [string, Node][] = [];
    while (!this.atEnd()) {
      found.push(this.#member());
      if (!this.atEnd()) this.#expect(" ");
    }
    return found;
  }

  keys(): string[] {
    return this.paths().map((steps) => steps.join("."));
  }

  paths(): string[][] {
    const found: string[][] = [];
    while (!this.atEnd()) {
      found.push(this.path());
      if (!this.atEnd()) this.#expect(" ");
    }
    return found;
  }

  /** outer.inner, each perhaps in quotes. */
  path(): string[] {
    const steps = [this.#key(/[^\s"=.{}[\]]+/y)];
    while (this.#text[this.#at] === ".") {
      this.#at++;
      steps.push(this.#key(/[^\s"=.{}[\]]+/y));
    }
    return steps;
  }

  keyBeforeColon(): string {
    const key = this.#key(/[^\s"={}[\]]+(?=:(?: |$))/y);
    this.#expect(":");
    if (!this.atEnd()) this.#expect(" ");
    return key;
  }

  /** undefined: absent. */
  cell(asString: boolean): Node | undefined {
    if (this.#at > 0) this.#expect(" ");
    if (this.#text[this.#at] === "-" && (this.#text[this.#at + 1] ?? " ") === " ") {
      this.#at++;
      return undefined;
    }
    return this.#value(asString);
  }

  #member(): [string, Node] {
    const key = this.#key(/[^\s"={}[\]]+/y);
    this.#expect("=");
    return [key, this.#value(false)];
  }

  #key(bare: RegExp): string {
    if (this.#text[this.#at] === '"') return JSON.parse(this.#match(/"(?:[^"\\]|\\.)*"/y)) as string;
    return this.#match(bare);
  }

  #value(asString: boolean): Node {
    const sign = this.#text[this.#at];
    if (sign === "[" || sign === "{") {
      this.#at++;
      const close = sign === "[" ? "]" : "}";
      const items: Node[] = [];
      const members: [string, Node][] = [];
      while (this.#text[this.#at] !== close) {
        if (items.length + members.length > 0) this.#expect(" ");
        if (sign === "[") items.push(this.#value(false));
        else members.push(this.#member());
      }
      this.#at++;
      return sign === "[" ? { items } : { members };
    }
    if (sign === '"') return { raw: this.#match(/"(?:[^"\\]|\\.)*"/y) };
    const word = this.#match(/[^\s"[\]{}]+/y);
    const isLiteral = !asString && /^(?:-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)$/.test(word);
    return { raw: isLiteral ? word : JSON.stringify(word) };
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? fail(`at ${this.#at} of ${this.#text}`);
    this.#at += found.length;
    return found;
  }

  #expect(sign: string): void {
    if (this.#text[this.#at] !== sign) fail(`no ${sign} at ${this.#at} of ${this.#text}`);
    this.#at++;
  }
}

function fail(why: string): never {
  throw new NotUnderstood(why);
}
