// Which tools a rule is about: `alias.tool`, `alias.read_*`, `alias.*`, or `*` (never for allow).
import { BosunError } from "@bosun/platform/errors";

/** A tool by its two names. Never one string that is split: a tool's own name may hold dots. */
export type ToolName = { readonly alias: string; readonly tool: string };

export type ToolPattern = {
  readonly source: string;
  /** undefined: any server. */
  readonly alias: string | undefined;
  readonly tool: string;
  readonly isPrefix: boolean;
};

const ALIAS = /^[a-z][a-z0-9_-]{0,23}$/;

/** Refuses what could never match: a rule with a typing error must not pass for protection. */
export function compileToolPattern(source: string): ToolPattern {
  if (source === "*") return { source, alias: undefined, tool: "", isPrefix: true };
  const dot = source.indexOf(".");
  const alias = source.slice(0, dot);
  const rest = source.slice(dot + 1);
  if (dot < 0) throw new BosunError("SETTINGS", `${source} names no server: write alias.tool or alias.*`);
  if (!isAlias(alias))
    throw new BosunError("SETTINGS", `${alias} cannot be a server's alias (a-z, 0-9, - and _, at most 24)`);
  if (rest === "") throw new BosunError("SETTINGS", `${source} names no tool: write ${alias}.* for all of them`);
  const star = rest.indexOf("*");
  if (star >= 0 && star !== rest.length - 1) throw new BosunError("SETTINGS", `${source}: * can only stand at the end`);
  return { source, alias, tool: star >= 0 ? rest.slice(0, -1) : rest, isPrefix: star >= 0 };
}

export function isAlias(text: string): boolean {
  return ALIAS.test(text) && !text.includes("__");
}

export function matchesTool(pattern: ToolPattern, name: ToolName): boolean {
  if (pattern.alias === undefined) return true;
  if (pattern.alias !== name.alias) return false;
  return pattern.isPrefix ? name.tool.startsWith(pattern.tool) : name.tool === pattern.tool;
}

/** Exact beats a longer prefix beats a shorter one beats `*`. */
export function toolSpecificity(pattern: ToolPattern): number {
  if (pattern.alias === undefined) return 0;
  return pattern.isPrefix ? 1 + Math.min(pattern.tool.length, 900) : 1000;
}

export function displayName(name: ToolName): string {
  return `${name.alias}.${name.tool}`;
}
