// Empty folders that hold the place of protected files while commands run, and go when none does: a mount needs something
// to stand on, and what is absent could otherwise be created. Folders, because nobody minds an empty one: git does not
// see it, and what copies or searches a tree walks through it. An empty file would be added and committed.
import { lstatSync, mkdirSync, rmdirSync } from "node:fs";

// Of all of them, so that listings leave out what is nobody's: the places, and how many hold each.
const places = new Map<string, number>();

export function holdsAnyPlace(): boolean {
  return places.size > 0;
}

export function isHeldPlace(file: string): boolean {
  return places.has(file);
}

export class Placeholders {
  readonly #held = new Map<string, { users: number; inode: number | undefined }>();

  /** Makes the places and returns the way to let go of them. */
  hold(files: readonly string[]): () => void {
    for (const file of files) {
      const entry = this.#held.get(file) ?? this.#make(file);
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
    if (entry.inode === undefined) return;
    const others = (places.get(file) ?? 1) - 1;
    if (others > 0) places.set(file, others);
    else places.delete(file);
    removeIfOurs(file, entry.inode);
  }

  #make(file: string): { users: number; inode: number | undefined } {
    const inode = createEmpty(file);
    if (inode !== undefined) places.set(file, (places.get(file) ?? 0) + 1);
    return { users: 0, inode };
  }
}

function createEmpty(file: string): number | undefined {
  try {
    mkdirSync(file, 0o755);
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

// Only the very folder we made: the person may have put a real file there meanwhile.
function removeIfOurs(file: string, inode: number): void {
  try {
    if (lstatSync(file).ino === inode) rmdirSync(file);
  } catch {
    // already gone, or no longer empty
  }
}
