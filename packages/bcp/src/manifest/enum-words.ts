// The words that manifests use for enumerations, aliases included. Case does not matter.

import type {
  AnnotationKind,
  DataFormat,
  FileEntry,
  FormatHint,
  Lang,
  MediaType,
  Priority,
  Role,
  Status,
} from "../block-types.ts";
import { quote } from "../quote.ts";
import { ManifestError } from "./json-members.ts";

const LANG_WORDS: Readonly<Record<string, Lang>> = {
  rust: "rust",
  typescript: "typescript",
  ts: "typescript",
  javascript: "javascript",
  js: "javascript",
  python: "python",
  py: "python",
  go: "go",
  java: "java",
  c: "c",
  cpp: "cpp",
  "c++": "cpp",
  ruby: "ruby",
  rb: "ruby",
  shell: "shell",
  sh: "shell",
  bash: "shell",
  sql: "sql",
  html: "html",
  css: "css",
  json: "json",
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  markdown: "markdown",
  md: "markdown",
};

/** Languages without a number become "unknown": the word itself is lost, in the reference too. */
export function langWord(word: string): Lang {
  const name = word.toLowerCase();
  return Object.hasOwn(LANG_WORDS, name) ? (LANG_WORDS[name] ?? "unknown") : "unknown";
}

export const roleWord = words<Role>("role", { system: [], user: [], assistant: [], tool: [] });
export const statusWord = words<Status>("status", { ok: [], error: ["err"], timeout: [] });
export const documentWord = words<FormatHint>("document format", {
  markdown: ["md"],
  plain: ["text", "txt"],
  html: [],
});
export const dataWord = words<DataFormat>("data format", { json: [], yaml: ["yml"], toml: [], csv: [] });
export const priorityWord = words<Priority>("priority", {
  critical: [],
  high: [],
  normal: [],
  low: [],
  background: [],
});
export const annotationWord = words<AnnotationKind>("annotation kind", { priority: [], summary: [], tag: [] });
export const mediaWord = words<MediaType>("media type", { png: [], jpeg: ["jpg"], gif: [], svg: [], webp: [] });
export const entryKindWord = words<FileEntry["kind"]>("entry kind", { file: [], directory: ["dir"] });

function words<W extends string>(what: string, aliases: Readonly<Record<W, readonly string[]>>): (word: string) => W {
  const byWord = new Map<string, W>();
  const expected: string[] = [];
  for (const word in aliases) {
    expected.push(word);
    for (const spelling of [word, ...aliases[word]]) byWord.set(spelling, word);
  }
  return (word) => {
    const found = byWord.get(word.toLowerCase());
    if (found !== undefined) return found;
    throw new ManifestError(`unknown ${what} ${quote(word)} — expected ${expected.join("|")}`);
  };
}
