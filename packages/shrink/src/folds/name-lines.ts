// Names in folders ↔ lines: one line per folder with the names in it, each level one blank further in.
//
//   README.md package.json          names at the top
//   src/ index.ts main.ts           a folder and names in it
//    folds/*.ts json tree           a folder inside the one above; the names end in .ts, except those
//    last.ts                        that start with a colon. Back in src/: a line without a folder of its own
//   {a,b}/ x.ts y.ts                both folders hold both names (alike-folders.ts)
//   |total 12                       a line that is no path, as it was
//   lib/=A new.ts a.ts              with labels: both are labelled A. One by one: new.ts=A old.ts=D
//   index+                          names that differ in their endings only (name-tuples.ts)
//   part{1..9}.ts                   names that count (name-ranges.ts)
//
// An ending may also stand in the mark, for all lines that name none. Blanks in names are written "\ ".
import type { Line, Named, NameLine } from "./alike-folders.ts";
import { joinAlike, readAlike, writeAlike } from "./alike-folders.ts";
import { UnfoldError } from "./fold.ts";
import { isSelf } from "./listed-folders.ts";
import { expandRange, joinRanges, looksLikeRange } from "./name-ranges.ts";
import type { Tuple } from "./name-tuples.ts";
import { mostFrequent } from "./most-frequent.ts";
import { findTuple, isTogether, joinTuples, looksTogether, plus, splitTogether } from "./name-tuples.ts";

/**
 * A name and the folders it lies in (an empty name: the folder itself), or a line to be left as it is. Where there are
 * labels, neither they nor the paths hold "=".
 */
export type Placed = { kind: "name"; folders: string[]; name: string; label?: string } | { kind: "line"; line: string };

const ESCAPED = /[\s\\]/g;
const ENDING = /^(?:\.\w{1,12}){1,2}$/;
/** An ending must be worth its place: on most names, and on enough of them. */
const MIN_SHARE = 0.6;
export const MIN_NAMES = 3;
export const MIN_NAMES_IN_MARK = 8;
const MAX_DEPTH = 60;
const [BLANK, DOT, SLASH, COLON] = [0x20, 0x2e, 0x2f, 0x3a];
/** What has no meaning in a line of names, wherever it stands. Two dots may be a range, and two blanks are not ours. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, unit) =>
  Number(unit >= BLANK && !/[\\|:*{}]/.test(String.fromCharCode(unit))),
);
/** What may stand before the names of a line: a folder, an ending, and a label where there are labels. */
const HEAD = /^((?:[^:].*\/)?)(\*\.\w+(?:\.\w+)*)?()$/;
const LABELLED_HEAD = /^((?!:)(?:(?:[^={}]|\{[^{}]*\})+\/)?)(\*\.\w+(?:\.\w+)*)?(=[^=]+)?$/;
/** What it costs to say that names are in another order. */
const MIN_FEWER_LINES = 2;
/** Where no folders are alike there is one. */
const ONE = [undefined];
/** What a damaged or hostile text may unfold to. */
const MAX_NAMES = 1 << 20;

/** Names as lines, and what these lines leave to the mark. */
export type NameLines = { body: string; ending: string; tuple: Tuple | undefined; grouped: boolean };

/**
 * undefined: these names cannot be written so that they read back the same. `grouped`: the same names in another
 * order, which is taken where it needs clearly fewer lines.
 */
export function writeNameLines(placed: readonly Placed[], group?: () => readonly Placed[]): NameLines | undefined {
  const inTheirOrder = intoLines(placed);
  if (inTheirOrder === undefined) return undefined;
  let lines = joinAlike(inTheirOrder);
  const other = group !== undefined && lines.length > MIN_FEWER_LINES ? intoLines(group()) : undefined;
  const fewer = other && joinAlike(other);
  const grouped = fewer !== undefined && fewer.length + MIN_FEWER_LINES <= lines.length;
  if (grouped) lines = fewer;
  const named: NameLine[] = [];
  for (const line of lines) {
    if (line.kind === "line") continue;
    for (const { name } of line.names) if (looksLikeRange(name)) return undefined;
    line.names = joinRanges(line.names);
    named.push(line);
  }
  const tuple = findTuple(named.map(({ names }) => names));
  if (tuple !== undefined) for (const line of named) line.names = joinTuples(line.names, tuple);
  const apart: string[] = [];
  for (const line of named) addNamesApart(line, apart);
  const ending = commonEnding(apart, MIN_NAMES_IN_MARK);
  return { body: lines.map((line) => writeLine(line, ending, tuple)).join("\n"), ending, tuple, grouped };
}

function addNamesApart({ names }: NameLine, to: string[]): string[] {
  for (const { name, together } of names) if (together !== true) to.push(name);
  return to;
}

