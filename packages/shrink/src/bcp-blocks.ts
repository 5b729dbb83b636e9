// Regions of a tool result as typed BCP blocks. What a block cannot hold exactly (a drawing, a patch with words around
// it) stays a TOOL_RESULT: the content of all blocks together is the text, byte for byte, except for fences.
import type { DataFormat, FileEntry, Lang, NewBlock, Status } from "@bosun/bcp";

import type { Region } from "./detect.ts";
import { DEFAULT_THRESHOLD, detect } from "./detect.ts";
import { parseJson } from "./json-parse.ts";
import type { JsonNode } from "./json-syntax.ts";

export type BlocksOptions = { toolName: string; status?: Status; threshold?: number };

const utf8 = new TextEncoder();
/** Spelled out, so that who only shrinks does not load the codec. */
const LANGS = "rust typescript javascript python go java c cpp ruby shell sql html css json yaml toml markdown".split(
  " ",
) as Lang[];
const ALIASES: Record<string, Lang> = {
  ts: "typescript",
  tsx: "typescript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  py: "python",
  rs: "rust",
  sh: "shell",
  bash: "shell",
  yml: "yaml",
  md: "markdown",
  rb: "ruby",
  "c++": "cpp",
  golang: "go",
};

export function blocksOf(
  text: string,
  { toolName, status = "ok", threshold = DEFAULT_THRESHOLD }: BlocksOptions,
): NewBlock[] {
  const blocks = detect(text, threshold).flatMap((region) => blocksOfRegion(text, region, toolName, status));
  return blocks.length > 0 ? blocks : [plain(text, toolName, status)];
}

function blocksOfRegion(text: string, region: Region, toolName: string, status: Status): NewBlock[] {
  const content = text.slice(region.contentStart, region.contentEnd);
  switch (region.kind) {
    case "code":
      return [{ type: "code", lang: langOf(region), path: region.path ?? "", content: utf8.encode(content) }];
    case "json":
    case "yaml":
    case "toml":
    case "csv":
      return (
        treeOf(content) ?? [
          { type: "structured_data", format: region.kind satisfies DataFormat, content: utf8.encode(content) },
        ]
      );
    case "tree":
      return listingOf(content) ?? [plain(content, toolName, status)];
    case "diff":
      return diffsOf(content) ?? [plain(content, toolName, status)];
    default:
      return [plain(text.slice(region.start, region.end), toolName, status)];
  }
}

function plain(text: string, toolName: string, status: Status): NewBlock {
  return { type: "tool_result", toolName, status, content: utf8.encode(text) };
}

function langOf({ lang, path }: Region): Lang {
  const word = (lang ?? path?.split(".").at(-1) ?? "").toLowerCase();
  return LANGS.find((known) => known === word) ?? ALIASES[word] ?? "unknown";
}

// The JSON of `directory_tree`.
function treeOf(content: string): NewBlock[] | undefined {
  const node = parseJson(content)?.node;
  if (node?.kind !== "array" || node.items.length === 0) return undefined;
  const entries = node.items.map(entryOf);
  return entries.includes(undefined)
    ? undefined
    : [{ type: "file_tree", rootPath: "", entries: entries as FileEntry[] }];
}

function entryOf(node: JsonNode): FileEntry | undefined {
  if (node.kind !== "object") return undefined;
  const value = (key: string) => node.values[node.keys.indexOf(`"${key}"`)];
  const [name, type, children] = [value("name"), value("type"), value("children")];
  if (name?.kind !== "scalar" || !name.raw.startsWith('"') || type?.kind !== "scalar") return undefined;
  const own = JSON.parse(name.raw) as string;
  if (type.raw === '"file"') return { name: own, kind: "file" };
  if (type.raw !== '"directory"') return undefined;
  const inside = children?.kind === "array" ? children.items.map(entryOf) : [];
  return inside.includes(undefined) ? undefined : { name: own, kind: "directory", children: inside as FileEntry[] };
}

// [FILE]/[DIR] lists, and trees drawn by lines or blanks: depth is where the name starts.
function listingOf(content: string): NewBlock[] | undefined {
  const rows = content.split("\n").filter((line) => line.trim() !== "");
  type Open = { name: string; depth: number; folder: boolean; children: Open[] };
  const root: Open = { name: "", depth: -1, folder: true, children: [] };
  const stack: Open[] = [root];
  for (const row of rows) {
    const listed = /^\[(FILE|DIR)\] (.+?)(?: {2,}.*)?$/.exec(row);
    const [, indent = "", label = ""] = listed === null ? (/^([\s│├└─┬|`\u00a0-]*)(.*)$/u.exec(row) ?? []) : [];
    const name = listed?.[2] ?? label.trim();
    if (name === "") return undefined;
    const entry: Open = {
      name: name.replace(/\/$/, ""),
      depth: listed === null ? indent.length : 0,
      folder: listed?.[1] === "DIR" || name.endsWith("/"),
      children: [],
    };
    while ((stack.at(-1)?.depth ?? -1) >= entry.depth) stack.pop();
    const parent = stack.at(-1) ?? root;
    parent.folder = true;
    parent.children.push(entry);
    stack.push(entry);
  }
  const entries = (open: Open[]): FileEntry[] =>
    open.map(({ name, folder, children }) =>
      folder ? { name, kind: "directory", children: entries(children) } : { name, kind: "file" },
    );
  return root.children.length === 0
    ? undefined
    : [{ type: "file_tree", rootPath: "", entries: entries(root.children) }];
}

// One block per file. The lines that name the file and the @@ lines stay inside the hunks: a DIFF block has no field
// for them, and without them nothing applies.
function diffsOf(content: string): NewBlock[] | undefined {
  const files = content.split(/^(?=diff --git )/m);
  const blocks = files.flatMap((file): NewBlock[] => {
    const path = /^\+\+\+ (?:b\/)?(.+)$/m.exec(file)?.[1] ?? /^--- (?:a\/)?(.+)$/m.exec(file)?.[1];
    if (path === undefined) return [];
    const parts = file.split(/^(?=@@ -\d)/m);
    const head = parts.length > 1 && !parts[0]?.startsWith("@@") ? (parts.shift() ?? "") : "";
    const hunks = parts.map((part, i) => {
      const [, oldStart = "0", newStart = "0"] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(part) ?? [];
      return {
        oldStart: Number(oldStart),
        newStart: Number(newStart),
        lines: utf8.encode(i === 0 ? head + part : part),
      };
    });
    return [{ type: "diff", path, hunks }];
  });
  return blocks.length === files.filter((file) => file.trim() !== "").length ? blocks : undefined;
}
