// The text of a path as the workspace tools take and echo it.
import { parseWorkspacePath } from "@bosun/engine";

/** The form in which results name it. */
export function normalOf(requested: string): string {
  return parseWorkspacePath(requested).normal;
}

/** An empty text is the root where the root is the default, and nowhere else. */
export function orRoot(directory: string): string {
  return directory === "" ? "." : directory;
}
