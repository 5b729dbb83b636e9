// What `list_directory` and `list_directory_with_sizes` of the official filesystem server say about one folder:
// names only, folders with a slash, sizes after "=" without their B. Whatever follows the list stays as it is.
//
//   [bosun:list sizes *.ts]
//   .github/ main=980 test=2.04K :README.md=1.2K
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";
import type { Named } from "./alike-folders.ts";
import { commonEnding, readName, splitWords, unescapeName, writeName, writeNamed } from "./name-lines.ts";
import type { Tuple } from "./name-tuples.ts";
import { findTuple, isTogether, joinTuples, readTuple, splitTogether, writeTuple } from "./name-tuples.ts";

const MIN_ENTRIES = 2;
const MIN_NAMES = 6;
const FILE = "[FILE] ";
const FOLDER = "[DIR] ";
// The server pads names to 30 characters and sizes to 10.
const NAME_WIDTH = 30;
const SIZE_WIDTH = 10;
const SIZED = /^(\[(?:FILE|DIR)\] )(.*?) +(?:([\d.]+) ([KMGT]?B))?$/;

type Entry = { folder: boolean; name: string; size?: string };

export const folderListing: Fold = {
  name: "list",
  fold(text) {
    if (!text.startsWith(FILE) && !text.startsWith(FOLDER)) return undefined;
    const lines = linesOf(text);
    const end = lines.findIndex((line) => !line.startsWith(FILE) && !line.startsWith(FOLDER));
    const own = end < 0 ? lines : lines.slice(0, end);
    if (own.length < MIN_ENTRIES) return undefined;
    const sized = own.some((line) => SIZED.test(line));
    const entries = own.map((line) => (sized ? readSized(line) : readPlain(line)));
    if (entries.some((entry, i) => /[=/]/.test(entry.name) || entry.name === "" || print(entry, sized) !== own[i])) {
      return undefined;
    }
    const { words, ending, tuple } = writeEntries(entries);
    const rest = end < 0 ? "" : `\n${lines.slice(end).join("\n")}`;
    const argument = [sized && "sizes", ending && `*${ending}`, writeTuple(tuple)].filter(Boolean).join(" ");
    return { text: withMark(this.name, argument, words.join(" ") + rest) };
  },
  unfold({ text }) {
    const { argument = "", body = "" } = readMark(text) ?? {};
    const ending = /\*(\S+)/.exec(argument)?.[1] ?? "";
    const tuple = argument
      .split(" ")
      .map(readTuple)
      .find((word) => word !== undefined);
    const sized = argument.startsWith("sizes");
    const end = body.indexOf("\n");
    const words = splitWords(end < 0 ? body : body.slice(0, end));
    const lines = words.flatMap((word) => {
      if (word.endsWith("/")) return print({ folder: true, name: readName(word.slice(0, -1), "") }, sized);
      const at = word.lastIndexOf("=");
      const [written, size] = at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
      if (tuple === undefined || !isTogether(written)) return printFile(readName(written, ending), size, sized);
      const names = splitTogether(unescapeName(written.slice(0, -1)), size, tuple);
      return names.map(({ name, label }) => printFile(name, label, sized));
    });
    return lines.join("\n") + (end < 0 ? "" : body.slice(end));
  },
};

// Files in a row may go together; a folder parts them.
function writeEntries(entries: readonly Entry[]): { words: string[]; ending: string; tuple: Tuple | undefined } {
  const rows: Named[][] = [[]];
  for (const { folder, name, size } of entries) {
    if (folder) rows.push([{ name: `${name}/`, label: undefined }], []);
    else rows.at(-1)?.push({ name, label: size });
  }
  const tuple = findTuple(rows);
  const named = rows.flatMap((row) => (tuple === undefined ? row : joinTuples(row, tuple)));
  const apart = named.flatMap(({ name, together }) => (together === true || name.endsWith("/") ? [] : [name]));
  const ending = commonEnding(apart, MIN_NAMES);
  const words = named.map((one) => {
    if (one.name.endsWith("/")) return `${writeName(one.name.slice(0, -1), "")}/`;
    return writeNamed(one, ending, tuple) + (one.label === undefined ? "" : `=${one.label}`);
  });
  return { words, ending, tuple };
}

function printFile(name: string, size: string, sized: boolean): string {
  return print(size === "" ? { folder: false, name } : { folder: false, name, size }, sized);
}

function readPlain(line: string): Entry {
  return { folder: line.startsWith(FOLDER), name: line.slice(line.indexOf(" ") + 1) };
}

function readSized(line: string): Entry {
  const [, kind = "", name = "", number, unit] = SIZED.exec(line) ?? [];
  const entry = { folder: kind === FOLDER, name };
  return number === undefined ? entry : { ...entry, size: number + (unit ?? "").slice(0, -1) };
}

function print({ folder, name, size = "" }: Entry, sized: boolean): string {
  const head = (folder ? FOLDER : FILE) + name;
  if (!sized) return head;
  const parted = size.replace(/^([\d.]+)(.*)$/, "$1 $2B");
  return (folder ? FOLDER : FILE) + name.padEnd(NAME_WIDTH) + " " + (folder ? "" : parted.padStart(SIZE_WIDTH));
}
