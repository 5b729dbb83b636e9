// Which files the tools may touch. A path is opened first and judged by what was opened, and what was opened is what is
// used: there is no moment in between to swap a folder for a link.
import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { lstat, open, readlink, realpath, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";

const { O_RDONLY, O_DIRECTORY, O_NONBLOCK } = constants;
/** No system opens a longer one, and looking for the nearest folder of one takes a look for each of its parts. */
const MAX_PATH_BYTES = 4096;
const MAX_LINKS = 40;

/** A path that may not be touched, or is not there: the model can read why. */
export class PathRefused extends Error {
  override readonly name = "PathRefused";
}

export type Access = "read" | "write";
/** What else a host forbids: throws for a real path that may not be touched so. */
export type Veto = (real: string, access: Access) => void;

export class AllowedPaths {
  private readonly roots: readonly string[];
  readonly veto: Veto | undefined;

  private constructor(roots: readonly string[], veto: Veto | undefined) {
    this.roots = roots;
    this.veto = veto;
  }

  /** No folder named: every path is allowed that the host does not forbid. */
  static async within(folders: readonly string[], veto?: Veto): Promise<AllowedPaths> {
    return new AllowedPaths(await Promise.all(folders.map(realFolder)), veto);
  }

  /** For one call: the descriptors it opens are closed with it. */
  open(): OpenedPaths {
    return new OpenedPaths(this);
  }

  get limited(): boolean {
    return this.roots.length > 0 || this.veto !== undefined;
  }

  contains(real: string): boolean {
    return (
      this.roots.length === 0 || this.roots.some((root) => real === root || real.startsWith(path.join(root, path.sep)))
    );
  }

  describe(): string {
    return this.roots.join(", ");
  }
}

export class OpenedPaths implements AsyncDisposable {
  private readonly allowed: AllowedPaths;
  private readonly handles: FileHandle[] = [];

  constructor(allowed: AllowedPaths) {
    this.allowed = allowed;
  }

  /** The path to open instead of the one asked for. */
  async resolve(asked: string, access: Access): Promise<string> {
    const wanted = possible(asked);
    if (access === "read") {
      const file = await open(wanted, O_RDONLY | O_NONBLOCK);
      const { held, real } = await this.through(wanted, file);
      this.allowed.veto?.(real, access);
      // A pipe or a device may never end, and a manifest can name one.
      if (!(await file.stat()).isFile()) throw new PathRefused(`${asked} is not a regular file`);
      return held;
    }
    // What is to be written may not exist: its folder decides, and only a file is replaced.
    const folder = await open(path.dirname(wanted), O_RDONLY | O_DIRECTORY);
    const name = path.basename(wanted);
    const { held, real } = await this.through(path.dirname(wanted), folder);
    this.allowed.veto?.(path.join(real, name), access);
    const target = path.join(held, name);
    const found = await lstat(target).catch(() => undefined);
    if (found?.isSymbolicLink()) throw new PathRefused(`${asked} is a link: name the file itself`);
    if (found && !found.isFile()) throw new PathRefused(`${asked} is not a regular file`);
    return target;
  }

  /**
   * Looks without opening: before saying anything about a path, its existence included, and for programs that open
   * their files themselves.
   */
  async check(asked: string): Promise<void> {
    const real = await nearestReal(possible(asked), MAX_LINKS);
    if (!this.allowed.contains(real)) throw this.refusal(asked);
    this.allowed.veto?.(real, "read");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.handles.map((handle) => handle.close()));
  }

  private async through(wanted: string, handle: FileHandle): Promise<{ held: string; real: string }> {
    this.handles.push(handle);
    const held = `/proc/self/fd/${handle.fd}`;
    const opened = await readlink(held).catch(() => undefined);
    // Without /proc (not Linux) the name is all there is to go by.
    const real = opened ?? (await realpath(wanted));
    if (!this.allowed.contains(real)) throw this.refusal(wanted);
    return { held: opened === undefined ? real : held, real };
  }

  private refusal(asked: string): PathRefused {
    return new PathRefused(`${asked} is outside the allowed folders (${this.allowed.describe()})`);
  }
}

async function realFolder(folder: string): Promise<string> {
  const real = folder === "" ? undefined : await realpath(folder).catch(() => undefined);
  if (real === undefined) throw new PathRefused(`${JSON.stringify(folder)}: no such folder`);
  if (!(await stat(real)).isDirectory()) throw new PathRefused(`${JSON.stringify(folder)}: not a folder`);
  return real;
}

function possible(asked: string): string {
  if (asked.includes("\0")) throw new PathRefused("no path has a NUL character in it");
  const wanted = path.resolve(asked);
  if (Buffer.byteLength(wanted) > MAX_PATH_BYTES)
    throw new PathRefused(`no path is longer than ${MAX_PATH_BYTES} bytes`);
  return wanted;
}

/** The real path, or for what does not exist that of its nearest ancestor that does. */
async function nearestReal(wanted: string, links: number): Promise<string> {
  const real = await realpath(wanted).catch(() => undefined);
  if (real !== undefined) return real;
  const parent = path.dirname(wanted);
  if (parent === wanted) return wanted;
  const folder = await nearestReal(parent, links);
  // A link that leads nowhere is judged by where it would lead.
  const target =
    links > 0 ? await readlink(path.join(folder, path.basename(wanted))).catch(() => undefined) : undefined;
  return target === undefined ? folder : nearestReal(path.resolve(folder, target), links - 1);
}
