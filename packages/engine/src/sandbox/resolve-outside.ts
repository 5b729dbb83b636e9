// A path of the machine resolved without trusting what agents can write: component by component from `/`, links read by
// hand, and no answer at all once the way enters one of the given folders. What follows from there, agents decide.
import { lstatSync, readlinkSync } from "node:fs";
import path from "node:path";
import { heldBy } from "./boundary.ts";
import { idAt, idOf } from "./entry-stat.ts";

/** As the kernel: more links than this on one way is a loop. */
const MOST_LINKS = 40;

export type Resolved = {
  readonly path: string;
  readonly kind: "file" | "folder";
  /** Whether a link was met on the way. */
  readonly linked: boolean;
  readonly executable: boolean;
};

/** Folders that agents can write, by their names and by what they are: one that was moved is still the agent's. */
export type Untrusted = { readonly paths: readonly string[]; readonly ids: ReadonlySet<string> };

export function untrustedFolders(paths: readonly string[]): Untrusted {
  return { paths, ids: new Set(paths.map(idAt)) };
}

/** The real path, or undefined when there is none, or when it leads through one of the `untrusted` folders. */
export function resolveOutside(file: string, untrusted: Untrusted): Resolved | undefined {
  if (!path.isAbsolute(file)) return undefined;
  const pending = components(file).toReversed();
  let at = "/";
  let links = 0;
  try {
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (name === "..") {
        at = path.dirname(at);
        continue;
      }
      const next = path.join(at, name);
      // Not even looked at: what stands there, and whether it does, is the agent's to say.
      if (heldBy(untrusted.paths, next)) return undefined;
      const stat = lstatSync(next, { bigint: true });
      if (untrusted.ids.has(idOf(stat))) return undefined;
      if (stat.isSymbolicLink()) {
        links += 1;
        if (links > MOST_LINKS) return undefined;
        const target = readlinkSync(next);
        if (target.startsWith("/")) at = "/";
        pending.push(...components(target).toReversed());
      } else if (pending.length > 0 && !stat.isDirectory()) return undefined;
      else at = next;
    }
    const stat = lstatSync(at);
    const kind = stat.isDirectory() ? "folder" : stat.isFile() ? "file" : undefined;
    if (kind === undefined) return undefined;
    return { path: at, kind, linked: links > 0, executable: (stat.mode & 0o111) !== 0 };
  } catch {
    return undefined; // not there, or not ours to look at
  }
}

function components(text: string): string[] {
  return text.split("/").filter((part) => part !== "" && part !== ".");
}
