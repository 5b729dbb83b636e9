// The forms by name, and which are tried on what.
import { sharedBeginnings } from "./shared-beginnings.ts";
import { folderLines } from "./folder-lines.ts";
import type { Form } from "./form.ts";
import { jsonNotation } from "./json.ts";
import { labelledPaths } from "./labelled-paths.ts";
import { linePatterns } from "./line-patterns.ts";
import { folderListing, recursiveListing } from "./listing.ts";
import { matchesByFile } from "./matches.ts";
import { minifiedJson } from "./minified.ts";
import { numberedLines } from "./numbered.ts";
import { patchHeaders } from "./patch-headers.ts";
import { repeatedLines } from "./repeated-lines.ts";
import { directoryTree } from "./tree.ts";

export const JSON_FORMS: readonly Form[] = [directoryTree, jsonNotation, minifiedJson];
/** Code, patches and prose pass as they are but for these. */
export const VERBATIM_FORMS: readonly Form[] = [numberedLines, patchHeaders, repeatedLines];
/** Lists whose lines say what they are. */
export const LIST_FORMS: readonly Form[] = [folderListing, recursiveListing, folderLines, matchesByFile, numberedLines];
export const LINE_FORMS: readonly Form[] = [linePatterns, labelledPaths, sharedBeginnings, repeatedLines];

const BY_NAME = new Map(
  [...JSON_FORMS, ...VERBATIM_FORMS, ...LIST_FORMS, ...LINE_FORMS].map((form) => [form.name, form]),
);

export function formNamed(name: string): Form | undefined {
  return BY_NAME.get(name);
}
