// A folder by its real path, opened component by component: a link on the way is never followed.
import { errnoOf, isExhausted } from "../engine-error.ts";
import { bestWalkMode, Directory } from "../scope/directory.ts";

/** `path` in latin1. Undefined when it is not, or no longer, a folder at the end of folders. */
export function openFolder(path: string): Directory | undefined {
  let directory = Directory.openRoot(bestWalkMode);
  for (const name of path.split("/")) {
    if (name === "") continue;
    using outer = directory;
    try {
      directory = outer.enter(Buffer.from(name, "latin1"));
    } catch (error) {
      if (errnoOf(error) === undefined || isExhausted(error)) throw error;
      return undefined;
    }
  }
  return directory;
}
