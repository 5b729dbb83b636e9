// `ls -R`: folders with a colon, the names in them below, a blank line between. One line per folder, with the ending
// that most of its names share, or the one in the mark; a name with a colon before it has neither.
//
//   [bosun:ls-R *.ts]
//   src: :folds index main
//   src/wasm:*.wasm json tree
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";
import { commonEnding, MIN_NAMES, MIN_NAMES_IN_MARK, readName, splitWords, writeName } from "./name-lines.ts";

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
    const sections = body.slice(0, body.length - trail.length).split("\n");
    return sections.map((line) => readSection(line, argument.slice(1))).join("\n\n") + trail;
  },
};

function isFolder([heading = "", ...names]: string[]): boolean {
  return /^[^\s\\]+:$/.test(heading) && !names.includes("");
}

function readSection(line: string, ending: string): string {
  const [first = "", ...words] = splitWords(line);
  const [, heading, own] = HEADING.exec(first) ?? [];
  if (heading === undefined) throw new UnfoldError(`no folder: ${line}`);
  return [heading, ...words.map((word) => readName(word, own?.slice(1) ?? ending))].join("\n");
}
