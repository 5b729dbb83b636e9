// Trees drawn with lines, as by `tree` and `npm ls`: depth by blanks instead. What stands before and after the tree
// is kept behind a bar.
//
//   [bosun:drawn npm]
//   |project@1.0.0 /home/dev/project
//   got@14.6.6
//    @sindresorhus/is@7.2.0
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";

type Style = {
  line: RegExp;
  open: string;
  closed: string;
  /** Before a name, by whether more follow on its level and whether it has something below it. */
  branch(last: boolean, parent: boolean): string;
};

const MAX_DEPTH = 60;
const STYLES: Record<string, Style> = {
  npm: {
    line: /^((?:│ | {2})*)(?:├─┬ |├── |└─┬ |└── )(.*)$/,
    open: "│ ",
    closed: "  ",
    branch: (last, parent) => `${last ? "└" : "├"}─${parent ? "┬" : "─"} `,
  },
  tree: {
    line: /^((?:│\u00a0\u00a0 | {4})*)(?:├── |└── )(.*)$/,
    open: "│\u00a0\u00a0 ",
    closed: "    ",
    branch: (last) => (last ? "└── " : "├── "),
  },
  "tree-plain": {
    line: /^((?:│ {3}| {4})*)(?:├── |└── )(.*)$/,
    open: "│   ",
    closed: "    ",
    branch: (last) => (last ? "└── " : "├── "),
  },
  ascii: {
    line: /^((?:\| {3}| {4})*)(?:\|-- |`-- )(.*)$/,
    open: "|   ",
    closed: "    ",
    branch: (last) => (last ? "`-- " : "|-- "),
  },
};

export const drawnTree: Fold = {
  name: "drawn",
  fold(text) {
    if (!text.includes("├") && !text.includes("└") && !text.includes("`-- ")) return undefined;
    const lines = linesOf(text);
    for (const [name, style] of Object.entries(STYLES)) {
      const out = lines.map((line) => {
        const [, indent, label = ""] = style.line.exec(line) ?? [];
        if (indent === undefined || /^[ |]/.test(label) || label === "") return `|${line}`;
        return " ".repeat(indent.length / style.open.length) + label;
      });
      const body = out.join("\n");
      if (out.filter((line) => !line.startsWith("|")).length * 2 > lines.length && draw(body, style) === text) {
        return { text: withMark(this.name, name, body) };
      }
    }
    return undefined;
  },
  unfold({ text }) {
    const { argument = "", body = "" } = readMark(text) ?? {};
    const style = STYLES[argument];
    if (style === undefined) throw new UnfoldError(`unknown drawing ${argument}`);
    return draw(body, style);
  },
};

function draw(body: string, style: Style): string {
  const lines = body.split("\n");
  const depths = lines.map((line) => (line.startsWith("|") ? -1 : line.search(/[^ ]|$/)));
  // From the end: a name is the last of its level when none follows before a shallower one does.
  const follows: boolean[] = [];
  const drawn: string[] = [];
  for (let i = lines.length - 1; i >= 0; i--) {
    const depth = depths[i] ?? -1;
    const line = lines[i] ?? "";
    if (depth < 0 || depth > MAX_DEPTH) {
      follows.length = 0;
      drawn.push(line.slice(1));
      continue;
    }
    follows.length = Math.min(follows.length, depth + 1);
    const last = follows[depth] !== true;
    follows[depth] = true;
    const parent = (depths[i + 1] ?? -1) > depth;
    let indent = "";
    for (let level = 0; level < depth; level++) indent += follows[level] === true ? style.open : style.closed;
    drawn.push(indent + style.branch(last, parent) + line.slice(depth));
  }
  return drawn.reverse().join("\n");
}
