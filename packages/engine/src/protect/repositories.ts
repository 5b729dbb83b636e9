// Git repositories around and below folders, found by reading names and pointer files; git itself is never run.
import fs from "node:fs";
import path from "node:path";

const MAX_DEPTH = 3;
const MAX_REPOSITORIES = 64;
const MAX_POINTER_BYTES = 4096;
const MAX_FOLDERS = 2000;

export type Repository = {
  /** The folder that holds `.git`. */
  readonly top: string;
  readonly gitDir: string;
  /** Where hooks and config are: another folder than `gitDir` for a worktree. */
  readonly commonDir: string;
  /** The `.git` file of a worktree or submodule. */
  readonly pointer: string | undefined;
};

/** Those of each folder itself, of the folders above it, and up to three levels below. Links are not followed. */
export function findRepositories(roots: readonly string[]): Repository[] {
  const found = new Map<string, Repository>();
  for (const root of roots) {
    for (let at = root; ; at = path.dirname(at)) {
      note(found, at);
      if (at === path.dirname(at)) break;
    }
    below(found, root);
  }
  return [...found.values()];
}

function below(found: Map<string, Repository>, root: string): void {
  let level = [root];
  let seen = 0;
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      for (const entry of entriesOf(folder)) {
        if (!entry.isDirectory() || entry.name === "node_modules" || entry.name === ".git") continue;
        if ((seen += 1) > MAX_FOLDERS || found.size >= MAX_REPOSITORIES) return;
        next.push(path.join(folder, entry.name));
      }
    }
    for (const folder of next) note(found, folder);
    level = next;
  }
}

function note(found: Map<string, Repository>, top: string): void {
  if (found.has(top) || found.size >= MAX_REPOSITORIES) return;
  const repository = repositoryAt(top);
  if (repository !== undefined) found.set(top, repository);
}

function repositoryAt(top: string): Repository | undefined {
  const at = path.join(top, ".git");
  const stat = fs.lstatSync(at, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return { top, gitDir: at, commonDir: commonDirOf(at), pointer: undefined };
  const named = stat.isFile() ? /^gitdir: (.*?)\s*$/.exec(shortText(at))?.[1] : undefined;
  if (named === undefined || named === "") return undefined;
  const gitDir = path.resolve(top, named);
  return { top, gitDir, commonDir: commonDirOf(gitDir), pointer: at };
}

function commonDirOf(gitDir: string): string {
  const named = shortText(path.join(gitDir, "commondir")).trim();
  return named === "" ? gitDir : path.resolve(gitDir, named);
}

function shortText(file: string): string {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(MAX_POINTER_BYTES);
      return fs.fstatSync(fd).isFile() ? bytes.toString("utf8", 0, fs.readSync(fd, bytes, 0, bytes.length, 0)) : "";
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return "";
  }
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
