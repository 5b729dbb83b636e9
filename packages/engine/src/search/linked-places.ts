// Symbolic links in a tree that is searched: ripgrep is told to follow none, so what they lead to inside the scope is
// found here. Directories count once, by real path, whatever the number of links to them.
import path from "node:path";
import { compareWalkOrder } from "../files/byte-order.ts";
import { EngineError, isExhausted } from "../engine-error.ts";
import { openListed } from "../files/list-directory.ts";
import { joinPath } from "../scope/directory.ts";
import type { Directory } from "../scope/directory.ts";
import { resolveInScope } from "../scope/resolve-path.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import type { Scope } from "../scope/scope.ts";
import type { TimeSlices } from "../time-slices.ts";
import { rulesAbove } from "./gitignore.ts";
import { IgnoreBudget } from "./ignore-budget.ts";
import { scanLinks } from "./scan-links.ts";
import type { Scan } from "./scan-links.ts";

/** Each holds a descriptor. A tree with more linked directories than this is searched without the rest. */
const MAX_LINKED_DIRECTORIES = 500;

export type LinkedDirectory = {
  /** How results show it: the link's path below the search directory, and a slash. */
  readonly prefix: string;
  readonly directory: Directory;
  /** Whether this one is responsible for a file below it; else it is reached on another way already. */
  readonly owns: (relativePath: string) => boolean;
};

export type Links = {
  readonly directories: readonly LinkedDirectory[];
  /** Links to regular files: path below the search directory. */
  readonly files: readonly { readonly path: string; readonly realLink: string }[];
};

/** `trap` is called when a directory is met whose rules are no files. */
export async function findLinks(scope: Scope, top: Directory, slices: TimeSlices, trap: () => void): Promise<Links> {
  const finder = new LinkFinder(scope, slices, trap);
  await finder.walk(top, "", rulesAbove(top.path, finder.work));
  await finder.followAll();
  return finder;
}

/** Opens the real file behind a link, if it is one and in scope. */
export function resolveLinkedFile(scope: Scope, realLink: string): ScopedPath | undefined {
  try {
    const place = resolveInScope(scope, realLink);
    if (place.entry?.kind === "file") return place;
    place[Symbol.dispose]();
    return undefined;
  } catch (error) {
    if (error instanceof EngineError && !isExhausted(error)) return undefined; // dangling, denied or leading out: skipped without a word
    throw error;
  }
}

function openIfReadable(place: ScopedPath): Directory | undefined {
  try {
    return openListed(place);
  } catch (error) {
    if (error instanceof EngineError && !isExhausted(error)) return undefined;
    throw error;
  }
}

class LinkFinder implements Links {
  readonly directories: LinkedDirectory[] = [];
  readonly files: { path: string; realLink: string }[] = [];
  readonly work = new IgnoreBudget();
  readonly #scope: Scope;
  readonly #slices: TimeSlices;
  readonly #trap: () => void;
  /** Real directories, and on which way they were first entered. */
  readonly #walked = new Map<string, string>();
  readonly #toFollow: { path: string; realLink: string }[] = [];

  constructor(scope: Scope, slices: TimeSlices, trap: () => void) {
    this.#scope = scope;
    this.#slices = slices;
    this.#trap = trap;
  }

  async walk(top: Directory, prefix: string, rules: ReturnType<typeof rulesAbove>): Promise<void> {
    this.#walked.set(top.path, prefix);
    const links: { path: string; realLink: string }[] = [];
    const scan: Scan = {
      trap: this.#trap,
      link: (below) => links.push({ path: prefix + below, realLink: joinPath(top.path, below) }),
      directory: (below) => {
        const real = joinPath(top.path, below);
        if (this.#walked.has(real)) return false;
        this.#walked.set(real, prefix);
        return true;
      },
    };
    await scanLinks(this.#scope, top, rules, scan, this.#slices, this.work);
    // Of two links to one directory the first in walk order counts.
    this.#toFollow.push(...links.sort((a, b) => compareWalkOrder(a.path, b.path)));
  }

  async followAll(): Promise<void> {
    for (let link = this.#toFollow.shift(); link !== undefined; link = this.#toFollow.shift()) {
      if (this.#slices.cancelled) return;
      await this.#follow(link);
    }
  }

  async #follow(link: { path: string; realLink: string }): Promise<void> {
    let place: ScopedPath;
    try {
      place = resolveInScope(this.#scope, link.realLink);
    } catch (error) {
      if (error instanceof EngineError && !isExhausted(error)) return;
      throw error;
    }
    using target = place;
    if (target.entry?.kind === "file") this.files.push(link);
    if (target.entry?.kind !== "directory" || this.#walked.has(target.path)) return;
    if (this.directories.length >= MAX_LINKED_DIRECTORIES) return;
    const directory = openIfReadable(target);
    if (directory === undefined) return;
    const prefix = `${link.path}/`;
    this.directories.push({
      prefix,
      directory,
      owns: (below) => this.#walked.get(path.posix.dirname(joinPath(directory.path, below))) === prefix,
    });
    await this.walk(directory, prefix, undefined);
  }
}
