// Repositories that commands made: hooks that would run and configuration that names programs count as changes; what
// `git init` and `git clone` write by themselves does not.
import fs from "node:fs";
import { compileGlob } from "../scope/glob-pattern.ts";
import { bytesOfPath, textOfPath } from "../sandbox/path-text.ts";
import type { Directory } from "../scope/directory.ts";
import { isWithin } from "../scope/scope.ts";
import type { Change } from "./state-changes.ts";
import { withoutPrograms } from "./git-config-programs.ts";
import type { ConfigUse } from "./git-config-programs.ts";
import type { KeptContents } from "./content-before.ts";
import { openFolder } from "./real-folder.ts";
import { repositoryAt } from "./repositories.ts";
import type { PlaceRule } from "./settled-places.ts";
import { ABSENT, entered, lookAtEntry, statOf } from "./place-state.ts";

const MAX_MODULES = 50;
const CONFIGS = ["config", "config.worktree"];

const GIT_RULE: PlaceRule = { level: "settle", why: "git runs it", pattern: compileGlob(".git/**") };
/** That there is a repository now: noted, whatever is in it. */
export const MADE_RULE: PlaceRule = {
  level: "note",
  why: "a command made this repository",
  pattern: compileGlob(".git"),
};

/** Changes below one folder. */
export type FolderChanges = { readonly folder: string; readonly changes: readonly Change[] };

/** What to settle in a place where git has begun to find a repository. Paths in latin1. */
export function changesInNewRepository(
  found: string,
  isKnownGitFolder: (path: string) => boolean,
  roots: readonly string[],
  contents: KeptContents,
): FolderChanges[] {
  const slash = found.lastIndexOf("/");
  const [top, name] = [found.slice(0, slash) || "/", found.slice(slash + 1)];
  const isLink = fs.lstatSync(Buffer.from(found, "latin1"), { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink) {
    // Git follows it, and what lies at its end may be anything.
    using directory = openFolder(top);
    if (directory === undefined) return [];
    const after = lookAtEntry(directory, name, GIT_RULE, ABSENT, contents);
    return [{ folder: top, changes: [{ parts: [name], rule: GIT_RULE, before: ABSENT, after }] }];
  }
  const inScope = (path: string): boolean => roots.length === 0 || roots.some((root) => isWithin(root, path));
  return gitFoldersOf(found, top, name)
    .filter((path) => inScope(path) && !isKnownGitFolder(path))
    .flatMap((path) => {
      using directory = openFolder(path);
      if (directory === undefined) return [];
      const changes = [...changesIn(directory, path, [], contents), ...changesInModules(directory, path, contents)];
      return changes.length === 0 ? [] : [{ folder: path, changes }];
    });
}

/** The folders whose hooks and configuration git would obey there. */
export function gitFoldersOf(found: string, top: string, name: string): string[] {
  if (name !== ".git") return [found]; // looks like a bare one
  const repository = repositoryAt(textOfPath(Buffer.from(top, "latin1")));
  if (repository === undefined) return [found];
  const folders = [repository.gitDir, repository.commonDir].map((path) => bytesOfPath(path).toString("latin1"));
  return [...new Set(folders)];
}

/** `directory` is that git folder, or the one at `parts` in it. */
function changesIn(directory: Directory, gitDir: string, parts: readonly string[], contents: KeptContents): Change[] {
  const use = { worktreeBelow: worktreeBelow([gitDir, ...parts].join("/")) };
  return [
    ...hookChanges(directory, parts, contents),
    ...CONFIGS.flatMap((name) => configChange(directory, name, parts, use, contents)),
  ];
}

/** A submodule's configuration says where it is checked out: somewhere in the folder around the repository. */
function worktreeBelow(gitDir: string): string | undefined {
  const module = /\/\.git\/modules\/(?!.*\/\.git\/)(.+)$/s.exec(gitDir)?.[1];
  return module === undefined ? undefined : "../".repeat(module.split("/").length + 2);
}

function hookChanges(directory: Directory, parts: readonly string[], contents: KeptContents): Change[] {
  const stat = statOf(directory, "hooks");
  if (stat === undefined) return [];
  const change = (inside: Directory, name: string, here: readonly string[]): Change => {
    const after = lookAtEntry(inside, name, GIT_RULE, ABSENT, contents);
    return { parts: [...here, name], rule: GIT_RULE, before: ABSENT, after };
  };
  if (!stat.isDirectory()) return stat.isSymbolicLink() ? [change(directory, "hooks", parts)] : [];
  using hooks = entered(directory, "hooks");
  if (hooks === undefined) return [];
  const inside = hooks;
  return namesIn(inside)
    .filter((name) => !name.endsWith(".sample"))
    .map((name) => change(inside, name, [...parts, "hooks"]));
}

function configChange(
  directory: Directory,
  name: string,
  parts: readonly string[],
  use: ConfigUse,
  contents: KeptContents,
): Change[] {
  const after = lookAtEntry(directory, name, GIT_RULE, ABSENT, contents);
  if (after.kind === "absent") return [];
  const change = (before: Change["before"]): Change[] => [{ parts: [...parts, name], rule: GIT_RULE, before, after }];
  const content =
    after.kind === "file" && after.content !== undefined ? contents.read(after.content.sha256) : undefined;
  if (after.kind !== "file" || content === undefined) return change(ABSENT); // a link, or more than git would ever write
  const clean = withoutPrograms(content.toString("latin1"), use);
  if (clean === undefined) return [];
  const kept = contents.keep(Buffer.from(clean, "latin1"));
  return change(kept === undefined ? ABSENT : { ...after, content: kept });
}

/** Submodules have folders of their own, below `modules`, where folders may lie in folders. */
function changesInModules(directory: Directory, gitDir: string, contents: KeptContents): Change[] {
  const changes: Change[] = [];
  let left = MAX_MODULES;
  const walk = (inside: Directory, parts: readonly string[], depth: number): void => {
    for (const name of namesIn(inside)) {
      if (depth > 4 || (left -= 1) < 0) return;
      using below = entered(inside, name);
      if (below === undefined) continue;
      const here = [...parts, name];
      const isRepository = statOf(below, "HEAD") !== undefined;
      if (isRepository) changes.push(...changesIn(below, gitDir, here, contents));
      else walk(below, here, depth + 1);
    }
  };
  using modules = entered(directory, "modules");
  if (modules !== undefined) walk(modules, ["modules"], 1);
  return changes;
}

function namesIn(directory: Directory): string[] {
  try {
    return fs.readdirSync(directory.self, { encoding: "buffer" }).map((name) => name.toString("latin1"));
  } catch {
    return []; // closed to us, and so to git of this user
  }
}
