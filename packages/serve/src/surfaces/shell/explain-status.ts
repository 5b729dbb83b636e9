// Exit codes 126 and 127 in words: what could not be run, and what was probably meant.
import { readdirSync, lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { holds } from "../../config/config.ts";
import { nearest } from "@bosun/platform/flags";

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const MAX_NAMES = 20_000;

/** Undefined for every other status: then the command's own words are enough. */
export function explainStatus(exitCode: number, stderr: string, searchPath: string, cwd: string): string | undefined {
  if (exitCode === NOT_FOUND) {
    const name = commandNotFound(stderr);
    if (name === undefined) return "command not found";
    const meant = name.includes("/") ? undefined : nearest(name, programsOn(searchPath));
    return `command not found: ${name}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
  }
  if (exitCode === NOT_EXECUTABLE) {
    const folder = /([^\s:]+): Is a directory/.exec(stderr)?.[1];
    if (folder !== undefined) return `permission denied: ${folder} is a directory, not a program`;
    const file = deniedFile(stderr);
    if (file === undefined) return "permission denied: it was found but cannot be executed";
    const mode = modeOf(path.resolve(cwd, file), cwd);
    return `permission denied: ${file} cannot be executed${mode === undefined ? "" : ` (mode ${mode}; chmod +x, or run it with its interpreter)`}`;
  }
  const denied = exitCode === 0 ? undefined : deniedFile(stderr);
  return denied === undefined ? undefined : explainDenied(denied, cwd);
}

/** Whether a status was explained by a permission that was missing: the record names these. */
export function isPermissionDenied(explained: string | undefined): boolean {
  return explained?.startsWith("permission denied: ") === true;
}

function explainDenied(named: string, cwd: string): string {
  const mode = modeOf(path.resolve(cwd, named), cwd);
  const user = process.getuid?.();
  const who = mode === undefined || user === undefined ? "" : ` (mode ${mode}; commands run as user ${user})`;
  return `permission denied: ${named}${who}; work on a copy below the working directory, or ask the person to change it`;
}

function commandNotFound(stderr: string): string | undefined {
  return (
    /([^\s:]+): command not found/.exec(stderr)?.[1] ??
    /([^\s:]+): not found/.exec(stderr)?.[1] ??
    /([^\s:]+): No such file or directory/.exec(stderr)?.[1]
  );
}

function deniedFile(stderr: string): string | undefined {
  return /([^\s:]+): Permission denied/i.exec(stderr)?.[1];
}

function programsOn(searchPath: string): string[] {
  const names = new Set<string>();
  for (const folder of searchPath.split(":").filter((entry) => entry.startsWith("/"))) {
    try {
      for (const name of readdirSync(folder)) {
        if (names.size >= MAX_NAMES) return [...names];
        names.add(name);
      }
    } catch {
      // a folder on PATH that is not there holds no programs
    }
  }
  return [...names];
}

// Below the directory it ran in only: the output chooses the name, and what lies elsewhere is not to be asked of us.
function modeOf(file: string, cwd: string): string | undefined {
  try {
    const folder = realpathSync(path.dirname(file));
    if (!holds(realpathSync(cwd), folder)) return undefined;
    return (lstatSync(path.join(folder, path.basename(file))).mode & 0o7777).toString(8);
  } catch {
    return undefined; // gone, or not to be seen
  }
}
