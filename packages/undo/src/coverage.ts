// What a scan leaves out, decided while walking: folders that are made again by a command, marked caches, what a person
// excludes. It narrows what is recorded; what an undo does never depends on it.
import fs from "node:fs";
import path from "node:path";
import { compilePathGlob, GlobError, matchesPath, matchesPathOrName } from "@bosun/platform/glob";
import type { PathGlob } from "@bosun/platform/glob";
import type { UndoSettings } from "./settings.ts";
import { joinTree } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";

const REGENERABLE = new Set(
  `node_modules .venv venv __pycache__ .mypy_cache .pytest_cache .ruff_cache .tox .next .nuxt .turbo .gradle .cache`.split(
    " ",
  ),
);
const BUILT = new Set(["target", "dist", "build", "out", "coverage"]);
const MANIFEST = /^(package\.json|Cargo\.toml|pom\.xml|build\.gradle.*|pyproject\.toml)$/;
/** Siblings of ours while a file is being written. */
const TEMPORARY = /^\.bosun-[0-9a-f]+\.tmp$/;
const MAX_IGNORE_BYTES = 256 * 1024;

export class Coverage {
  readonly #exclude: readonly PathGlob[];
  readonly #include: readonly PathGlob[];
  readonly #deny: readonly string[];
  readonly #root: string;
  readonly #ignored: readonly { glob: PathGlob; isAnchored: boolean; isBack: boolean }[];

  constructor(root: string, settings: UndoSettings, deny: readonly string[]) {
    this.#root = root;
    this.#exclude = settings.exclude.map((pattern) => compilePathGlob(pattern));
    this.#include = settings.include.map((pattern) => compilePathGlob(pattern));
    this.#deny = [...settings.deny, ...deny];
    this.#ignored = ignoredIn(root);
  }

  isTemporary(name: string): boolean {
    return TEMPORARY.test(name);
  }

  /** Never read and never named. */
  isDenied(treePath: TreePath): boolean {
    if (this.#deny.length === 0) return false;
    const full = `${this.#root}/${treePath}`;
    return this.#deny.some((denied) => full === denied || full.startsWith(`${denied}/`));
  }

  /** Why an entry is not covered; undefined when it is. `siblings` are the names beside it. */
  whyNot(folder: TreePath, name: string, isFolder: boolean, siblings: readonly string[]): string | undefined {
    const treePath = joinTree(folder, name);
    if (this.#include.length > 0 && this.#include.some((glob) => matchesPathOrName(glob, treePath))) return undefined;
    if (this.#exclude.some((glob) => matchesPathOrName(glob, treePath))) return "excluded";
    if (!isFolder) return undefined;
    if (REGENERABLE.has(name)) return "regenerable";
    if (BUILT.has(name) && siblings.some((sibling) => MANIFEST.test(sibling)) && this.#isIgnored(treePath))
      return "built";
    return undefined;
  }

  #isIgnored(treePath: TreePath): boolean {
    let ignored = false;
    for (const { glob, isAnchored, isBack } of this.#ignored) {
      const matches = isAnchored ? matchesPath(glob, treePath) : matchesPathOrName(glob, treePath);
      if (matches) ignored = !isBack;
    }
    return ignored;
  }
}

function ignoredIn(root: string): { glob: PathGlob; isAnchored: boolean; isBack: boolean }[] {
  const file = path.join(root, ".gitignore");
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size > MAX_IGNORE_BYTES) return [];
  return fs
    .readFileSync(file, "utf8")
    .split(/\r?\n/)
    .flatMap((line) => {
      const isBack = line.startsWith("!");
      const text = (isBack ? line.slice(1) : line).trimEnd().replace(/\/$/, "");
      if (text === "" || text.startsWith("#")) return [];
      try {
        return [{ glob: compilePathGlob(text.replace(/^\//, "")), isAnchored: text.includes("/"), isBack }];
      } catch (error) {
        // A line that is no pattern ignores nothing.
        if (error instanceof GlobError) return [];
        throw error;
      }
    });
}
