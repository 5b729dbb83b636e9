// What `ls -R` shows is a tree, and where the names of each folder are sorted, the tree is all there is to say: the
// headings and their order, and that a folder is also named in the one above, follow from it.
import { UnfoldError } from "./fold.ts";
import type { Placed } from "./name-lines.ts";

const MAX_DEPTH = 60;
/** What a damaged or hostile text may unfold to. */
const MAX_CHARS = 64 << 20;

/** The names in their folders, files before folders. undefined: these sections are not a sorted tree. */
export function treeOfSections(sections: readonly (readonly string[])[]): Placed[] | undefined {
  const headings = new Set(sections.map(([heading]) => heading));
  const placed: Placed[] = [];
  let next = 0;
  const visit = (wanted: string, folders: string[]): boolean => {
    const [heading, ...names] = sections[next++] ?? [];
    if (heading !== wanted || folders.length > MAX_DEPTH || !names.every(isPlain) || !areSorted(names)) return false;
    const isFolder = (name: string): boolean => headings.has(headingBelow(heading, name));
    if (names.length === 0) placed.push({ kind: "name", folders, name: "" });
    for (const name of names) if (!isFolder(name)) placed.push({ kind: "name", folders, name });
    return names.filter(isFolder).every((name) => visit(headingBelow(heading, name), [...folders, name]));
  };
  return visit(sections[0]?.[0] ?? "", []) && next === sections.length ? placed : undefined;
}

/** The inverse: every folder with its heading, a blank line between. */
export function printTree(heading: string, names: readonly Placed[]): string {
  const root: Folder = { files: [], folders: new Map() };
  for (const item of names) {
    if (item.kind === "line") throw new UnfoldError(`not a name: ${item.line}`);
    let at = root;
    for (const name of item.folders) {
      let below = at.folders.get(name);
      if (below === undefined) at.folders.set(name, (below = { files: [], folders: new Map() }));
      at = below;
    }
    if (item.name !== "") at.files.push(item.name);
  }
  const out: string[] = [];
  let chars = 0;
  const print = (folder: Folder, own: string): void => {
    const listed = [...folder.files, ...folder.folders.keys()].sort();
    const section = [own, ...listed].join("\n");
    chars += section.length;
    if (chars > MAX_CHARS) throw new UnfoldError("the folders would unfold to too much");
    out.push(section);
    for (const name of listed) {
      const below = folder.folders.get(name);
      if (below !== undefined) print(below, headingBelow(own, name));
    }
  };
  print(root, heading);
  return out.join("\n\n");
}

type Folder = { files: string[]; folders: Map<string, Folder> };

// "src:" and "src/:" both have "src/folds:" below them.
function headingBelow(heading: string, name: string): string {
  const folder = heading.slice(0, -1);
  return `${folder}${folder.endsWith("/") ? "" : "/"}${name}:`;
}

function isPlain(name: string): boolean {
  return !/[\\/]/.test(name);
}

function areSorted(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) if ((names[i - 1] ?? "") >= (names[i] ?? "")) return false;
  return true;
}
