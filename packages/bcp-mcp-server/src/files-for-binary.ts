// Files for a binary that opens them itself. Where only some folders are allowed it gets what we have opened and judged,
// by way of our own descriptors, so that nothing can be swapped in between; and what it writes takes its place only once
// it is whole.
import { chmod, lstat, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AllowedPaths, OpenedPaths } from "./allowed-paths.ts";
import { manifestWithoutFiles } from "./manifest-files.ts";

/** A manifest is a file that may name others. */
export type FileUse = { readonly path: string; readonly use: "read" | "write" | "manifest" };

const OWN_DESCRIPTORS = "/proc/self/";

export class FilesForBinary implements AsyncDisposable {
  private readonly allowed: AllowedPaths;
  private readonly opened: OpenedPaths;
  private readonly names: { given: string; asked: string }[] = [];
  private readonly ownFolders: string[] = [];
  private written: { temporary: string; target: string } | undefined;

  constructor(allowed: AllowedPaths) {
    this.allowed = allowed;
    this.opened = allowed.open();
  }

  /** The path to give to the binary. */
  async pathFor({ path: asked, use }: FileUse): Promise<string> {
    if (use === "write") return this.pathToWrite(asked);
    // Files that a manifest names are looked for beside it.
    if (!this.allowed.limited) return asked;
    const held = await this.opened.resolve(asked, "read");
    return this.named(use === "manifest" ? await this.copied(asked, held) : viaOurDescriptor(held), asked);
  }

  /** A text of the binary's own, with the names that were asked for. */
  withAskedNames(text: string): string {
    return this.names.reduce((renamed, { given, asked }) => renamed.replaceAll(given, asked), text);
  }

  /** What was written takes its place; false if there is nothing. */
  async putInPlace(): Promise<boolean> {
    if (!this.written) return true;
    const { temporary, target } = this.written;
    if (!(await isFile(temporary))) return false;
    const replaced = await lstat(target).catch(() => undefined);
    if (replaced?.isFile()) await chmod(temporary, replaced.mode & 0o777);
    await rename(temporary, target);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.written) await rm(this.written.temporary, { force: true });
    await Promise.all(this.ownFolders.map((folder) => rm(folder, { recursive: true, force: true })));
    await this.opened[Symbol.asyncDispose]();
  }

  private async pathToWrite(asked: string): Promise<string> {
    const target = await this.opened.resolve(asked, "write");
    const temporary = path.join(path.dirname(target), `.${crypto.randomUUID()}.tmp.bcp`);
    this.written = { temporary, target };
    return this.named(viaOurDescriptor(temporary), asked);
  }

  // Read once and for all: a file could be rewritten between our look and that of the binary.
  private async copied(asked: string, held: string): Promise<string> {
    const source = await manifestWithoutFiles(asked, held);
    const folder = await mkdtemp(path.join(tmpdir(), "bcp-manifest-"));
    this.ownFolders.push(folder);
    const copy = path.join(folder, path.basename(asked));
    await writeFile(copy, source, { mode: 0o600 });
    return copy;
  }

  private named(given: string, asked: string): string {
    if (given !== asked) this.names.push({ given, asked });
    return given;
  }
}

async function isFile(name: string): Promise<boolean> {
  return lstat(name).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** A path by way of a descriptor of ours, for a process that has it not. */
function viaOurDescriptor(held: string): string {
  return held.startsWith(OWN_DESCRIPTORS) ? `/proc/${process.pid}/${held.slice(OWN_DESCRIPTORS.length)}` : held;
}
