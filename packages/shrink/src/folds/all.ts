// The folds by name, and the order in which they are tried.
import { abbreviations } from "./abbreviations.ts";
import { digests } from "./digests.ts";
import { diffHeaders } from "./diff-headers.ts";
import { drawnTree } from "./drawn-tree.ts";
import type { Fold } from "./fold.ts";
import { grepByFile } from "./grep.ts";
import { indentedTree } from "./indented-tree.ts";
import { compactJson, jsonNotation } from "./json.ts";
import { lineRuns } from "./line-runs.ts";
import { folderListing } from "./listing.ts";
import { recursiveListing } from "./ls-recursive.ts";
import { scriptDates } from "./script-dates.ts";
import { paint } from "./paint.ts";
import { pathList } from "./paths.ts";
import { alignedTable } from "./table.ts";
import { directoryTree } from "./tree.ts";

/** Each knows one kind of text; a text takes at most one of them, the one that makes it smallest. */
export const JSON_FOLDS: readonly Fold[] = [directoryTree, jsonNotation, compactJson];
export const LINE_FOLDS: readonly Fold[] = [
  folderListing,
  recursiveListing,
  drawnTree,
  indentedTree,
  grepByFile,
  pathList,
  diffHeaders,
  alignedTable,
  lineRuns,
  scriptDates,
];

const BY_NAME = new Map<string, Fold>(
  [...JSON_FOLDS, ...LINE_FOLDS, abbreviations, digests, paint].map((fold) => [fold.name, fold]),
);

export function foldNamed(name: string): Fold | undefined {
  return BY_NAME.get(name);
}
