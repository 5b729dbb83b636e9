// The boundary by Landlock, where namespaces are not allowed: a helper confines itself by system calls and then becomes
// the command. It grants; it cannot take away: see `grantsOf` for what that means for denied paths.
import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Confinement } from "../process/confinement.ts";
import { heldBy, holds } from "./boundary.ts";
import { findToolchains } from "./toolchains.ts";
import type { Boundary } from "./boundary.ts";

/** What the helper is told. Read-only entries may be files; `list` grants only the names in a folder. */
export type Grants = {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly list: readonly string[];
  readonly network: boolean;
};

const ALWAYS_READ = ["/proc", "/var/lib/dpkg", "/var/lib/ca-certificates"];
const ALWAYS_WRITE = [
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/dev/random",
  "/dev/urandom",
  "/dev/tty",
  "/dev/ptmx",
  "/dev/pts",
  "/dev/shm",
];
// A folder split around a denied entry becomes one rule per sibling.
const MOST_SPLIT_ENTRIES = 4096;

/** `helper`: the words that start confine.ts as a program. */
export function landlockConfinement(helper: readonly string[], boundary: Boundary): Confinement {
  const grants = grantsOf(boundary);
  return {
    wrap: (argv, _cwd, scratch) => [
      ...helper,
      JSON.stringify({ ...grants, write: [...grants.write, scratch], scratch }),
      ...argv,
    ],
    outside: (directory) => directory,
    namespaced: false,
    hidesSignals: false,
    onlyStdio: true, // process.execve closes the others
    allowsSpares: false, // a waiting shell needs one more
  };
}

/**
 * Landlock rules add up and none subtracts, so a folder that holds a denied or protected entry is granted entry by entry:
 * nothing new can then be made in that very folder. Stricter than the file tools, never looser.
 */
export function grantsOf(boundary: Boundary): Grants {
  const { visible, secrets } = findToolchains(boundary.home, boundary.path, boundary.toolchains);
  const unscoped = boundary.writable.length === 0;
  const roots = unscoped ? ["/"] : boundary.writable;
  const denied = [...boundary.denied, ...(unscoped ? [] : secrets)];
  const write = roots.map((root) => split(root, [...denied, ...boundary.readOnly]));
  const protectedRead = boundary.readOnly
    .filter((file) => exists(file) && !heldBy(denied, file))
    .map((file) => split(file, denied));
  const read = [...visible, ...ALWAYS_READ].filter(exists).map((root) => split(root, denied));
  return {
    write: [...write.flatMap((part) => part.whole), ...ALWAYS_WRITE.filter(exists)],
    read: [...read, ...protectedRead].flatMap((part) => part.whole),
    list: [...write, ...read, ...protectedRead].flatMap((part) => part.listed),
    network: boundary.network,
  };
}

type Parts = { readonly whole: readonly string[]; readonly listed: readonly string[] };

/** The largest pieces of a folder that hold none of the exceptions, and the folders that had to be taken apart. */
function split(folder: string, exceptions: readonly string[]): Parts {
  if (heldBy(exceptions, folder)) return { whole: [], listed: [] };
  if (!exceptions.some((file) => holds(folder, file))) return { whole: [folder], listed: [] };
  const parts = entriesOf(folder).map((name) => split(path.join(folder, name), exceptions));
  return { whole: parts.flatMap((part) => part.whole), listed: [folder, ...parts.flatMap((part) => part.listed)] };
}

// Without links: a rule for one would be a rule for what it points to, wherever that is.
function entriesOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isSymbolicLink());
    return entries.slice(0, MOST_SPLIT_ENTRIES).map((entry) => entry.name);
  } catch {
    return []; // unreadable, or not a folder: nothing in it is granted
  }
}

function exists(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch {
    return false;
  }
}
