// Lists of paths: neighbours in one folder share a line. A name alone keeps its whole path.
//
//   [bosun: paths by folder, "folder/: names", all under /home/dev/src/]
//   .vscode/: extensions.json settings.json
//   benchmarks/jsx/package.json
//   ./: jsr.json package.json
//   M	lib/api/: index.js util.js      what stands before a path stands before each
import { countTokens } from "../tokens/count.ts";
import { MAX_UNFOLDED_CHARS, UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";

export const PATHS_PHRASE = 'paths by folder, "folder/: names"';
const ROOT = ", all under ";
const MIN_PATHS = 4;
/** Most lines of a list are paths; a summary or a complaint may stand among them. */
const MIN_SHARE = 0.5;
const MAX_LINE = 500;

export const folderLines: Form = {
  name: "paths",
  fold(text) {
    const lines = text.split("\n");
    if (lines.length < MIN_PATHS || lines.some(misleads)) return undefined;
    if (lines.filter(endsInPath).length < Math.max(MIN_PATHS, lines.length * MIN_SHARE)) return undefined;
    const plain = { phrase: PATHS_PHRASE, body: grouped(lines, "") };
    const root = lines.every(isPath) ? sharedRoot(lines) : "";
    if (root === "") return plain;
    const short = { phrase: PATHS_PHRASE + ROOT + root, body: grouped(lines, root) };
    return countTokens(short.phrase + short.body) < countTokens(plain.phrase + plain.body) ? short : plain;
  },
  unfold({ phrase, body }) {
    const root = phrase.startsWith(PATHS_PHRASE + ROOT) ? phrase.slice((PATHS_PHRASE + ROOT).length) : "";
    let chars = 0;
    const lines = body.split("\n").flatMap((line) => {
      const folded = /^(.*\/): (.+)$/.exec(line);
      if (folded === null) return [root + line];
      const [, folder = "", names = ""] = folded;
      const whole = folder === "./" && root !== "" ? root : root + folder;
      return names.split(" ").map((name) => {
        chars += whole.length + name.length;
        if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the paths would unfold to too much");
        return whole + name;
      });
    });
    return lines.join("\n");
  },
};

/** A path that may stand between blanks. */
export function isPath(line: string): boolean {
  return /^[^\s"':<>|*,;]*[/.][^\s"':<>|*,;]*$/.test(line) && !line.endsWith("…");
}

// Something may stand before it, such as a state: neighbours with the same share it.
function endsInPath(line: string): boolean {
  return (
    line.length < MAX_LINE &&
    isPath(
      line
        .slice(line.lastIndexOf(" ") + 1)
        .split("\t")
        .at(-1) ?? "",
    )
  );
}

// These would be read as a folder and its names.
function misleads(line: string): boolean {
  return line.includes("/: ") || line.endsWith(":") || line.includes("\r");
}

function grouped(lines: readonly string[], root: string): string {
  const out: string[] = [];
  for (let i = 0; i < lines.length;) {
    const folder = folderOf(lines[i] ?? "", root);
    let end = i + 1;
    if (folder !== undefined) while (end < lines.length && folderOf(lines[end] ?? "", root) === folder) end++;
    if (end - i === 1 || folder === undefined) out.push((lines[i] ?? "").slice(root.length));
    else {
      const inside = root.length + folder.length;
      const names = lines.slice(i, end).map((line) => line.slice(inside));
      out.push(`${folder === "" ? "./" : folder}: ${names.join(" ")}`);
    }
    i = end;
  }
  return out.join("\n");
}

// undefined: the line keeps its own line. Without a root, a name alone has no folder to stand behind.
function folderOf(line: string, root: string): string | undefined {
  if (!endsInPath(line) || line.endsWith("/") || /\s/.test(line.slice(line.lastIndexOf("/")))) return undefined;
  const folder = line.slice(root.length, line.lastIndexOf("/") + 1);
  if (folder === "./" && root !== "") return undefined;
  return folder === "" && root === "" ? undefined : folder;
}

/** The folder that all lines share, of two names or more; empty where there is none. */
export function sharedRoot(lines: readonly string[]): string {
  const [first = ""] = lines;
  let length = first.lastIndexOf("/") + 1;
  for (const line of lines) {
    while (length > 0 && !(line.length > length && line.startsWith(first.slice(0, length)))) {
      length = length < 2 ? 0 : first.lastIndexOf("/", length - 2) + 1;
    }
  }
  const root = first.slice(0, length);
  return root.split("/").length > 2 && !/[\s\]]/.test(root) ? root : "";
}
