// Where settings and state live, and which of those places no tool may ever write, even where nothing is there yet.
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

export type Folders = {
  readonly config: string;
  /** Approvals, pins, trust, audit. */
  readonly state: string;
  /** Sessions. */
  readonly data: string;
};

export const PROJECT_FILE = ".bosun.toml";

/** Never relative: what is trusted would then lie wherever we are started, in a folder that tools may write. */
export function homeOf(env: Environment): string {
  const named = env["HOME"];
  if (named !== undefined && path.isAbsolute(named)) return named;
  try {
    const known = homedir();
    return path.isAbsolute(known) ? known : path.parse(process.cwd()).root;
  } catch {
    return path.parse(process.cwd()).root; // a user that this machine does not know, in a container
  }
}

export function foldersOf(env: Environment, home: string): Folders {
  return {
    config: path.join(baseOf(env["XDG_CONFIG_HOME"], home, ".config"), "bosun"),
    state: path.join(baseOf(env["XDG_STATE_HOME"], home, ".local/state"), "bosun"),
    data: path.join(baseOf(env["XDG_DATA_HOME"], home, ".local/share"), "bosun"),
  };
}

export type SettingsFile =
  /** Somebody named it: then it must be there. */
  | { readonly kind: "named"; readonly file: string; readonly by: "--config" | "$BOSUN_CONFIG" }
  | { readonly kind: "usual"; readonly file: string }
  | { readonly kind: "none"; readonly usual: string };

export function locateSettings(flag: string | undefined, env: Environment, home: string, cwd: string): SettingsFile {
  if (flag !== undefined) return { kind: "named", file: path.resolve(cwd, flag), by: "--config" };
  const named = env["BOSUN_CONFIG"];
  if (named !== undefined && named !== "")
    return { kind: "named", file: path.resolve(cwd, named), by: "$BOSUN_CONFIG" };
  const [toml = "", ...others] = usualFiles(foldersOf(env, home));
  const found = [toml, ...others].find((file) => existsSync(file));
  return found === undefined ? { kind: "none", usual: toml } : { kind: "usual", file: found };
}

export type ProjectFile = {
  readonly file: string;
  /** In the working directory or a parent up to the repository's root; without a repository, only in the working directory. */
  readonly isNear: boolean;
};

/** Every `.bosun.toml` from the working directory up, the nearest first. Where a repository ends, and whether a file stands
 * nearer, an agent can change: so those above are looked at, too, for one that a person has agreed to. */
export function locateProjectFiles(cwd: string): ProjectFile[] {
  const root = repositoryRoot(cwd) ?? cwd;
  const found: ProjectFile[] = [];
  let isNear = true;
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const file = path.join(folder, PROJECT_FILE);
    // A folder of that name holds no settings.
    if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === false) found.push({ file, isNear });
    if (folder === root) isNear = false;
    if (folder === path.dirname(folder)) return found;
  }
}

/**
 * Paths that decide what is allowed. The engine keeps them out of every tool's reach. Our own folders count also while they
 * do not exist: who can make a settings file can write settings. A project file counts once it is there: one that an agent
 * makes is not honoured, since only a file whose very bytes a person trusted is.
 */
export function protectedPaths(flag: string | undefined, env: Environment, home: string, cwd: string): string[] {
  const folders = foldersOf(env, home);
  const named = locateSettings(flag, env, home, cwd);
  const projects = locateProjectFiles(cwd).map(({ file }) => file);
  const listed = [folders.config, folders.state, folders.data, ...usualFiles(folders), ...projects];
  if (named.kind === "named") listed.push(named.file);
  // A settings file behind a link is as good as its target.
  return [...new Set(listed.flatMap((file) => [file, realPathOf(file)]))];
}

// An XDG variable that is not absolute must be ignored (XDG base directory specification).
function baseOf(value: string | undefined, home: string, usual: string): string {
  return value !== undefined && path.isAbsolute(value) ? value : path.join(home, usual);
}

function usualFiles(folders: Folders): string[] {
  return [path.join(folders.config, "config.toml"), path.join(folders.config, "config.json")];
}

function repositoryRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, ".git"))) return folder;
    if (folder === path.dirname(folder)) return undefined;
  }
}

function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Not there yet: the nearest folder that is decides where it would be.
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realPathOf(folder), path.basename(file));
  }
}
