// Every entry of a tree with its stat, by plain names: fast, and only for comparing. What is read is opened by TreeReader.
import fs from "node:fs";
import type { BigIntStats } from "node:fs";
import { codeOf } from "@bosun/platform/errors";
import type { Coverage } from "./coverage.ts";
import type { NotCovered } from "./records.ts";
import { decodePath, joinTree, systemPath } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";

export type Walked = {
  readonly path: TreePath;
  readonly stat: BigIntStats;
  /** Why what is in this folder, or in this file, is not covered. */
  readonly why: string | undefined;
};

export type WalkLimits = { readonly maxFiles: number; readonly deadlineMs: number };
export type WalkOptions = {
  /** Where it begins; the tree itself without it. */
  readonly from?: TreePath;
  /** What was covered stays covered: an agent must not be able to end it with a file. */
  readonly wasCovered?: (folder: TreePath) => boolean;
  readonly coversAll?: boolean;
};
export type WalkEnd = {
  readonly kind: "whole" | "too-many" | "late";
  readonly files: number;
  readonly notCovered: readonly NotCovered[];
};

/** Calls `meet` for each entry below the root, folders before what is in them. */
export function walkTree(
  root: string,
  coverage: Coverage,
  limits: WalkLimits,
  meet: (entry: Walked) => void,
  options: WalkOptions = {},
): WalkEnd {
  const notCovered: NotCovered[] = [];
  const device = fs.lstatSync(root, { bigint: true }).dev;
  const pending: TreePath[] = [options.from ?? ""];
  let files = 0;
  const whyNot = (folder: TreePath, name: string, isFolder: boolean, names: readonly string[]): string | undefined => {
    if (options.coversAll === true) return undefined;
    const path = joinTree(folder, name);
    const why =
      coverage.whyNot(folder, name, isFolder, names) ?? (isFolder && isCache(root, path) ? "cache" : undefined);
    return why === "excluded" || options.wasCovered?.(path) !== true ? why : undefined;
  };
  const end = (kind: WalkEnd["kind"]): WalkEnd => ({ kind, files, notCovered });
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const names = namesIn(root, folder);
    if (performance.now() > limits.deadlineMs) return end("late");
    const prefix = folder === "" ? `${root}/` : `${root}/${folder}/`;
    for (const name of names) {
      if (coverage.isTemporary(name)) continue;
      const path = joinTree(folder, name);
      if (coverage.isDenied(path)) continue;
      const stat = lookAt(systemPath(prefix + name));
      if (stat === undefined) continue;
      files += 1;
      if (files > limits.maxFiles) return end("too-many");
      const isFolder = stat.isDirectory();
      const isElsewhere = isFolder && stat.dev !== device;
      const why = isElsewhere ? "another file system" : whyNot(folder, name, isFolder, names);
      meet({ path, stat, why });
      if (why !== undefined) notCovered.push({ path, why });
      else if (isFolder) pending.push(path);
    }
  }
  return end("whole");
}

/** A folder that says of itself that it is a cache. */
function isCache(root: string, folder: TreePath): boolean {
  return lookAt(systemPath(`${root}/${folder}/CACHEDIR.TAG`)) !== undefined;
}

function namesIn(root: string, folder: TreePath): string[] {
  const place = folder === "" ? root : systemPath(`${root}/${folder}`);
  try {
    const names = fs.readdirSync(place);
    if (names.every((name) => !name.includes("\ufffd"))) return names;
    // Perhaps not UTF-8: only the bytes lead there.
    return fs.readdirSync(place, { encoding: "buffer" }).map((name) => decodePath(name));
  } catch (error) {
    // Gone since, a link by now, or not ours to read.
    if (/^(ENOENT|ENOTDIR|ELOOP|EACCES|EPERM)$/.test(codeOf(error))) return [];
    throw error;
  }
}

function lookAt(place: string | Buffer): BigIntStats | undefined {
  try {
    return fs.lstatSync(place, { bigint: true });
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|EACCES|ENAMETOOLONG)$/.test(codeOf(error))) return undefined;
    throw error;
  }
}
