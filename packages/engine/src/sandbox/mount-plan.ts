// A boundary as the file tree a command will see: what is mounted where, in order, parents before children. Every
// mechanism with a mount namespace builds this same tree. Nothing in it follows from the content of a folder that agents
// can write: allowed folders and what lies in them are mounted by descriptors that were opened without following a link,
// and the rest is the system's or the person's (toolchains.ts).
import { readlinkSync } from "node:fs";
import { heldBy, holds } from "./boundary.ts";
import { creationIn, entriesToKeep } from "./creatable-entries.ts";
import { idAt, entryStat } from "./entry-stat.ts";
import { MountCover } from "./covering-mounts.ts";
import { MountSources } from "./mount-sources.ts";
import { folderOf } from "./path-text.ts";
import type { Cover } from "../process/sandbox-words.ts";
import type { Boundary, HeldPlace } from "./boundary.ts";
import type { Mountpoint, MountpointLocks } from "./mountpoint-locks.ts";
import type { Source } from "./mount-sources.ts";
import type { Toolchains } from "./toolchains.ts";

export type Mount =
  /** `source` is what is mounted; without one it is a part of the system, mounted by its name. */
  | {
      readonly kind: "readable" | "writable";
      readonly at: string;
      readonly source: Source | undefined;
      /** A place that a person's programs obey: a command may be allowed to write it, once. */
      readonly held?: boolean;
      readonly isPutBack?: boolean;
    }
  | { readonly kind: "link"; readonly at: string; readonly to: string }
  /** An empty folder of its own, writable, gone with the command. */
  | { readonly kind: "fresh"; readonly at: string }
  /** Something nobody can read or write in place of a file or folder. */
  | { readonly kind: "hidden-file" | "hidden-folder"; readonly at: string }
  /** An empty folder that stays empty, in place of what is not there: whatever somebody puts there meanwhile. */
  | { readonly kind: "absent"; readonly at: string; readonly held?: boolean; readonly isPutBack?: boolean }
  /** A file of ours in place of what is not there. */
  | {
      readonly kind: "fixed-file";
      readonly at: string;
      readonly file: string;
      readonly held?: boolean;
      readonly isPutBack?: boolean;
    }
  /** The session's temporary folder. */
  | { readonly kind: "scratch"; readonly at: string };

export const SCRATCH = "/tmp";
/** Where the kernel's and the mechanism's own file systems are: a home folder is not emptied over them. */
const KERNEL_FOLDERS = ["/dev", "/proc", "/sys"];

export class MountPlan implements Disposable {
  readonly mounts: readonly Mount[];
  /** Everything outside is there, writable; mounts only take away. */
  readonly unscoped: boolean;
  /** What must be there while a command runs, or the absent could be made. */
  readonly mountpoints: readonly Mountpoint[];
  /** Whether these may be there a little longer than a command: what a person makes where a rule denies it is not to find
   * something in its way. */
  readonly mayLinger: boolean;
  /** Of what is taken away. */
  readonly cover: Cover;
  readonly #sources: MountSources;
  readonly #locks: MountpointLocks;

