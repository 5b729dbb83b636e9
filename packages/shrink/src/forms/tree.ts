// The JSON of a directory tree: one line per folder, in the order of the tree. A folder with one entry stands in its
// parent's line with that entry.
//
//   [bosun: JSON tree as "folder/: names"; names ending in / are directories]
//   ./: .github/FUNDING.yml docs/docs/api/ src/
//   docs/docs/api/: Agent.md Pool.md
import { parseDocument, printDocument, readLayout, writeLayout } from "../json-document.ts";
import type { JsonNode } from "../json-syntax.ts";
import { MAX_UNFOLDED_CHARS, UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";

const PHRASE = 'JSON tree as "folder/: names"; names ending in / are directories';
const MIN_ENTRIES = 4;
const MAX_DEPTH = 100;

type Entry = { name: string; children?: Entry[] };

export const directoryTree: Form = {
  name: "tree",
  fold(text) {
    if (!text.startsWith("[") || (!text.includes('"directory"') && !text.includes('"file"'))) return undefined;
    const document = parseDocument(text);
    const node = document?.nodes[0];
    if (document === undefined || document.lines || node === undefined) return undefined;
    const entries = readEntries(node);
    if (entries === undefined || entries.length === 0) return undefined;
    const out: string[] = [];
    writeFolder("", entries, out);
    if (out.length === 1 && entries.length < MIN_ENTRIES) return undefined;
    return { phrase: PHRASE, body: out.join("\n"), layout: writeLayout(document) };
  },
  unfold({ body, layout }) {
    const root = new Map<string, Entry[]>();
    let chars = 0;
    const top: Entry[] = [];
    root.set("", top);
    for (const line of body.split("\n")) {
      const [, folder = "", names] = /^([^\s]+\/):(?: (.*))?$/.exec(line) ?? [];
      const path = folder === "./" ? "" : folder;
      const inside = root.get(path);
      if (inside === undefined || folder === "") throw new UnfoldError(`no folder ${folder}`);
      for (const word of names === undefined || names === "" ? [] : names.split(" ")) {
        chars += path.length + word.length;
        if (chars > MAX_UNFOLDED_CHARS || word === "") throw new UnfoldError("the tree would unfold to too much");
        addEntry(path, inside, word, root);
      }
    }
    return printDocument({ ...readLayout(layout), nodes: [nodeOf(top)] });
  },
};

function readEntries(node: JsonNode, depth = 0): Entry[] | undefined {
  if (node.kind !== "array" || depth > MAX_DEPTH) return undefined;
  const entries: Entry[] = [];
  const names = new Set<string>();
  for (const item of node.items) {
    if (item.kind !== "object" || item.keys[0] !== '"name"' || item.keys[1] !== '"type"') return undefined;
    const [name, type, children] = item.values;
    if (name?.kind !== "scalar" || type?.kind !== "scalar" || !isName(name.raw) || names.has(name.raw))
      return undefined;
    names.add(name.raw);
    const own = name.raw.slice(1, -1);
    if (type.raw === '"file"' && item.keys.length === 2) entries.push({ name: own });
    else {
      const inside = type.raw === '"directory"' && item.keys.length === 3 && item.keys[2] === '"children"' && children;
      const read = inside ? readEntries(inside, depth + 1) : undefined;
      if (read === undefined) return undefined;
      entries.push({ name: own, children: read });
    }
  }
  return entries;
}

function isName(raw: string): boolean {
  return /^"[^\s"/\\:]+"$/.test(raw) && raw !== '"."' && raw !== '".."';
}

function writeFolder(path: string, entries: readonly Entry[], out: string[]): void {
  const later: [string, Entry[]][] = [];
  const words = entries.map((entry) => {
    let word = entry.name;
    let { children } = entry;
    while (children?.length === 1) {
      const [only] = children as [Entry];
      word += `/${only.name}`;
      ({ children } = only);
    }
    if (children === undefined) return word;
    later.push([`${path}${word}/`, children]);
    return `${word}/`;
  });
  out.push(words.length === 0 ? `${path}:` : `${path === "" ? "./" : path}: ${words.join(" ")}`);
  for (const [inner, children] of later) writeFolder(inner, children, out);
}

function addEntry(path: string, into: Entry[], word: string, folders: Map<string, Entry[]>): void {
  const names = word.split("/");
  let [inside, whole] = [into, path];
  names.forEach((name, i) => {
    const isLast = i === names.length - 1;
    if (isLast && name === "") {
      folders.set(whole, inside);
      return;
    }
    if (name === "") throw new UnfoldError(`no name in ${word}`);
    whole += `${name}/`;
    if (isLast) {
      inside.push({ name });
      return;
    }
    const children: Entry[] = [];
    inside.push({ name, children });
    inside = children;
  });
}

const [NAME, TYPE, CHILDREN] = ['"name"', '"type"', '"children"'];
const FILE_KEYS = [NAME, TYPE];
const FOLDER_KEYS = [NAME, TYPE, CHILDREN];

function nodeOf(entries: readonly Entry[]): JsonNode {
  const items = entries.map(({ name, children }): JsonNode => {
    const own = scalar(`"${name}"`);
    if (children === undefined) return { kind: "object", keys: FILE_KEYS, values: [own, scalar('"file"')] };
    return { kind: "object", keys: FOLDER_KEYS, values: [own, scalar('"directory"'), nodeOf(children)] };
  });
  return { kind: "array", items };
}

function scalar(raw: string): JsonNode {
  return { kind: "scalar", raw };
}
