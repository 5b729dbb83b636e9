// `ls -R`: folders with a colon, the names in them below, a blank line between. A tree where the names are sorted
// (ls-tree.ts): the heading of the first folder in the mark, and lines of names as in any other tree.
//
//   [bosun:ls-R src: *.ts]
//   index main
//   folds/ json tree
//
// Otherwise one line per folder, with the ending that most of its names share, or the one in the mark; a name with a
// colon before it has neither.
//
//   [bosun:ls-R *.ts]
//   src: :folds index main
//   src/wasm:*.wasm json tree
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { printTree, treeOfSections } from "./ls-tree.ts";
import { fitsInMark, readMark, withMark } from "./mark.ts";
import {
  commonEnding,
  MIN_NAMES,
  MIN_NAMES_IN_MARK,
  readName,
  readNameLines,
  splitWords,
  writeName,
  writeNameLines,
} from "./name-lines.ts";
import { readTuple, writeTuple } from "./name-tuples.ts";

const MIN_FOLDERS = 2;
const HEADING = /^(.*:)(\*\.\w+(?:\.\w+)*)?$/;

export const recursiveListing: Fold = {
  name: "ls-R",
  fold(text) {
    const trail = text.endsWith("\n") ? "\n" : "";
    const sections = text
      .slice(0, text.length - trail.length)
      .split("\n\n")
      .map((section) => section.split("\n"));
    if (sections.length < MIN_FOLDERS || !sections.every(isFolder)) return undefined;
    const tree = writeTree(sections);
    if (tree !== undefined) return { text: withMark(this.name, tree.argument, tree.body + trail) };
    const ending = commonEnding(
      sections.flatMap((section) => section.slice(1)),
      MIN_NAMES_IN_MARK,
    );
    const lines = sections.map(([heading = "", ...names]) => {
      const own = commonEnding(names, MIN_NAMES) || ending;
      return [heading + (own === ending ? "" : `*${own}`), ...names.map((name) => writeName(name, own))].join(" ");
    });
    return { text: withMark(this.name, ending && `*${ending}`, lines.join("\n") + trail) };
  },
  unfold({ text }) {
    const { argument = "", body } = readMark(text) ?? {};
    if (body === undefined) throw new UnfoldError("the mark is missing");
    const trail = body.endsWith("\n") ? "\n" : "";
    const written = body.slice(0, body.length - trail.length);
    if (argument.includes(":")) return readTree(argument, written) + trail;
    const sections = written.split("\n");
    return sections.map((line) => readSection(line, argument.slice(1))).join("\n\n") + trail;
  },
};

function isFolder([heading = "", ...names]: string[]): boolean {
  return /^[^\s\\]+:$/.test(heading) && !names.includes("");
}

function writeTree(sections: readonly (readonly string[])[]): { argument: string; body: string } | undefined {
  const [heading = ""] = sections[0] ?? [];
  const names = fitsInMark(heading) ? treeOfSections(sections) : undefined;
  const written = names && writeNameLines(names);
  if (written === undefined) return undefined;
  const { body, ending, tuple } = written;
  return { argument: [heading, ending && `*${ending}`, writeTuple(tuple)].filter(Boolean).join(" "), body };
}

function readTree(argument: string, body: string): string {
  const [heading = "", ...words] = argument.split(" ");
  const ending = words.find((word) => word.startsWith("*"))?.slice(1) ?? "";
  const tuple = words.map(readTuple).find((word) => word !== undefined);
  return printTree(heading, readNameLines(body, ending, false, tuple));
}

function readSection(line: string, ending: string): string {
  const [first = "", ...words] = splitWords(line);
  const [, heading, own] = HEADING.exec(first) ?? [];
  if (heading === undefined) throw new UnfoldError(`no folder: ${line}`);
  return [heading, ...words.map((word) => readName(word, own?.slice(1) ?? ending))].join("\n");
}