/** `labelled`: what follows an "=" is a label. */
export function readNameLines(text: string, ending: string, labelled = false, tuple?: Tuple): Placed[] {
  const placed: Placed[] = [];
  let open: string[] = [];
  const mayBePlain = !labelled && tuple === undefined;
  for (let from = 0, next = 0; from <= text.length; from = next + 1) {
    next = text.indexOf("\n", from);
    if (next < 0) next = text.length;
    const plain = mayBePlain ? readPlainLine(text, from, next, open, ending, placed) : undefined;
    if (plain !== undefined) {
      open = plain;
      continue;
    }
    const line = text.slice(from, next);
    if (line.startsWith("|")) {
      placed.push({ kind: "line", line: line.slice(1) });
      continue;
    }
    let depth = 0;
    while (line[depth] === " ") depth++;
    if (depth > open.length) throw new UnfoldError(`a line is too far in: ${line}`);
    const words = splitWords(line.slice(depth));
    open = open.slice(0, depth);
    const [whole, folder = "", own, shared = ""] = readHead(words[0] ?? "", labelled) ?? [];
    const folders = folder === "" ? [] : folder.slice(0, -1).split("/");
    const alike = readAlike(folders.at(-1) ?? "", labelled);
    if (alike) folders.pop();
    const above = open;
    for (const name of folders) above.push(unescapeName(name));
    const first = whole ? 1 : 0;
    for (const member of alike ?? ONE) {
      open = member ? [...above, member.folder] : above;
      if (whole && words.length === 1) placed.push({ kind: "name", folders: open, name: "" });
      for (let i = first; i < words.length; i++) {
        const word = words[i] ?? "";
        const at = labelled ? word.lastIndexOf("=") : -1;
        const written = at < 0 ? word : word.slice(0, at);
        const label = at < 0 ? (member?.label ?? unescapeName(shared.slice(1))) : unescapeName(word.slice(at + 1));
        const names =
          tuple !== undefined && isTogether(written)
            ? splitTogether(unescapeName(written.slice(0, -1)), label, tuple)
            : [{ name: readName(written, own?.slice(1) ?? ending), label }];
        for (const { name: one, label: its } of names) {
          for (const name of looksLikeRange(one) ? expandRange(one, MAX_NAMES - placed.length) : [one])
            placed.push(
              its === "" ? { kind: "name", folders: open, name } : { kind: "name", folders: open, name, label: its },
            );
        }
      }
      if (placed.length > MAX_NAMES) throw new UnfoldError("too many names");
    }
  }
  return placed;
}

/**
 * A line of plain words, as most are: none of them holds a sign that has a meaning but for the slash after a folder.
 * The folders that are open after it; undefined: this line must be read with care.
 */
function readPlainLine(
  text: string,
  from: number,
  to: number,
  before: string[],
  ending: string,
  placed: Placed[],
): string[] | undefined {
  let at = from;
  while (at < to && text.charCodeAt(at) === BLANK) at++;
  const depth = at - from;
  if (at === to || depth > before.length || placed.length + to - from > MAX_NAMES) return undefined;
  for (let i = at; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f || PLAIN[unit] === 0) return undefined;
    if ((unit === BLANK || unit === DOT) && text.charCodeAt(i + 1) === unit) return undefined;
  }
  if (text.charCodeAt(to - 1) === BLANK) return undefined;
  let open = depth === before.length ? before : before.slice(0, depth);
  let end = wordEnd(text, at, to);
  if (text.charCodeAt(end - 1) === SLASH) {
    if (end - at < 2) return undefined;
    if (open === before) open = [...before];
    for (let start = at; start < end;) {
      const slash = text.indexOf("/", start);
      open.push(text.slice(start, slash));
      start = slash + 1;
    }
    if (end === to) placed.push({ kind: "name", folders: open, name: "" });
    at = end + 1;
  }
  while (at < to) {
    end = wordEnd(text, at, to);
    const word = text.slice(at, end);
    placed.push({ kind: "name", folders: open, name: isSelf(word) ? word : word + ending });
    at = end + 1;
  }
  return open;
}

function wordEnd(text: string, from: number, to: number): number {
  const end = text.indexOf(" ", from);
  return end < 0 || end > to ? to : end;
}

// A folder and nothing else is most of them; a word without a slash or a star is a name.
function readHead(word: string, labelled: boolean): readonly (string | undefined)[] | null {
  if (labelled || !isPlainWord(word)) return (labelled ? LABELLED_HEAD : HEAD).exec(word);
  if (word.charCodeAt(word.length - 1) !== SLASH) return word.includes("*.") || word === "" ? HEAD.exec(word) : null;
  return word.length > 1 && word.charCodeAt(0) !== COLON ? [word, word] : null;
}

/** The ending that most names share, such as ".ts" or ".d.ts", or an empty string. */
export function commonEnding(names: string[], atLeast: number): string {
  if (names.length < atLeast) return "";
  const counts = new Map<string, number>();
  const count = (ending: string) => counts.set(ending, (counts.get(ending) ?? 0) + 1);
  for (const name of names) {
    const last = name.lastIndexOf(".");
    if (last <= 0) continue;
    count(name.slice(last));
    const before = name.lastIndexOf(".", last - 1);
    if (before > 0) count(name.slice(before));
  }
  let best = "";
  let most = 0;
  for (const [ending, times] of counts) {
    // A double ending saves twice as much on each name that has it.
    const worth = times * (ending.lastIndexOf(".") > 0 ? 2 : 1);
    if (times < atLeast || times < names.length * MIN_SHARE || worth <= most || !ENDING.test(ending)) continue;
    most = worth;
    best = ending;
  }
  return best;
}

