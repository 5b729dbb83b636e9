// Which entries a version-controlled tree leaves out: .gitignore files from the repository's root down, its
// info/exclude, and the user's global excludes. Rules are judged by real path.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { compileGlob, matchesSegments } from "../glob-pattern.ts";
import type { Segment } from "../glob-pattern.ts";

/** A rules file is read whole, so it is not read when it is this absurd. */
const MAX_RULES_BYTES = 1024 * 1024;

type Rule = {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Matched on the path below the rules' directory; else on the base name. */
  readonly anchored: boolean;
  readonly alternatives: readonly (readonly Segment[])[];
};

/** The rules of one file, and those that yield to them. */
export type IgnoreRules = {
  readonly base: string;
  readonly rules: readonly Rule[];
  readonly weaker: IgnoreRules | undefined;
};

/** The rules in force at a real directory, before its own file is read: from the repository's root down to its parent. */
export function rulesAbove(realDirectory: string): IgnoreRules | undefined {
  const root = repositoryOf(realDirectory);
  if (root === undefined) return globalRules();
  const inside = path.posix.relative(root, realDirectory);
  let rules = repositoryRules(root);
  if (inside === "") return rules;
  let directory = root;
  for (const name of inside.split("/")) {
    rules = withRulesOf(rules, directory, readText(path.posix.join(directory, ".gitignore")));
    directory = path.posix.join(directory, name);
  }
  return rules;
}

/** What holds at the top of a repository before its .gitignore: its own excludes over the user's. */
export function repositoryRules(root: string): IgnoreRules | undefined {
  return withRulesOf(globalRules(), root, readText(path.posix.join(root, ".git", "info", "exclude")));
}

/** Adds a directory's rules in front of weaker ones. */
export function withRulesOf(weaker: IgnoreRules | undefined, directory: string, text: string): IgnoreRules | undefined {
  const rules = text
    .split("\n")
    .map(parseRule)
    .filter((rule) => rule !== undefined);
  return rules.length === 0 ? weaker : { base: directory, rules, weaker };
}

/** Last match of the nearest file decides; then the next file up. Parents are the walk's business: it never enters them. */
export function isGitIgnored(rules: IgnoreRules | undefined, realPath: string, isDirectory: boolean): boolean {
  const name = realPath.slice(realPath.lastIndexOf("/") + 1);
  for (let level = rules; level !== undefined; level = level.weaker) {
    let parts: string[] | undefined;
    for (let i = level.rules.length - 1; i >= 0; i -= 1) {
      const rule = level.rules[i];
      if (rule === undefined || (rule.directoriesOnly && !isDirectory)) continue;
      if (rule.anchored) parts ??= realPath.slice(level.base === "/" ? 1 : level.base.length + 1).split("/");
      const subject = rule.anchored && parts !== undefined ? parts : [name];
      if (rule.alternatives.some((segments) => matchesSegments(segments, subject))) return !rule.negated;
    }
  }
  return false;
}

export function readRules(file: string): string {
  return readText(file);
}

/**
 * Whether somebody who reads the rules of this directory as files might not come back: a FIFO, a link, which git does not
 * follow here either, or what is too large to be rules. ripgrep reads whatever it finds.
 */
export function isTrapped(realDirectory: string, isRepository: boolean): boolean {
  if (isOdd(path.posix.join(realDirectory, ".gitignore"))) return true;
  if (!isRepository) return false;
  const git = path.posix.join(realDirectory, ".git");
  // A worktree or submodule names its real folder there, and that one the folder it shares.
  const [own, shared] = isDirectory(git) ? [git, git] : sharedFolder(git, realDirectory);
  return [git, path.posix.join(own, "commondir"), path.posix.join(shared, "info", "exclude")].some(isOdd);
}

/** The same for the directories above it that have a say. */
export function isTrappedAbove(realDirectory: string): boolean {
  const root = repositoryOf(realDirectory);
  if (root === undefined) return false;
  for (let at = realDirectory; ; at = path.posix.dirname(at)) {
    if (isTrapped(at, at === root)) return true;
    if (at === root) return false;
  }
}

