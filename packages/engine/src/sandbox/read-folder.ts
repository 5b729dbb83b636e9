// The entries of a folder with their names as text that keeps every byte (path-text.ts).
import { readdirSync } from "node:fs";
import { entryStat } from "./entry-stat.ts";
import { entryIn, fsPath, textOfPath } from "./path-text.ts";

export type FolderEntry = { readonly name: string; readonly kind: "folder" | "link" | "other" };

type Kind = { isDirectory(): boolean; isSymbolicLink(): boolean };

/** Empty when it is gone, or closed to us, and so to commands too. */
export function readFolder(folder: string): FolderEntry[] {
  try {
    const entries = readdirSync(fsPath(folder), { withFileTypes: true });
    // Bun loses both names and kinds when asked for names as bytes with kinds, so odd names are looked at one by one.
    const isPlain = entries.every(({ name }) => !name.includes("\uFFFD"));
    if (isPlain) return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    return readdirSync(fsPath(folder), { encoding: "buffer" }).map((bytes) => {
      const name = textOfPath(bytes);
      const stat = entryStat(entryIn(folder, name));
      return { name, kind: stat === undefined ? "other" : kindOf(stat) };
    });
  } catch {
    return []; // gone, or not ours to read
  }
}

function kindOf(entry: Kind): FolderEntry["kind"] {
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