export function writeName(name: string, ending: string): string {
  if (isSelf(name)) return name;
  const special = name.startsWith(":") || name.startsWith("*.") || name.startsWith("|");
  if (ending === "") return special ? `:${escapeName(name)}` : escapeName(name);
  if (name.endsWith(ending) && name.length > ending.length && !special && !isSelf(name.slice(0, -ending.length)))
    return escapeName(name.slice(0, -ending.length));
  return `:${escapeName(name)}`;
}

export function readName(word: string, ending: string): string {
  if (isSelf(word)) return word;
  return word.startsWith(":") ? unescapeName(word.slice(1)) : unescapeName(word) + ending;
}

function intoLines(placed: readonly Placed[]): Line[] | undefined {
  const lines: Line[] = [];
  let open: string[] = [];
  let line: Line | undefined;
  for (const item of placed) {
    if (item.kind === "line") {
      lines.push(item);
      line = undefined;
      continue;
    }
    const { folders, name, label } = item;
    if (label !== undefined && (name === "" || label === "" || label.includes("="))) return undefined;
    if (line?.kind === "names" && sameFolder(open, folders)) {
      // Opening a folder twice would read as once.
      if (name === "" || line.names.length === 0) return undefined;
      line.names.push({ name, label });
      continue;
    }
    let shared = 0;
    while (shared < open.length && shared < folders.length && open[shared] === folders[shared]) shared++;
    const own = folders.slice(shared);
    if (folders.length > MAX_DEPTH || own.includes("") || own.some((folder) => /^[|:{]|^\*\./.test(folder)))
      return undefined;
    if (own.length === 0 && name === "") return undefined;
    line = { kind: "names", depth: shared, own, names: name === "" ? [] : [{ name, label }] };
    lines.push(line);
    open = folders;
  }
  return lines;
}

function writeLine(line: Line, ending: string, tuple: Tuple | undefined): string {
  if (line.kind === "line") return `|${line.line}`;
  const { names, alike, own: folders } = line;
  const ofLine = names.length < MIN_NAMES ? "" : commonEnding(addNamesApart(line, []), MIN_NAMES);
  const own = ofLine === "" ? ending : ofLine;
  const shared = sharedLabel(names);
  let head = "";
  for (let i = 0; i < folders.length; i++)
    head += `${alike && i === folders.length - 1 ? writeAlike(alike) : escapeName(folders[i] ?? "")}/`;
  if (own !== ending) head += `*${own}`;
  head += labelOf(shared);
  let written = " ".repeat(line.depth) + head;
  for (let i = 0; i < names.length; i++) {
    const named = names[i] as Named;
    let word = writeNamed(named, own, tuple) + (named.label === shared ? "" : labelOf(named.label));
    // A line that starts with a name which looks like a folder, or like the deeper line it is not, would read wrong.
    if (i === 0 && head === "" && /\/(?:$|=)|^[\s=]/.test(word))
      word = `:${escapeName(named.name)}${labelOf(named.label)}`;
    written += i === 0 && head === "" ? word : ` ${word}`;
  }
  return written;
}

/** The label that most names of a line have; a name without any could not stand beside it. */
function sharedLabel(names: readonly Named[]): string | undefined {
  if (names.length < 2 || names.some(({ label }) => label === undefined)) return undefined;
  const { item, times } = mostFrequent(names.map(({ label = "" }) => label));
  return times === names.length || times >= MIN_NAMES ? item : undefined;
}

export function writeNamed({ name, together }: Named, ending: string, tuple: Tuple | undefined): string {
  if (together === true) return plus(escapeName(name));
  return tuple !== undefined && looksTogether(name) ? `:${escapeName(name)}` : writeName(name, ending);
}

function labelOf(label: string | undefined): string {
  return label === undefined ? "" : `=${escapeName(label)}`;
}

function sameFolder(left: string[], right: string[]): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let i = left.length - 1; i >= 0; i--) if (left[i] !== right[i]) return false;
  return true;
}

/** Words parted by blanks; a blank or backslash inside one has a backslash before it. */
export function splitWords(line: string): string[] {
  const isPlain = !line.includes("\\") && !line.includes("  ") && !line.startsWith(" ") && !line.endsWith(" ");
  return isPlain && line !== "" ? line.split(" ") : (line.match(/(?:\\[^]|[^ \\])+/g) ?? []);
}

export function escapeName(name: string): string {
  return isPlainWord(name) ? name : name.replace(ESCAPED, (char) => `\\${char}`);
}

export function unescapeName(word: string): string {
  return word.includes("\\") ? word.replace(/\\([\s\\])/g, "$1") : word;
}

// Most names are: nothing in them can be a blank.
function isPlainWord(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    if (unit <= 0x20 || unit === 0x5c || unit > 0x7f) return false;
  }
  return true;
}