  /** Throws START_FAILED when something could not be opened, for want of descriptors for example. */
  constructor(boundary: Boundary, held: readonly HeldPlace[], toolchains: Toolchains, locks: MountpointLocks) {
    this.#locks = locks;
    this.#sources = new MountSources(boundary.writable);
    const builder = new PlanBuilder(boundary, toolchains, this.#sources, locks);
    try {
      for (const place of held) builder.hold(place);
      for (const file of boundary.readOnly) builder.keepReadOnly(file);
      for (const file of boundary.denied) builder.hide(file);
      if (!builder.unscoped) for (const file of toolchains.secrets) builder.hide(file);
      this.mounts = builder.mounts();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
    this.unscoped = builder.unscoped;
    this.mountpoints = builder.mountpoints;
    this.cover = new MountCover(builder.taken(this.mounts), this.mountpoints, locks);
    this.mayLinger = this.mounts.every((mount) => mount.kind !== "absent" || mount.held === true);
  }

  /** Changes when the same boundary would be another plan: a mount stays on the file it was made on, and is gone from that
   * name when another takes its place (an editor saves by renaming). */
  state(): string {
    const made = new Map(this.mountpoints.map((place) => [place.path, place]));
    return this.mounts
      .map((mount) => {
        if (mount.kind === "link" || mount.kind === "fresh" || mount.kind === "scratch") return "";
        const place = made.get(mount.at);
        return place !== undefined && this.#locks.isMade(place) ? "" : idAt(mount.at);
      })
      .join();
  }

  [Symbol.dispose](): void {
    this.#sources[Symbol.dispose]();
  }
}

class PlanBuilder {
  readonly unscoped: boolean;
  readonly mountpoints: Mountpoint[] = [];
  readonly #boundary: Boundary;
  readonly #toolchains: Toolchains;
  readonly #sources: MountSources;
  readonly #locks: MountpointLocks;
  readonly #kept: Mount[] = [];
  readonly #taken: Mount[] = [];

  constructor(boundary: Boundary, toolchains: Toolchains, sources: MountSources, locks: MountpointLocks) {
    this.unscoped = boundary.writable.length === 0;
    this.#boundary = boundary;
    this.#toolchains = toolchains;
    this.#sources = sources;
    this.#locks = locks;
  }

  /** Of those mounts, the ones that keep commands from something. */
  taken(mounts: readonly Mount[]): Mount[] {
    const taken = new Set(this.#taken);
    return mounts.filter((mount) => taken.has(mount));
  }

  hold({ path: file, absent, isPutBack = false }: HeldPlace): void {
    if (!this.#isWritable(file)) return;
    const content = typeof absent === "object" ? absent.content : undefined;
    const source = this.#sources.open(file);
    if (source !== undefined && !this.#locks.isMade({ path: file, content })) {
      this.#taken.push({ kind: "readable", at: file, source, held: true, isPutBack });
      return;
    }
    if (absent === "nothing") return;
    const there = this.#nearest(file, content);
    if (there.exists || creationIn(folderOf(there.path)) !== "open") return;
    // A folder that is missing on the way is kept empty: what would be in it cannot be made, either.
    const isItself = there.path === file;
    if (isItself && content !== undefined) {
      this.mountpoints.push({ path: file, content });
      this.#taken.push({ kind: "fixed-file", at: file, file: this.#locks.fileWith(content), held: true, isPutBack });
    } else if (!this.mountpoints.some(({ path: made }) => made === there.path)) {
      this.mountpoints.push({ path: there.path, content: undefined });
      this.#taken.push({ kind: "absent", at: there.path, held: true, isPutBack });
    }
  }

  keepReadOnly(file: string): void {
    const there = this.#nearest(file);
    if (!there.exists) return this.#keepAbsent(there.path);
    const source = this.#sources.open(file);
    // A link cannot be mounted on; what it leads to is judged by its own name.
    if (source === undefined) return;
    if (this.#isWritable(file) || heldBy(this.#toolchains.visible, file))
      this.#taken.push({ kind: "readable", at: file, source });
  }

  hide(file: string): void {
    const there = this.#nearest(file);
    if (!there.exists) this.#keepAbsent(there.path);
    else if (there.kind !== "link" && (this.#isWritable(file) || heldBy(this.#toolchains.visible, file)))
      this.#taken.push({ kind: there.kind === "folder" ? "hidden-folder" : "hidden-file", at: file });
  }

  mounts(): Mount[] {
    const base = this.unscoped ? [] : this.#base();
    const above = this.#taken.flatMap(({ at }) => this.#foldersAbove(at));
    return inOrder([...base, ...above, ...this.#kept, ...this.#taken]);
  }

  #isWritable(file: string): boolean {
    return this.unscoped || heldBy(this.#boundary.writable, file);
  }

  #keepAbsent(file: string): void {
    if (!this.#isWritable(file)) return;
    const folder = folderOf(file);
    const creation = creationIn(folder);
    if (creation === "open") {
      this.mountpoints.push({ path: file, content: undefined });
      this.#taken.push({ kind: "absent", at: file });
    } else if (creation === "closed") {
      this.#take("readable", folder, this.#taken);
      for (const at of entriesToKeep(folder)) this.#take("writable", at, this.#kept);
    }
  }

  #take(kind: "readable" | "writable", at: string, into: Mount[]): void {
    const source = this.#sources.open(at);
    if (source !== undefined) into.push({ kind, at, source });
  }

  #base(): Mount[] {
    const { home, writable } = this.#boundary;
    const mounts: Mount[] = [
      { kind: "scratch", at: SCRATCH },
      { kind: "link", at: "/var/tmp", to: SCRATCH },
    ];
    // A home folder that is itself allowed is not emptied, nor is one that holds everything.
    const isEmptied = !heldBy(writable, home) && ![...KERNEL_FOLDERS, "/usr"].some((folder) => holds(home, folder));
    if (isEmptied && !heldBy(KERNEL_FOLDERS, home)) mounts.push({ kind: "fresh", at: home });
    for (const at of this.#toolchains.visible) {
      const link = linkTarget(at);
      if (link === undefined) mounts.push({ kind: "readable", at, source: this.#sourceOfToolchain(at) });
      else mounts.push({ kind: "link", at, to: link });
    }
    for (const at of writable) this.#take("writable", at, mounts);
    return mounts;
  }

  /** What lies in the home folder other programs may replace; the system's own folders nobody does. */
  #sourceOfToolchain(at: string): Source | undefined {
    return folderOf(at) === "/" ? undefined : this.#sources.open(at);
  }

  // A mount point itself cannot be renamed, but a folder that holds one can: with it a protected file would be moved away, and
  // another one made in its place. So every folder on the way down from an allowed one becomes a mount point, too.
  #foldersAbove(protectedPath: string): Mount[] {
    const roots = this.unscoped ? ["/"] : this.#boundary.writable;
    const folders: Mount[] = [];
    for (let at = folderOf(protectedPath); at !== "/" && !roots.includes(at) && heldBy(roots, at); at = folderOf(at)) {
      this.#take("writable", at, folders);
    }
    return folders;
  }

  // What does not exist is kept from existing at its first missing component. What was only made to be mounted on counts as
  // absent.
  #nearest(file: string, content?: string): { path: string; exists: boolean; kind: "folder" | "file" | "link" } {
    let missing: string | undefined;
    for (let at = file; ; at = folderOf(at)) {
      const stat = entryStat(at);
      const made = { path: at, content: at === file ? content : undefined };
      if (stat !== undefined && !this.#locks.isMade(made)) {
        const kind = stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : "file";
        return missing === undefined ? { path: file, exists: true, kind } : { path: missing, exists: false, kind };
      }
      missing = at;
      if (at === "/") return { path: file, exists: false, kind: "file" };
    }
  }
}

// Parents first; at the same place the later one in the list wins, and a hidden place swallows what lies in it.
function inOrder(mounts: readonly Mount[]): Mount[] {
  const byPlace = new Map(mounts.map((mount) => [mount.at, mount]));
  const hidden = mounts.filter((mount) => mount.kind.startsWith("hidden")).map((mount) => mount.at);
  return [...byPlace.values()]
    .filter((mount) => !hidden.some((folder) => folder !== mount.at && holds(folder, mount.at)))
    .sort((a, b) => depth(a.at) - depth(b.at));
}

function depth(file: string): number {
  return file === "/" ? 0 : file.split("/").length - 1;
}

// /bin is a link to usr/bin on most systems: shown as the link it is.
function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined; // it is none
  }
}
