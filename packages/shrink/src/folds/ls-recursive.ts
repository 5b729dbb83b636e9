// `ls -R`: folders with a colon, the names in them below, a blank line between. One line per folder.
//
//   [bosun:ls-R]
//   src: folds index.ts
//   src/folds: json.ts tree.ts
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";
import { escapeName, splitWords, unescapeName } from "./name-lines.ts";

const MIN_FOLDERS = 2;

export const recursiveListing: Fold = {
  name: "ls-R",
  fold(text) {
    const trail = text.endsWith("\n") ? "\n" : "";
    const sections = text.slice(0, text.length - trail.length).split("\n\n");
    if (sections.length < MIN_FOLDERS) return undefined;
    const out: string[] = [];
    for (const section of sections) {
      const [heading = "", ...names] = section.split("\n");
      if (!/^[^\s\\]+:$/.test(heading) || names.includes("")) return undefined;
      out.push([heading, ...names.map(escapeName)].join(" "));
    }
    return { text: withMark(this.name, "", out.join("\n") + trail) };
  },
  unfold({ text }) {
    const { body } = readMark(text) ?? {};
    if (body === undefined) throw new UnfoldError("the mark is missing");
    const trail = body.endsWith("\n") ? "\n" : "";
    const sections = body.slice(0, body.length - trail.length).split("\n");
    return sections.map((line) => splitWords(line).map(unescapeName).join("\n")).join("\n\n") + trail;
  },
};
