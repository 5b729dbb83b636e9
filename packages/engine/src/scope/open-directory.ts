// The directory a command is to run in, held open while a person is asked about the command: held, its inode number cannot
// be given to another one meanwhile.
import fs from "node:fs";
import { errnoOf } from "../engine-error.ts";
import { bestWalkMode, openRealDirectory } from "./directory.ts";
import type { Directory } from "./directory.ts";

export class PinnedDirectory implements Disposable {
  readonly #path: string;
  readonly #directory: Directory;

  private constructor(path: string, directory: Directory) {
    this.#path = path;
    this.#directory = directory;
  }

  /** Undefined when there is no such directory, or a part of its path is a link. */
  static open(path: string): PinnedDirectory | undefined {
    try {
      // The temporary folder of the system may be named through a link; what a session makes below it may not.
      return new PinnedDirectory(path, openRealDirectory(fs.realpathSync(path), bestWalkMode));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Whether its path still leads to it, through no other links than before. */
  isInPlace(): boolean {
    try {
      return fs.realpathSync(this.#path) === this.#directory.path && this.#directory.isInPlace();
    } catch {
      return false; // the path leads nowhere any more
    }
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]();
  }
}
