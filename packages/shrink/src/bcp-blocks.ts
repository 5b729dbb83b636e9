// Regions of a tool result as typed BCP blocks. A block says only what the text says; what has no type that could
// (sizes that are rounded, patches with words around them) stays a TOOL_RESULT, with the very text.
import type { DataFormat, Lang, NewBlock, Status } from "@bosun/bcp";

import type { Region } from "./detect.ts";
import { DEFAULT_THRESHOLD, detect } from "./detect.ts";
import { treeOfJson, treeOfListing } from "./file-trees.ts";
import { parseJson } from "./json-parse.ts";
import { COMPACT, printJson } from "./json-syntax.ts";

export type BlocksOptions = {
  toolName: string;
  status?: Status;
  threshold?: number;
  /** JSON without the white space between its values: the one thing in a block that a reader does not need. */
  compact?: boolean;
};
type Origin = Required<Omit<BlocksOptions, "threshold">>;

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
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
  { toolName, status = "ok", threshold = DEFAULT_THRESHOLD, compact = false }: BlocksOptions,
): NewBlock[] {
  const origin: Origin = { toolName, status, compact };
  const blocks = detect(text, threshold).flatMap((region) => blocksOfRegion(text, region, origin));
  return blocks.length > 0 ? blocks : [plain(text, origin)];
}

/** The text that blocks hold, if they hold one: a tree is not the text that it was read from. */
export function textOfBlocks(blocks: readonly NewBlock[]): string | undefined {
  let text = "";
  for (const block of blocks) {
    if (block.type === "diff") for (const { lines } of block.hunks) text += strictUtf8.decode(lines);
    else if (block.type === "code" || block.type === "structured_data" || block.type === "tool_result")
      text += strictUtf8.decode(block.content);
    else return undefined;
  }
  return text;
}

function blocksOfRegion(text: string, region: Region, origin: Origin): NewBlock[] {
  const content = text.slice(region.contentStart, region.contentEnd);
  switch (region.kind) {
    case "code":
      return [{ type: "code", lang: langOf(region), path: region.path ?? "", content: utf8.encode(content) }];
    case "json":
    case "yaml":
    case "toml":
    case "csv":
      return [
        treeOfJson(content) ?? {
          type: "structured_data",
          format: region.kind satisfies DataFormat,
          content: utf8.encode(origin.compact && region.kind === "json" ? compactJson(content) : content),
        },
      ];
    case "tree": {
      const found = treeOfListing(content);
      if (found === undefined) return [plain(content, origin)];
      const rest = content.slice(found.end);
      return rest.trim() === "" ? [found.tree] : [found.tree, plain(rest, origin)];
    }
    case "diff":
      return diffsOf(content) ?? [plain(content, origin)];
    default:
      return [plain(text.slice(region.start, region.end), origin)];
  }
}

function plain(text: string, { toolName, status }: Origin): NewBlock {
  return { type: "tool_result", toolName, status, content: utf8.encode(text) };
}

function compactJson(content: string): string {
  const node = parseJson(content)?.node;
  return node === undefined ? content : printJson(node, COMPACT);
}

function langOf({ lang, path }: Region): Lang {
  const word = (lang ?? path?.split(".").at(-1) ?? "").toLowerCase();
  return LANGS.find((known) => known === word) ?? ALIASES[word] ?? "unknown";
}

// One block per file. The lines that name the file and the @@ lines stay inside the hunks: a DIFF block has no field
// for them, and without them nothing applies.
function diffsOf(content: string): NewBlock[] | undefined {
  const files = content.split(/^(?=diff --git )/m);
  const blocks = files.flatMap((file): NewBlock[] => {
    const path = pathOf(file);
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

// Undefined where a patch is of several files, of none, or of one whose name is spelt in escapes.
function pathOf(file: string): string | undefined {
  const [header, another] = file.matchAll(/^--- (.+)\n\+\+\+ (.+)$/gm);
  if (header === undefined || another !== undefined) return undefined;
  const [before = "", after = ""] = header.slice(1).map((name) => name.replace(/[\t\r].*$/, ""));
  const path = after === "/dev/null" ? before.replace(/^a\//, "") : after.replace(/^b\//, "");
  return path.startsWith('"') ? undefined : path;
}
