// The boundary by Landlock, where namespaces are not allowed: a helper confines itself by system calls and then becomes
// the command. It grants; it cannot take away: see `grantsOf` for what that means for denied paths.
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainly } from "../process/sandbox-words.ts";
import { withVariables } from "../process/environment.ts";
import type { Confinement } from "../process/sandbox-words.ts";
import { heldBy, holds } from "./boundary.ts";
import { idAt, isThere } from "./entry-stat.ts";
import { readFolder } from "./read-folder.ts";
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
// Not /dev/pts: a rule there would be one for every terminal of this user, what is typed into it included.
const ALWAYS_WRITE = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/shm"];
// A folder split around a denied entry becomes one rule per sibling.
const MOST_SPLIT_ENTRIES = 4096;

/** `helper`: the words that start landlock-program.ts as a program. */
export function landlockConfinement(helper: readonly string[], boundary: Boundary): Confinement {
  let grants = grantsOf(boundary);
  // A grant is for what was there when it was made: what stands at that name later is not granted.
  let ids = idsOf(grants);
  let roots = boundary.writable.map(idAt).join();
  const files = new GrantFiles();
  return {
    prepare: async () => {
      const now = boundary.writable.map(idAt).join();
      if (now === roots) return;
      [grants, roots] = [grantsOf(boundary), now];
      ids = idsOf(grants);
    },
    wrap: (argv, { env, scratch }) => {
      const inside = withVariables({ ...env, TMPDIR: scratch }, argv);
      return plainly([...helper, files.fileFor(scratch, grants, ids), ...inside]);
    },
    forget: (scratch) => files.forget(scratch),
    outside: (directory) => directory,
    namespaced: false,
    hidesSignals: false,
    onlyStdio: true, // process.execve closes the others
    allowsPrestart: false, // a waiting shell needs one more
  };
}

/**
 * Landlock rules add up and none subtracts, so a folder that holds a denied or protected entry is granted entry by entry:
 * nothing new can then be made in that very folder. Stricter than the file tools, never looser.
 */
export function grantsOf(boundary: Boundary): Grants {
  const { visible, secrets } = findToolchains(boundary);
  const unscoped = boundary.writable.length === 0;
  const roots = unscoped ? ["/"] : boundary.writable;
  const denied = [...boundary.denied, ...(unscoped ? [] : secrets)];
  const write = roots.map((root) => split(root, [...denied, ...boundary.readOnly]));
  const protectedRead = boundary.readOnly
    .filter((file) => isThere(file) && !heldBy(denied, file))
    .map((file) => split(file, denied));
  const read = [...visible, ...ALWAYS_READ].filter(isThere).map((root) => split(root, denied));
  return {
    write: [...write.flatMap((part) => part.whole), ...ALWAYS_WRITE.filter(isThere)],
    read: [...read, ...protectedRead].flatMap((part) => part.whole),
    list: [...write, ...read, ...protectedRead].flatMap((part) => part.listed),
    network: boundary.network,
  };
}

/** Grants as files beside the session's temporary folder, where commands cannot write: in a large folder they are more than an
 * argument can hold. */
class GrantFiles {
  readonly #written = new Map<string, { readonly grants: Grants; readonly file: string }>();

  fileFor(scratch: string, grants: Grants, ids: Readonly<Record<string, string>>): string {
    const known = this.#written.get(scratch);
    if (known?.grants === grants) return known.file;
    const file = `${scratch}.grants`;
    writeFileSync(file, JSON.stringify({ ...grants, write: [...grants.write, scratch], ids }), { mode: 0o600 });
    this.#written.set(scratch, { grants, file });
    return file;
  }

  forget(scratch: string): void {
    const known = this.#written.get(scratch);
    this.#written.delete(scratch);
    if (known !== undefined) rmSync(known.file, { force: true });
  }
}

function idsOf({ read, write, list }: Grants): Record<string, string> {
  return Object.fromEntries([...read, ...write, ...list].map((file) => [file, idAt(file)]));
}

type Parts = { readonly whole: readonly string[]; readonly listed: readonly string[] };

/** The largest pieces of a folder that hold none of the exceptions, and the folders that had to be taken apart. */
function split(folder: string, exceptions: readonly string[]): Parts {
  if (heldBy(exceptions, folder)) return { whole: [], listed: [] };
  if (!exceptions.some((file) => holds(folder, file))) return { whole: [folder], listed: [] };
  const parts = entriesOf(folder).map((name) => split(path.join(folder, name), exceptions));
  return { whole: parts.flatMap((part) => part.whole), listed: [folder, ...parts.flatMap((part) => part.listed)] };
}

// Without links: a rule for one would be a rule for what it points to, wherever that is. Without names that are not UTF-8:
// the helper is told names in a text, and what it is not told of stays closed.
function entriesOf(folder: string): string[] {
  const entries = readFolder(folder).filter(({ kind, name }) => kind !== "link" && name.isWellFormed());
  return entries.slice(0, MOST_SPLIT_ENTRIES).map(({ name }) => name);
}
