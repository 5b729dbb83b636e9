// Which entries a version-controlled tree leaves out: .gitignore files from the repository's root down, its
// info/exclude, and the user's global excludes. Rules are judged by real path.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { matchesSegments } from "@bosun/platform/glob";
import { compileGlob } from "../scope/glob-pattern.ts";
import type { Segment } from "@bosun/platform/glob";
import type { IgnoreBudget } from "./ignore-budget.ts";

/** A rules file is read whole, so it is not read when it is this absurd. The longest in use have a tenth of it. */
const MAX_RULES_BYTES = 256 * 1024;

type Rule = {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Matched on the path below the rules' directory; else on the base name. */
  readonly anchored: boolean;
  readonly alternatives: readonly (readonly Segment[])[];
};

type Placed = Rule & { readonly at: number };

/** The rules of one file, and those that yield to them. */
export type IgnoreRules = {
  readonly base: string;
  /** Plain names and paths, found at once however many there are: the last rule about each, for files and for directories. */
  readonly plain: ReadonlyMap<string, readonly Placed[]>;
  /** Those with wildcards, the last first. */
  readonly wild: readonly Placed[];
  readonly weaker: IgnoreRules | undefined;
  readonly work: IgnoreBudget;
};

/** The rules in force at a real directory, before its own file is read: from the repository's root down to its parent. */
export function rulesAbove(realDirectory: string, work: IgnoreBudget): IgnoreRules | undefined {
  const root = repositoryOf(realDirectory);
  if (root === undefined) return globalRules(work);
  const inside = path.posix.relative(root, realDirectory);
  let rules = repositoryRules(root, work);
  if (inside === "") return rules;
  let directory = root;
  for (const name of inside.split("/")) {
    rules = withRulesOf(rules, directory, readRules(path.posix.join(directory, ".gitignore"), work), work);
    directory = path.posix.join(directory, name);
  }
  return rules;
}

/** What holds at the top of a repository before its .gitignore: its own excludes over the user's. */
export function repositoryRules(root: string, work: IgnoreBudget): IgnoreRules | undefined {
  return withRulesOf(globalRules(work), root, readRules(path.posix.join(root, ".git", "info", "exclude"), work), work);
}

/** Adds a directory's rules in front of weaker ones. */
export function withRulesOf(
  weaker: IgnoreRules | undefined,
  directory: string,
  text: string,
  work: IgnoreBudget,
): IgnoreRules | undefined {
  if (text === "" || work.over) return weaker;
  work.read(text.length);
  const plain = new Map<string, Placed[]>();
  const wild: Placed[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const rule = parseRule(line);
    if (rule === undefined) continue;
    const key = plainKey(rule);
    if (key === undefined) wild.push({ ...rule, at });
    else plain.set(key, lastOfEach(plain.get(key), { ...rule, at }));
  }
  return plain.size === 0 && wild.length === 0
    ? weaker
    : { base: directory, plain, wild: wild.reverse(), weaker, work };
}

/** A rule without wildcards, by what it is matched on: a base name, or a path below the directory. */
function plainKey({ anchored, alternatives }: Rule): string | undefined {
  const [segments = [], ...others] = alternatives;
  if (others.length > 0) return undefined;
  const names = segments.map((segment) => (segment.kind === "literal" ? segment.text : undefined));
  return names.includes(undefined) ? undefined : keyOf(names.join("/"), anchored);
}

function keyOf(subject: string, anchored: boolean): string {
  return anchored ? `/${subject}` : subject;
}

/** A later rule takes the place of those it covers: two at most are left, the last one about directories only. */
function lastOfEach(earlier: readonly Placed[] | undefined, rule: Placed): Placed[] {
  if (!rule.directoriesOnly) return [rule];
  return [rule, ...(earlier ?? []).filter((other) => !other.directoriesOnly)];
}

