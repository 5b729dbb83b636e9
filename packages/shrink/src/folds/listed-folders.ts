// Folders that a list names beside what they hold, as `find` and `tar` do before it and `du` after it: a dot among the
// names of the folder, with a slash where the list had one.
//
//   src/ . a.ts b.ts          src, src/a.ts, src/b.ts
//   src/ a.ts=4 .=12          4 src/a.ts, 12 src
import type { Placed } from "./name-lines.ts";

type Name = Extract<Placed, { kind: "name" }>;

const SELF = ".";
const SELF_WITH_SLASH = "./";

export function isSelf(name: string): boolean {
  return name === SELF || name === SELF_WITH_SLASH;
}

/** The folder that all of these paths lie in or are, with its slash. */
export function sharedRoot(paths: readonly string[], commonFolder: (paths: readonly string[]) => string): string {
  const [first = ""] = paths;
  const last = paths.at(-1) ?? "";
  for (const top of [first, last]) {
    const root = top.endsWith("/") ? top : `${top}/`;
    if (paths.length > 1 && paths.every((path) => path === top || path.startsWith(root))) return root;
  }
  return commonFolder(paths);
}

/** The folder itself, as a name in it. */
export function asSelf(folders: string[], slash: boolean, label: string | undefined): Name {
  const name = slash ? SELF_WITH_SLASH : SELF;
  return { kind: "name", folders, name, ...(label === undefined ? {} : { label }) };
}

/** The path of a folder that stands among its own names. */
export function pathOfSelf(folder: string, name: string): string {
  return name === SELF ? folder.slice(0, -1) : folder;
}

/** Each folder that stands right before or right after something in it becomes a dot there. */
export function joinListedFolders(placed: readonly Placed[]): Placed[] {
  return placed.map((item, i) => {
    if (item.kind === "line" || isSelf(item.name)) return item;
    return isIn(placed[i + 1], item) || isIn(placed[i - 1], item) ? inItself(item) : item;
  });
}

/** The same for lists whose order is known: wherever what it holds may stand. */
export function joinAllListedFolders(placed: readonly Placed[]): Placed[] {
  const folders = new Set<string>();
  for (const item of placed) {
    if (item.kind === "line") continue;
    for (let depth = item.folders.length; depth > 0; depth--) {
      const key = item.folders.slice(0, depth).join("/");
      if (folders.has(key)) break;
      folders.add(key);
    }
  }
  return placed.map((item) => {
    if (item.kind === "line" || isSelf(item.name)) return item;
    const own = withoutSlash(item.name);
    return folders.has([...item.folders, own].join("/")) ? inItself(item) : item;
  });
}

function isIn(inner: Placed | undefined, { folders, name }: Name): boolean {
  if (inner?.kind !== "name" || inner.folders.length <= folders.length) return false;
  if (inner.folders[folders.length] !== withoutSlash(name)) return false;
  for (let i = folders.length - 1; i >= 0; i--) if (inner.folders[i] !== folders[i]) return false;
  return true;
}

function inItself({ folders, name, label }: Name): Name {
  return asSelf([...folders, withoutSlash(name)], name.endsWith("/"), label);
}

function withoutSlash(name: string): string {
  return name.endsWith("/") ? name.slice(0, -1) : name;
}
