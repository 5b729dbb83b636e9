// Every entry of a tree that a search may see, in walk order, through descriptors: no link is followed on the way, so a
// directory swapped for a link meanwhile leads nowhere.
import { entriesOf } from "../files/directory-entries.ts";
import { errnoOf, ioError, isExhausted } from "../engine-error.ts";
import { joinPath } from "../scope/directory.ts";
import type { Directory, EntryKind } from "../scope/directory.ts";
import type { Scope } from "../scope/scope.ts";
import type { TimeSlices } from "../time-slices.ts";
import { isGitIgnored, readRules, repositoryRules, withRulesOf } from "./gitignore.ts";
import type { IgnoreRules } from "./gitignore.ts";
import type { IgnoreBudget } from "./ignore-budget.ts";

/** Never searched, at any depth. */
export const ALWAYS_SKIPPED: readonly string[] = [".git", "node_modules"];
/** Each level holds a descriptor; no path is this deep and still usable. */
export const MAX_DEPTH = 200;

export type WalkedEntry = {
  /** Below the directory the walk began in, with `/`. */
  readonly path: string;
  readonly name: string;
  readonly kind: EntryKind;
  /** Open only during the visit. */
  readonly directory: Directory;
};

export type WalkPlan = {
  /** In force at the start, from above it. */
  readonly rules: IgnoreRules | undefined;
  readonly work: IgnoreBudget;
  /** Entries of other kinds are not even judged. */
  readonly wants: (kind: EntryKind) => boolean;
  readonly visit: (entry: WalkedEntry) => void;
  /** Whether anything below that directory could be wanted. */
  readonly enters?: (path: string) => boolean;
  readonly slices: TimeSlices;
};

/** Stops without error when cancelled: what was visited stays visited. */
export async function walkTree(scope: Scope, top: Directory, plan: WalkPlan): Promise<void> {
  await walkLevel(scope, top, "", plan.rules, plan, 0);
}

async function walkLevel(
  scope: Scope,
  directory: Directory,
  prefix: string,
  inherited: IgnoreRules | undefined,
  plan: WalkPlan,
  depth: number,
): Promise<void> {
  const entries = await entriesOf(scope, directory, plan.slices).catch((error: unknown) => {
    if (errnoOf(error) === undefined || isExhausted(error)) throw ioError("list directory", prefix || ".", error);
    return []; // unreadable, or gone: skipped without a word
  });
  let rules = inherited;
  // A repository inside: what is above it has no say.
  if (depth > 0 && entries.some((entry) => entry.name === ".git")) rules = repositoryRules(directory.path, plan.work);
  if (entries.some((entry) => entry.name === ".gitignore" && entry.kind === "file")) {
    rules = withRulesOf(rules, directory.path, readRules(directory.at(".gitignore"), plan.work), plan.work);
  }
  for (const { name, kind } of entries) {
    if (plan.slices.cancelled) return;
    if (plan.slices.due) await plan.slices.pause();
    const wanted = plan.wants(kind);
    if (!wanted && kind !== "directory") continue;
    if (ALWAYS_SKIPPED.includes(name)) continue;
    if (rules !== undefined && isGitIgnored(rules, joinPath(directory.path, name), kind === "directory")) continue;
    const path = prefix + name;
    if (wanted) plan.visit({ path, name, kind, directory });
    if (kind !== "directory" || depth >= MAX_DEPTH || plan.enters?.(path) === false) continue;
    const inner = enter(directory, name);
    if (inner === undefined) continue;
    using below = inner;
    await walkLevel(scope, below, `${path}/`, rules, plan, depth + 1);
  }
}

function enter(directory: Directory, name: string): Directory | undefined {
  try {
    return directory.enter(name);
  } catch (error) {
    if (isExhausted(error)) throw ioError("list directory", name, error);
    return undefined; // no permission, or no directory any more
  }
}