/** Last match of the nearest file decides; then the next file up. Parents are the walk's business: it never enters them. */
export function isGitIgnored(rules: IgnoreRules | undefined, realPath: string, isDirectory: boolean): boolean {
  if (rules === undefined || rules.work.over) return false;
  const name = realPath.slice(realPath.lastIndexOf("/") + 1);
  rules.work.begin();
  for (let level: IgnoreRules | undefined = rules; level !== undefined; level = level.weaker) {
    const rule = lastMatch(level, realPath, name, isDirectory);
    if (rule !== undefined) return !rule.negated;
    if (level.work.over) return false;
  }
  return false;
}

function lastMatch(level: IgnoreRules, realPath: string, name: string, isDirectory: boolean): Placed | undefined {
  const below = realPath.slice(level.base === "/" ? 1 : level.base.length + 1);
  const named = [...(level.plain.get(name) ?? []), ...(level.plain.get(keyOf(below, true)) ?? [])];
  const plain = named
    .filter((rule) => isDirectory || !rule.directoriesOnly)
    .reduce<Placed | undefined>((last, rule) => (last === undefined || rule.at > last.at ? rule : last), undefined);
  let parts: string[] | undefined;
  for (const rule of level.wild) {
    if (plain !== undefined && plain.at > rule.at) return plain;
    if (rule.directoriesOnly && !isDirectory) continue;
    if (level.work.nameIsSpent) return undefined;
    level.work.tried();
    const subject = rule.anchored ? (parts ??= below.split("/")) : [name];
    if (rule.alternatives.some((segments) => matchesSegments(segments, subject, level.work))) return rule;
  }
  return plain;
}

/** The text of a rules file; nothing when it is none, and `work` knows when it is too large to be one. */
export function readRules(file: string, work: IgnoreBudget): string {
  return work.over ? "" : readText(file, () => work.skipped());
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
  readonly #work: IgnoreBudget;

  constructor(realDirectory: string, work: IgnoreBudget) {
    this.#top = realDirectory;
    this.#work = work;
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
    const text = isOdd(file) ? "" : readRules(file, this.#work);
    const rules = withRulesOf(this.#rulesAbove(directory), directory, text, this.#work);
    this.#known.set(directory, rules);
    return rules;
  }

  #rulesAbove(directory: string): IgnoreRules | undefined {
    if (directory === this.#top) return rulesAbove(directory, this.#work);
    if (fs.existsSync(path.posix.join(directory, ".git"))) return repositoryRules(directory, this.#work);
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
  if (!/[\\[*?{}\0]/.test(text)) {
    const names = text.split("/").map((name): Segment => ({ kind: "literal", text: name }));
    return { negated, directoriesOnly, anchored, alternatives: [names] };
  }
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

function globalRules(work: IgnoreBudget): IgnoreRules | undefined {
  const home = process.env["HOME"] ?? os.homedir();
  const config = process.env["XDG_CONFIG_HOME"] ?? path.join(home, ".config");
  const named =
    excludesFile(readText(path.join(home, ".gitconfig"))) ?? excludesFile(readText(path.join(config, "git", "config")));
  const file = named === undefined ? path.join(config, "git", "ignore") : named.replace(/^~(?=\/)/, home);
  // Patterns of this file are relative to wherever they are used: an anchored one then means the top of the disk.
  return withRulesOf(undefined, "/", readText(file), work);
}

function excludesFile(config: string): string | undefined {
  return /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(config)?.[1];
}

function readText(file: string, onTooLarge: () => void = () => undefined): string {
  let fd: number | undefined;
  try {
    // Not blocking: somebody may have made a FIFO of it.
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const stat = fs.fstatSync(fd);
    if (stat.isFile() && stat.size <= MAX_RULES_BYTES) return fs.readFileSync(fd, "utf8");
    if (stat.isFile()) onTooLarge();
    return "";
  } catch {
    return ""; // no such file, or not ours to read: no rules
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
