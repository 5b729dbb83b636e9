// Many mounts inside others, such as a thousand denied files: for each of them bubblewrap reads the whole list of mounts
// anew, so that a command took 18 s to start. mount(8) makes them first, all at once, in a mount namespace around
// bubblewrap; it then takes them along with the folders they are in.
import { rmSync, writeFileSync } from "node:fs";
import { holds } from "./boundary.ts";
import { readMounts, tableLine } from "./mount-table.ts";
import type { Mounted } from "./mount-table.ts";
import type { NamespaceTools } from "./system-programs.ts";
import type { Mount, MountPlan } from "./mount-plan.ts";

/** Fewer take less time than the programs that would make them. */
const MANY = 50;

// Dead with its parent from the beginning, as bubblewrap will be. What cannot be mounted is not left out: nothing runs.
const SETUP = 'set -e; path=$PATH; PATH=/usr/sbin:/usr/bin:/sbin:/bin; mount -a -T "$1"; PATH=$path; shift; exec "$@"';

type Split = { readonly inner: readonly Mount[]; readonly outer: readonly Mount[] };

export class MountBatch {
  readonly #tools: NamespaceTools | undefined;
  readonly #tables = new Map<string, { readonly plan: MountPlan; readonly file: string }>();
  readonly #made = new Map<string, string[]>();
  #split: { readonly plan: MountPlan; readonly parts: Split } | undefined;

  constructor(tools: NamespaceTools | undefined) {
    this.#tools = tools;
  }

  /** Words to put before bubblewrap's, and what is left for it to mount. Undefined when it can do all by itself. */
  ahead(
    plan: MountPlan,
    scratch: string,
  ): { readonly words: readonly string[]; readonly left: readonly Mount[] } | undefined {
    const { inner, outer } = this.#partsOf(plan);
    if (this.#tools === undefined || inner.length <= MANY) return undefined;
    const { setpriv, unshare } = this.#tools;
    const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
    const enter = [unshare, ...user, "--mount", "--", setpriv, "--pdeathsig", "KILL", "--"];
    const words = [...enter, "/bin/sh", "-c", SETUP, "bosun-sandbox", this.#tableFor(plan, inner, scratch)];
    return { words, left: outer };
  }

  forget(scratch: string): void {
    for (const file of this.#made.get(scratch) ?? []) rmSync(file, { force: true });
    this.#made.delete(scratch);
    this.#tables.delete(scratch);
  }

  #partsOf(plan: MountPlan): Split {
    if (this.#split?.plan !== plan) this.#split = { plan, parts: split(plan) };
    return this.#split.parts;
  }

  // A file of its own for each plan: an earlier command may still be working off the one before.
  #tableFor(plan: MountPlan, inner: readonly Mount[], scratch: string): string {
    const known = this.#tables.get(scratch);
    if (known?.plan === plan) return known.file;
    const made = this.#made.get(scratch) ?? [];
    const file = `${scratch}.mounts-${made.length}`;
    const mounted = readMounts();
    writeFileSync(file, inner.map((mount) => lineFor(mount, mounted)).join(""), { mode: 0o600 });
    this.#made.set(scratch, [...made, file]);
    this.#tables.set(scratch, { plan, file });
    return file;
  }
}

/** Inner: what stands in a folder that is shown as it is, and so can be put there before. */
function split({ mounts, unscoped }: MountPlan): Split {
  const shown = mounts.filter(({ kind }) => kind === "readable" || kind === "writable").map(({ at }) => at);
  const roots = unscoped ? ["/"] : shown.filter((at) => !shown.some((other) => other !== at && holds(other, at)));
  const isInner = ({ kind, at }: Mount): boolean =>
    kind !== "link" && kind !== "fresh" && kind !== "scratch" && roots.some((root) => root !== at && holds(root, at));
  return { inner: mounts.filter(isInner), outer: mounts.filter((mount) => !isInner(mount)) };
}

function lineFor(mount: Mount, mounted: Mounted): string {
  const { at } = mount;
  switch (mount.kind) {
    case "readable":
      return tableLine(at, at, "none", `rbind,ro${mounted.locked(at)}`);
    case "hidden-file":
      return tableLine("/dev/null", at, "none", `bind,ro,nodev${mounted.locked("/dev/null")}`);
    case "hidden-folder":
      return tableLine("bosun", at, "tmpfs", "ro,mode=000");
    case "absent":
      return tableLine("bosun", at, "tmpfs", "ro,mode=755");
    case "fixed-file":
      return tableLine(mount.file, at, "none", "bind,ro");
    default:
      return tableLine(at, at, "none", "rbind");
  }
}
