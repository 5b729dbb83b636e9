// Root may do everything: what an ordinary user meets is tried as one, in a child that gives up root.
import fs from "node:fs";
import path from "node:path";

export const isRoot = process.getuid?.() === 0;
export const OTHER = 65_534;

/** In front of a command: runs it as somebody else, when we are root. */
export const asOther = isRoot ? ["setpriv", `--reuid=${OTHER}`, `--regid=${OTHER}`, "--clear-groups"] : [];

/** Why this cannot be tried here; empty when it can. */
export function hindrances(tools: readonly string[] = []): string[] {
  const missing = [...tools, ...asOther.slice(0, 1)].filter((tool) => Bun.which(tool) === null);
  return [
    ...missing.map((tool) => `${tool} is not installed`),
    ...(isRoot && !isOpenToAll(import.meta.dir) ? ["nobody else can read this clone"] : []),
  ];
}

/** For the end of a test's name. */
export function skipped(reasons: readonly string[]): string {
  return reasons.length === 0 ? "" : ` (skipped: ${reasons.join(", ")})`;
}

function isOpenToAll(folder: string): boolean {
  if ((fs.statSync(folder).mode & 0o005) !== 0o005) return false;
  return path.dirname(folder) === folder || isOpenToAll(path.dirname(folder));
}
