// Empty files that hold the place of protected ones while commands run, and go when none does: a mount needs something
// to stand on, and what is absent could otherwise be created.
import { closeSync, lstatSync, openSync, unlinkSync } from "node:fs";

export class Placeholders {
  readonly #held = new Map<string, { users: number; inode: number | undefined }>();

  /** Makes the places and returns the way to let go of them. */
  hold(files: readonly string[]): () => void {
    for (const file of files) {
      const entry = this.#held.get(file) ?? { users: 0, inode: createEmpty(file) };
      entry.users += 1;
      this.#held.set(file, entry);
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      for (const file of files) this.#release(file);
    };
  }

  /** Whether what is at that place is only the one we hold it with. */
  isOurs(file: string): boolean {
    const inode = this.#held.get(file)?.inode;
    return inode !== undefined && inode === inodeOf(file);
  }

  #release(file: string): void {
    const entry = this.#held.get(file);
    if (entry === undefined) return;
    entry.users -= 1;
    if (entry.users > 0) return;
    this.#held.delete(file);
    if (entry.inode !== undefined) removeIfOurs(file, entry.inode);
  }
}

function createEmpty(file: string): number | undefined {
  try {
    closeSync(openSync(file, "wx", 0o600));
    return lstatSync(file).ino;
  } catch {
    return undefined; // it exists by now, or its folder is not ours to write: then no command could create it either
  }
}

function inodeOf(file: string): number | undefined {
  try {
    return lstatSync(file).ino;
  } catch {
    return undefined;
  }
}

// Only the very file we made, still empty: the person may have written a real one meanwhile.
function removeIfOurs(file: string, inode: number): void {
  try {
    const found = lstatSync(file);
    if (found.ino === inode && found.size === 0) unlinkSync(file);
  } catch {
    // already gone
  }
}
