// Names for kinds of source files, and the extensions they stand for.
import { EngineError } from "../engine-error.ts";

const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  c: ["c", "h"],
  cpp: ["cpp", "cc", "cxx", "hpp", "hh", "hxx", "h", "inl"],
  css: ["css", "scss"],
  go: ["go"],
  html: ["html", "htm"],
  java: ["java"],
  js: ["js", "mjs", "cjs", "jsx"],
  json: ["json"],
  markdown: ["md", "markdown", "mdx"],
  py: ["py", "pyi"],
  rust: ["rs"],
  ts: ["ts", "tsx", "mts", "cts"],
  yaml: ["yml", "yaml"],
};

const ALIASES: Readonly<Record<string, string>> = { python: "py", typescript: "ts", md: "markdown" };

export const fileTypes: readonly string[] = [...Object.keys(EXTENSIONS), ...Object.keys(ALIASES)].sort();

export function extensionsOf(type: string): readonly string[] {
  const name = Object.hasOwn(ALIASES, type) ? ALIASES[type] : type;
  const extensions = name !== undefined && Object.hasOwn(EXTENSIONS, name) ? EXTENSIONS[name] : undefined;
  if (extensions !== undefined) return extensions;
  throw new EngineError("UNKNOWN_FILE_TYPE", `unknown file type "${type}"; valid types: ${fileTypes.join(", ")}`, {
    known: fileTypes,
  });
}
