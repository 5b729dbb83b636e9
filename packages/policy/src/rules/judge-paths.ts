// Paths against the policy. The engine enforces; this says what the rules are and what they mean for one path.
import type { Decision } from "./decision.ts";
import { isStricter } from "./decision.ts";
import { coversPath, fixedLength, matchesPath } from "@bosun/platform/glob";
import type { Policy, Rule } from "./policy.ts";

export type PathAccess = "read" | "write";

/** A decision if a rule is about this path (real and absolute), else undefined. */
export function judgePath(policy: Policy, path: string, access: PathAccess): Decision | undefined {
  if (
    !path.startsWith("/") ||
    path.includes("\u0000") ||
    path.split("/").some((part) => part === ".." || part === ".")
  ) {
    const rule = { name: "paths", file: "built in" };
    return { verdict: "deny", rule, reason: "only a real, absolute path can be judged", part: path, grantable: false };
  }
  for (const { glob, source } of policy.denyPaths) {
    if (coversPath(glob, path))
      return { verdict: "deny", rule: source, reason: "this path is denied", part: path, grantable: false };
  }
  if (access === "write") {
    for (const { glob, source } of policy.readOnlyPaths) {
      if (coversPath(glob, path))
        return { verdict: "deny", rule: source, reason: "this path is read-only", part: path, grantable: false };
    }
  }
  return byRules(policy.pathRules, path, access);
}

/** Listings and searches leave these out. */
export function isIgnored(policy: Policy, path: string): boolean {
  return policy.ignorePaths.some(({ glob }) => coversPath(glob, path));
}

function byRules(rules: readonly Rule[], path: string, access: PathAccess): Decision | undefined {
  let found: { rule: Rule; specificity: number } | undefined;
  for (const rule of rules) {
    if (rule.access !== "any" && rule.access !== access) continue;
    const matching = rule.paths.filter((glob) =>
      rule.verdict === "allow" ? matchesPath(glob, path) : coversPath(glob, path),
    );
    if (matching.length === 0) continue;
    const specificity = Math.max(...matching.map(fixedLength));
    if (found === undefined || rule.verdict === "deny" || isMoreBinding({ rule, specificity }, found))
      found = { rule, specificity };
    if (rule.verdict === "deny") break;
  }
  if (found === undefined) return undefined;
  const { rule } = found;
  const reason =
    rule.reason ??
    `${rule.verdict === "allow" ? "allowed" : rule.verdict === "ask" ? "to be asked" : "denied"} for this path`;
  return { verdict: rule.verdict, rule: rule.source, reason, part: path, grantable: false };
}

function isMoreBinding(left: { rule: Rule; specificity: number }, right: { rule: Rule; specificity: number }): boolean {
  if (left.specificity !== right.specificity) return left.specificity > right.specificity;
  return isStricter(left.rule.verdict, right.rule.verdict);
}
