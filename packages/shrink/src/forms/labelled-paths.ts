// Lines that end in a path, with something before it (a state, a size, a digest): each folder once, its files below it.
//
//   [bosun: indented lines are about files of the folder above, whose name belongs before theirs; each begins with "100644 blob "]
//   lib/api/:
//    c45cfe109e72	index.js
import { MAX_UNFOLDED_CHARS, UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";

const PHRASE = "indented lines are about files of the folder above, whose name belongs before theirs";
const BEGIN = '; each begins with "';
const MIN_LINES = 5;
const MIN_SHARE = 0.6;
const MIN_PREFIX = 4;
const LABELLED = /^(.*\S\s+)((?:[^\s/:"'|]*\/)+)([^\s/:"'|]+)$/;

type Labelled = { label: string; folder: string; name: string };

export const labelledPaths: Form = {
  name: "labelled-paths",
  fold(text) {
    const lines = text.split("\n");
    if (lines.length < MIN_LINES || text.includes("\r") || lines.some((line) => line.endsWith("/:"))) return undefined;
    const paths = lines.map(labelledPath);
    const known = paths.filter((one) => one !== undefined);
    if (known.length < Math.max(MIN_LINES, lines.length * MIN_SHARE)) return undefined;
    const prefix = sharedLabel(known);
    const out: string[] = [];
    let folder: string | undefined;
    for (const [i, line] of lines.entries()) {
      const path = paths[i];
      // Alone in its folder, or without a path: as it is.
      if (path === undefined || (path.folder !== folder && paths[i + 1]?.folder !== path.folder)) {
        if (line.startsWith(" ") && folder !== undefined) return undefined;
        out.push(line);
        folder = undefined;
        continue;
      }
      if (path.folder !== folder) out.push(`${path.folder}:`);
      ({ folder } = path);
      out.push(` ${path.label.slice(prefix.length)}${path.name}`);
    }
    return { phrase: prefix === "" ? PHRASE : `${PHRASE}${BEGIN}${prefix}"`, body: out.join("\n") };
  },
  unfold({ phrase, body }) {
    const prefix = phrase.startsWith(PHRASE + BEGIN) ? phrase.slice((PHRASE + BEGIN).length, -1) : "";
    let folder: string | undefined;
    let chars = 0;
    const out: string[] = [];
    for (const line of body.split("\n")) {
      if (line.endsWith("/:") && !line.startsWith(" ")) folder = line.slice(0, -1);
      else if (line.startsWith(" ") && folder !== undefined) {
        const [, label = "", name = ""] = /^ (.*\s|)(\S+)$/.exec(line) ?? [];
        if (name === "") throw new UnfoldError("a file without a folder");
        chars += prefix.length + folder.length + line.length;
        if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the paths would unfold to too much");
        out.push(prefix + label + folder + name);
      } else {
        folder = undefined;
        out.push(line);
      }
    }
    return out.join("\n");
  },
};

function labelledPath(line: string): Labelled | undefined {
  const [, label = "", folder = "", name = ""] = LABELLED.exec(line) ?? [];
  return name === "" ? undefined : { label, folder, name };
}

// What all labels begin with, up to a blank.
function sharedLabel(paths: readonly Labelled[]): string {
  const [{ label: first } = { label: "" }] = paths;
  let length = first.length;
  for (const { label } of paths) while (!label.startsWith(first.slice(0, length))) length--;
  while (length > 0 && first[length - 1] !== " ") length--;
  const prefix = first.slice(0, length);
  return prefix.trim().length >= MIN_PREFIX && !/["\]\t]/.test(prefix) ? prefix : "";
}
