// The files and folders that git's configuration names and git then obeys: hooks, included configuration, the fsmonitor
// program. Configuration outside the allowed folders is read as well: it may name a place inside.
import { entryStat } from "../sandbox/entry-stat.ts";
import { entryIn, folderOf, realPathOf, resolvedIn, textOfPath } from "../sandbox/path-text.ts";
import { readBounded } from "./bounded-file.ts";
import { CONFIG_BYTES, isTrue, parseGitConfig } from "./git-config.ts";
import type { Repository } from "./repositories.ts";

/** Git's own limit for includes within includes. */
const MAX_DEPTH = 10;
const MOST_FILES = 64;
const SWITCH = /^(?:true|false|yes|no|on|off|\d*)$/i;

/** `script`: run by a filter, a diff driver, an alias and the like. Git tracks such files, so commands go on writing them. */
export type NamedPlace = { readonly path: string; readonly kind: "hooks" | "config" | "program" | "script" };

const MOST_SCRIPTS = 64;
const MOST_WORDS = 16;
/** Variables whose value a shell runs. */
const COMMANDS =
  /^(?:pager\..+|(?:difftool|mergetool|browser|man)\..+\.path|.*(?:clean|smudge|process|textconv|command|driver|cmd|program|helper|editor|pager|askpass|uploadpack|receivepack|hook|difffilter|browser|gitproxy))$/s;

export type ConfigFacts = {
  readonly named: readonly NamedPlace[];
  /** Each worktree has a configuration of its own. */
  readonly worktreeConfig: boolean;
  /** What was read, or would be if it was there. */
  readonly read: readonly string[];
};

export function readConfigOf(repository: Repository, home: string): ConfigFacts {
  const { top, gitDir, commonDir } = repository;
  const named = new Map<string, NamedPlace>();
  const read = new Set<string>();
  let worktreeConfig = false;
  const add = (file: string, kind: NamedPlace["kind"]): void => {
    named.set(file, { path: file, kind });
  };
  const visit = (file: string, depth: number): void => {
    if (read.has(file) || read.size >= MOST_FILES) return;
    read.add(file);
    const bytes = readBounded(file, CONFIG_BYTES, { followLink: true });
    if (bytes === undefined) return;
    for (const { key, value } of parseGitConfig(bytes.toString("latin1"))) {
      if (key === "extensions.worktreeconfig") worktreeConfig = isTrue(value);
      else if (key === "core.hookspath") {
        const folder = resolved(value, top, home);
        if (folder !== undefined && folder !== entryIn(top, ".husky/_")) add(folder, "hooks");
      } else if (key === "core.fsmonitor" && !SWITCH.test(value)) {
        // A shell runs it: the program may have arguments.
        for (const program of new Set([value, value.split(/\s/, 1)[0] ?? ""])) {
          const file = program.includes("/") ? resolved(program, top, home) : undefined;
          if (file !== undefined) add(file, "program");
        }
      } else if (key === "include.path" || (key.startsWith("includeif.") && key.endsWith(".path"))) {
        // Relative to the file itself, not to a link that leads to it.
        const included = resolved(value, folderOf(realPathOf(file) ?? file), home);
        if (included === undefined) continue;
        add(included, "config");
        if (depth < MAX_DEPTH) visit(included, depth + 1);
      } else if (COMMANDS.test(key) || (key.startsWith("alias.") && value.startsWith("!"))) {
        for (const file of scriptsIn(value, top, home))
          if (named.size < MOST_SCRIPTS && !named.has(file)) add(file, "script");
      }
    }
  };
  for (const file of ["/etc/gitconfig", `${home}/.config/git/config`, `${home}/.gitconfig`]) visit(file, 0);
  visit(entryIn(commonDir, "config"), 0);
  if (worktreeConfig) visit(entryIn(gitDir, "config.worktree"), 0);
  return { named: [...named.values()], worktreeConfig, read: [...read] };
}

/** The files of a command's words: `scripts/clean %f`, and the second of `node clean.js`. Git runs it at the top. */
function scriptsIn(value: string, top: string, home: string): string[] {
  const words = value
    .replace(/^!/, "")
    .split(/[\s"'();&|<>]+/)
    .filter((word) => word !== "");
  return words.slice(0, MOST_WORDS).flatMap((word, index) => {
    if (/^-|[$%`*]|:\/\/|\/$/.test(word)) return [];
    const file = resolved(word, top, home);
    const found = file === undefined ? undefined : entryStat(file);
    if (file === undefined || found?.isDirectory() === true) return [];
    // Without a slash the first is looked up on PATH, and the others may be anything.
    return word.includes("/") || (index > 0 && found !== undefined) ? [file] : [];
  });
}

/** `value`: bytes as latin1. */
function resolved(value: string, base: string, home: string): string | undefined {
  if (value === "" || value.includes("\0") || value.startsWith("%(prefix)")) return undefined;
  const named = textOfPath(Buffer.from(value, "latin1"));
  if (named.startsWith("~/")) return resolvedIn(home, named.slice(2));
  // Somebody else's home.
  return named.startsWith("~") ? undefined : resolvedIn(base, named);
}
