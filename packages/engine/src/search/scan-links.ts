// Links and directories below a directory, by name: the fast way, for hints only. Unlike the walk it opens no directory
// for itself, so a swap could mislead it; whatever it finds is resolved through the scope before anybody acts on it.
import fs from "node:fs";
import { errnoOf, ioError, isExhausted } from "../failure.ts";
import { BIG_DIRECTORY_BYTES, isHidden } from "../directory-entries.ts";
import { joinPath } from "../scope-directory.ts";
import type { Directory } from "../scope-directory.ts";
import type { Scope } from "../scope.ts";
import type { Turns } from "../turns.ts";
import { isGitIgnored, readRules, repositoryRules, withRulesOf } from "./gitignore.ts";
import type { IgnoreRules } from "./gitignore.ts";
import { ALWAYS_SKIPPED, MAX_DEPTH } from "./walk.ts";

export type Scan = {
  /** A directory by its path below the top; returns whether to look into it. */
  readonly directory: (below: string) => boolean;
  readonly link: (below: string) => void;
};

type Level = { readonly below: string; readonly rules: IgnoreRules | undefined; readonly depth: number };

/** Stops without error when cancelled. The order is the file system's. */
export async function scanLinks(
  scope: Scope,
  top: Directory,
  rules: IgnoreRules | undefined,
  scan: Scan,
  turns: Turns,
): Promise<void> {
  const levels: Level[] = [{ below: "", rules, depth: 0 }];
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    if (turns.cancelled) return;
    if (turns.due) await turns.rest();
    const real = level.below === "" ? top.path : joinPath(top.path, level.below);
    const found = namesAt(real);
    const entries = found instanceof Promise ? await found : found;
    const inForce = rulesAt(level, entries, real);
    for (const entry of entries) {
      const isDirectory = entry.isDirectory();
      if (!isDirectory && !entry.isSymbolicLink()) continue;
      if (ALWAYS_SKIPPED.includes(entry.name)) continue;
      const realEntry = joinPath(real, entry.name);
      if (inForce !== undefined && isGitIgnored(inForce, realEntry, isDirectory)) continue;
      if (isHidden(scope, realEntry)) continue;
      const below = level.below === "" ? entry.name : `${level.below}/${entry.name}`;
      if (!isDirectory) scan.link(below);
      else if (scan.directory(below) && level.depth < MAX_DEPTH)
        levels.push({ below, rules: inForce, depth: level.depth + 1 });
    }
  }
}

function rulesAt(level: Level, entries: readonly fs.Dirent[], real: string): IgnoreRules | undefined {
  let { rules } = level;
  // A repository inside: what is above it has no say.
  if (level.depth > 0 && entries.some((entry) => entry.name === ".git")) rules = repositoryRules(real);
  const hasRules = entries.some((entry) => entry.name === ".gitignore" && entry.isFile());
  return hasRules ? withRulesOf(rules, real, readRules(joinPath(real, ".gitignore"))) : rules;
}

/** At once, unless that would hold others up. What is unreadable or gone is skipped without a word. */
function namesAt(at: string): fs.Dirent[] | Promise<fs.Dirent[]> {
  try {
    const isBig = fs.statSync(at).size > BIG_DIRECTORY_BYTES;
    return isBig
      ? fs.promises.readdir(at, { withFileTypes: true }).catch(nothing)
      : fs.readdirSync(at, { withFileTypes: true });
  } catch (error) {
    return nothing(error);
  }
}

function nothing(error: unknown): fs.Dirent[] {
  if (errnoOf(error) === undefined || isExhausted(error)) throw ioError("list directory", ".", error);
  return [];
}
