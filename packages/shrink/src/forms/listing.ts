// What list_directory and ls -R print: names of one folder in a row.
//
//   [bosun: [DIR] names end in /, the others are [FILE]]
//   .github/ main.ts test.ts
//
//   [bosun: ls -R as "folder/: names"]
//   src/: adapter client compose.ts
import { UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";

const LISTING_PHRASE = "[DIR] names end in /, the others are [FILE]";
const [FILE, FOLDER] = ["[FILE] ", "[DIR] "];
const MIN_ENTRIES = 8;

export const folderListing: Form = {
  name: "listing",
  fold(text) {
    if (!text.startsWith(FILE) && !text.startsWith(FOLDER)) return undefined;
    const lines = text.split("\n");
    const words = lines.map((line) => {
      const [, folder, file] = /^(?:\[DIR\] ([^\s/]+)|\[FILE\] ([^\s/]+))$/.exec(line) ?? [];
      return folder === undefined ? file : `${folder}/`;
    });
    if (words.length < MIN_ENTRIES || words.includes(undefined)) return undefined;
    return { phrase: LISTING_PHRASE, body: words.join(" ") };
  },
  unfold({ body }) {
    const lines = body.split(" ").map((word) => (word.endsWith("/") ? FOLDER + word.slice(0, -1) : FILE + word));
    return lines.join("\n");
  },
};

const RECURSIVE_PHRASE = 'ls -R as "folder/: names"';

export const recursiveListing: Form = {
  name: "ls-R",
  fold(text) {
    const sections = text.split("\n\n");
    if (sections.length < 2) return undefined;
    const out: string[] = [];
    for (const section of sections) {
      const [heading = "", ...names] = section.split("\n");
      if (!/^[^\s:]*[^\s:/]:$/.test(heading) || names.some((name) => !/^[^\s/]*[^\s/:]$/.test(name))) return undefined;
      out.push(`${heading.slice(0, -1)}/:${names.map((name) => ` ${name}`).join("")}`);
    }
    return { phrase: RECURSIVE_PHRASE, body: out.join("\n") };
  },
  unfold({ body }) {
    const sections = body.split("\n").map((line) => {
      const [, folder, names = ""] = /^(\S+)\/:((?: \S+)*)$/.exec(line) ?? [];
      if (folder === undefined) throw new UnfoldError(`no folder: ${line}`);
      return `${folder}:${names.replaceAll(" ", "\n")}`;
    });
    return sections.join("\n\n");
  },
};
