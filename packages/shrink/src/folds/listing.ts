// What `list_directory` and `list_directory_with_sizes` of the official filesystem server say about one folder:
// names only, folders with a slash, sizes after "=" without their B. Whatever follows the list stays as it is.
//
//   [bosun:list sizes *.ts]
//   .github/ main=980 test=2.04K :README.md=1.2K
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";
import { commonEnding, readName, splitWords, writeName } from "./name-lines.ts";

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
    const ending = commonEnding(
      entries.flatMap(({ folder, name }) => (folder ? [] : [name])),
      MIN_NAMES,
    );
    const words = entries.map(
      ({ folder, name, size }) => writeName(name, folder ? "" : ending) + (folder ? "/" : size ? `=${size}` : ""),
    );
    const rest = end < 0 ? "" : `\n${lines.slice(end).join("\n")}`;
    const argument = [sized ? "sizes" : "", ending && `*${ending}`].filter(Boolean).join(" ");
    return { text: withMark(this.name, argument, words.join(" ") + rest) };
  },
  unfold({ text }) {
    const { argument = "", body = "" } = readMark(text) ?? {};
    const ending = /\*(\S+)/.exec(argument)?.[1] ?? "";
    const sized = argument.startsWith("sizes");
    const end = body.indexOf("\n");
    const words = splitWords(end < 0 ? body : body.slice(0, end));
    const lines = words.map((word) => {
      if (word.endsWith("/")) return print({ folder: true, name: readName(word.slice(0, -1), "") }, sized);
      const at = word.lastIndexOf("=");
      const name = readName(at < 0 ? word : word.slice(0, at), ending);
      return print(at < 0 ? { folder: false, name } : { folder: false, name, size: word.slice(at + 1) }, sized);
    });
    return lines.join("\n") + (end < 0 ? "" : body.slice(end));
  },
};

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
