// The JSON of `directory_tree` (a list of { name, type, children }) as lines of names.
import type { JsonNode } from "../json-syntax.ts";
import { UNKNOWN } from "../json-traits.ts";
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { parseDocument, printLayout, writeLayout } from "./json.ts";
import { readMark, withMark } from "./mark.ts";
import type { Placed } from "./name-lines.ts";
import { readNameLines, writeNameLines } from "./name-lines.ts";
import { readTuple, writeTuple } from "./name-tuples.ts";

const FILE = '"file"';
const DIRECTORY = '"directory"';

export const directoryTree: Fold = {
  name: "tree",
  fold(text) {
    if (!text.includes(FILE) && !text.includes(DIRECTORY)) return undefined;
    const document = parseDocument(text);
    const root = document?.nodes[0];
    if (document === undefined || document.lines || root?.kind !== "array" || root.items.length === 0) return undefined;
    const names: Placed[] = [];
    if (!collect(root.items, [], names)) return undefined;
    const written = writeNameLines(names);
    if (written === undefined) return undefined;
    const { body, ending, tuple } = written;
    const argument = [ending && `*${ending}`, writeTuple(tuple)].filter(Boolean).join(" ");
    return { text: withMark(this.name, argument, body), layout: writeLayout(document) };
  },
  unfold({ text, layout }) {
    const { argument = "", body = "" } = readMark(text) ?? {};
    const words = argument.split(" ");
    const ending = words.find((word) => word.startsWith("*"))?.slice(1) ?? "";
    const tuple = words.map(readTuple).find((word) => word !== undefined);
    return printLayout(build(readNameLines(body, ending, false, tuple)), layout);
  },
};

// Names as they come. Only an empty folder needs an entry of its own: the others show in what they hold.
function collect(nodes: JsonNode[], folders: string[], names: Placed[]): boolean {
  let folderBefore = "";
  for (const node of nodes) {
    if (node.kind !== "object" || node.keys[0] !== '"name"' || node.keys[1] !== '"type"') return false;
    const [name, type, children] = node.values;
    if (name?.kind !== "scalar" || type?.kind !== "scalar" || !isPlainName(name.raw)) return false;
    const own = name.raw.slice(1, -1);
    if (type.raw === FILE && node.keys.length === 2) names.push({ kind: "name", folders, name: own });
    else if (
      type.raw === DIRECTORY &&
      node.keys.length === 3 &&
      node.keys[2] === '"children"' &&
      children?.kind === "array"
    ) {
      // The same folder twice in a row would read as one.
      if (own === folderBefore) return false;
      const inside = [...folders, own];
      if (children.items.length === 0) names.push({ kind: "name", folders: inside, name: "" });
      if (!collect(children.items, inside, names)) return false;
    } else return false;
    folderBefore = type.raw === DIRECTORY ? own : "";
  }
  return true;
}

/** Without escapes, and without what has a meaning in a path. */
function isPlainName(raw: string): boolean {
  return raw.length > 2 && raw.startsWith('"') && !/[\\/]/.test(raw);
}

function build(names: Iterable<Placed>): JsonNode {
  const root: JsonNode[] = [];
  let open: { folders: string[]; lists: JsonNode[][] } = { folders: [], lists: [root] };
  for (const item of names) {
    if (item.kind === "line") throw new UnfoldError(`not a name: ${item.line}`);
    const { folders, name } = item;
    let shared = 0;
    while (shared < open.folders.length && open.folders[shared] === folders[shared]) shared++;
    const lists = open.lists.slice(0, shared + 1);
    for (const folder of folders.slice(shared)) {
      const children: JsonNode[] = [];
      listAt(lists).push(entry(folder, DIRECTORY, children));
      lists.push(children);
    }
    open = { folders, lists };
    if (name !== "") listAt(lists).push(entry(name, FILE, undefined));
  }
  return { kind: "array", items: root };
}

function listAt(lists: JsonNode[][]): JsonNode[] {
  const list = lists.at(-1);
  if (list === undefined) throw new UnfoldError("a folder is missing");
  return list;
}

function entry(name: string, type: string, children: JsonNode[] | undefined): JsonNode {
  const node: JsonNode = {
    kind: "object",
    keys: ['"name"', '"type"'],
    values: [
      { kind: "scalar", raw: `"${name}"`, traits: UNKNOWN },
      { kind: "scalar", raw: type, traits: UNKNOWN },
    ],
  };
  if (children !== undefined) {
    node.keys.push('"children"');
    node.values.push({ kind: "array", items: children });
  }
  return node;
}
