// CODE (FORMAT.md, "Block types"): a piece of source text.

import { anyOf, bytes, optional, text, u32 } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

/** Languages with a name. 255 says "unknown" outright; every other byte is kept as a number. */
export const LANGS = [
  "rust",
  "typescript",
  "javascript",
  "python",
  "go",
  "java",
  "c",
  "cpp",
  "ruby",
  "shell",
  "sql",
  "html",
  "css",
  "json",
  "yaml",
  "toml",
  "markdown",
] as const;

export const code = block(1, "code", {
  lang: anyOf<LangName>(1, "Lang", LANGS, new Map([[255, "unknown"]])),
  path: text(2),
  content: bytes(3),
  // One range in two fields: a single one of them is no range, and is never written.
  lineStart: optional(u32(4)),
  lineEnd: optional(u32(5)),
});

type LangName = (typeof LANGS)[number] | "unknown";
export type Lang = LangName | number;
export type CodeBlock = BlockOf<typeof code>;