/** Judges the paths below a directory one by one, for a walk that did not. */
export class LeftOut {
  readonly #top: string;
  readonly #known = new Map<string, IgnoreRules | undefined>();

  constructor(realDirectory: string) {
    this.#top = realDirectory;
  }

  holds(below: string): boolean {
    const names = below.split("/");
    let at = this.#top;
    return names.some((name, i) => {
      const rules = this.#rulesIn(at);
      at = path.posix.join(at, name);
      return isGitIgnored(rules, at, i < names.length - 1);
    });
  }

  #rulesIn(directory: string): IgnoreRules | undefined {
    if (this.#known.has(directory)) return this.#known.get(directory);
    const file = path.posix.join(directory, ".gitignore");
    const rules = withRulesOf(this.#rulesAbove(directory), directory, isOdd(file) ? "" : readText(file));
    this.#known.set(directory, rules);
    return rules;
  }

  #rulesAbove(directory: string): IgnoreRules | undefined {
    if (directory === this.#top) return rulesAbove(directory);
    if (fs.existsSync(path.posix.join(directory, ".git"))) return repositoryRules(directory);
    return this.#rulesIn(path.posix.dirname(directory));
  }
}

function isOdd(file: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isDirectory() && (!stat.isFile() || stat.size > MAX_RULES_BYTES);
}

function isDirectory(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

function sharedFolder(git: string, base: string): [own: string, shared: string] {
  const own = path.posix.resolve(base, /^gitdir: (.*)$/m.exec(isOdd(git) ? "" : readText(git))?.[1] ?? ".");
  const named = path.posix.join(own, "commondir");
  return [own, path.posix.resolve(own, (isOdd(named) ? "" : readText(named)).trim() || ".")];
}

/** The nearest directory upwards that holds a `.git`. */
export function repositoryOf(realDirectory: string): string | undefined {
  for (let at = realDirectory; ; at = path.posix.dirname(at)) {
    if (fs.existsSync(path.posix.join(at, ".git"))) return at;
    if (at === "/") return undefined;
  }
}

function parseRule(line: string): Rule | undefined {
  let text = withoutTrailingBlanks(line.endsWith("\r") ? line.slice(0, -1) : line);
  if (text === "" || text.startsWith("#")) return undefined;
  const negated = text.startsWith("!");
  if (negated) text = text.slice(1);
  const directoriesOnly = text.endsWith("/");
  if (directoriesOnly) text = text.slice(0, -1);
  const anchored = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  // "everything inside", but not the directory itself: it may have to be entered for a later `!`.
  if (text.endsWith("/**")) text += "/*";
  if (text === "") return undefined;
  try {
    // Braces are ordinary characters here.
    return {
      negated,
      directoriesOnly,
      anchored,
      alternatives: compileGlob(text.replace(/[{}]/g, "\\$&")).alternatives,
    };
  } catch {
    return undefined; // as git: a malformed rule matches nothing
  }
}

/** By hand: as an expression this is quadratic in the blanks, and whose file it is nobody knows. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t") && line[end - 2] !== "\\") end -= 1;
  return line.slice(0, end);
}

function globalRules(): IgnoreRules | undefined {
  const home = process.env["HOME"] ?? os.homedir();
  const config = process.env["XDG_CONFIG_HOME"] ?? path.join(home, ".config");
  const named =
    excludesFile(readText(path.join(home, ".gitconfig"))) ?? excludesFile(readText(path.join(config, "git", "config")));
  const file = named === undefined ? path.join(config, "git", "ignore") : named.replace(/^~(?=\/)/, home);
  // Patterns of this file are relative to wherever they are used: an anchored one then means the top of the disk.
  return withRulesOf(undefined, "/", readText(file));
}

function excludesFile(config: string): string | undefined {
  return /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(config)?.[1];
}

function readText(file: string): string {
  let fd: number | undefined;
  try {
    // Not blocking: somebody may have made a FIFO of it.
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const stat = fs.fstatSync(fd);
    return stat.isFile() && stat.size <= MAX_RULES_BYTES ? fs.readFileSync(fd, "utf8") : "";
  } catch {
    return "";
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
