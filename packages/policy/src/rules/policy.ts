// The rules of a settings file, made ready for judging: patterns compiled, sorted by what they are about.
// Fails at start rather than later: a rule that cannot be compiled stops the program.
import { BosunError } from "@bosun/platform/errors";
import { compileArgumentPattern, type ArgumentPattern } from "./argument-pattern.ts";
import { compileCommandPattern, type CommandPattern } from "./command-pattern.ts";
import type { RuleSource, Verdict } from "./decision.ts";
import { compilePathGlob, type PathGlob } from "@bosun/platform/glob";
import { compileToolPattern, type ToolPattern } from "./tool-pattern.ts";

/** A text from a settings file with its place. */
export type Located = { readonly text: string; readonly file: string; readonly line: number };

/** One `[[rules]]` table. Conditions of different kinds must all hold; within a list, one is enough. */
export type RuleSetting = {
  readonly name: string | undefined;
  readonly decide: Verdict;
  readonly reason: string | undefined;
  readonly tools: readonly string[];
  readonly arguments: Readonly<Record<string, readonly string[]>>;
  readonly commands: readonly string[];
  readonly paths: readonly string[];
  readonly access: "read" | "write" | "any";
  readonly file: string;
  readonly line: number;
};

export type PolicyInput = {
  readonly rules?: readonly RuleSetting[];
  /** `[mcp.auto_approve]` */
  readonly approvals?: readonly { readonly pattern: Located; readonly verdict: Verdict }[];
  readonly blockedCommands?: readonly Located[];
  /** When there are any: shell text may hold these commands and no others. */
  readonly onlyCommands?: readonly Located[];
  /** The only programs `run_command` starts. */
  readonly runCommand?: { readonly programs: readonly string[]; readonly file: string; readonly line?: number };
  /** Real paths; the working directory of a command must lie in one of them. Empty: anywhere. */
  readonly allowedDirectories?: readonly Located[];
  readonly denyPaths?: readonly Located[];
  readonly readOnlyPaths?: readonly Located[];
  readonly ignorePaths?: readonly Located[];
};

export type PolicyOptions = {
  /** What holds for a tool that no rule is about. */
  readonly fallback: Verdict;
  /** What a relative path pattern and `~` start from. */
  readonly workdir: string;
  readonly home: string;
  /** The file system does not tell .env from .ENV. */
  readonly foldCase?: boolean;
};

export type Rule = {
  readonly source: RuleSource;
  readonly verdict: Verdict;
  readonly reason: string | undefined;
  readonly tools: readonly ToolPattern[];
  readonly arguments: readonly ArgumentPattern[];
  readonly commands: readonly CommandPattern[];
  readonly paths: readonly PathGlob[];
  readonly access: "read" | "write" | "any";
};

export type PathPattern = { readonly glob: PathGlob; readonly source: RuleSource };

export type Policy = {
  readonly toolRules: readonly Rule[];
  readonly commandRules: readonly Rule[];
  readonly pathRules: readonly Rule[];
  readonly denyPaths: readonly PathPattern[];
  readonly readOnlyPaths: readonly PathPattern[];
  readonly ignorePaths: readonly PathPattern[];
  readonly runCommand: { readonly programs: ReadonlySet<string>; readonly source: RuleSource } | undefined;
  readonly onlyCommands: readonly { readonly pattern: CommandPattern; readonly source: RuleSource }[];
  readonly allowedDirectories: readonly { readonly path: string; readonly source: RuleSource }[];
  /** Some rule is about commands or paths: shell text has to be parsed and judged. */
  readonly judgesCommands: boolean;
  readonly fallback: Verdict;
};

export function compilePolicy(input: PolicyInput, options: PolicyOptions): Policy {
  const rules = [
    ...(input.rules ?? []).map((setting, i) => compileRule(setting, i, options)),
    ...(input.approvals ?? []).map(compileApproval),
    ...(input.blockedCommands ?? []).map(compileBlocked),
  ];
  const paths = (list: readonly Located[] | undefined, name: string) =>
    (list ?? []).map((text) => compilePath(text, name, options));
  const policy = {
    toolRules: rules.filter((rule) => rule.commands.length === 0 && rule.paths.length === 0),
    commandRules: rules.filter((rule) => rule.commands.length > 0),
    pathRules: rules.filter((rule) => rule.paths.length > 0),
    denyPaths: paths(input.denyPaths, "paths.deny"),
    readOnlyPaths: paths(input.readOnlyPaths, "paths.read_only"),
    ignorePaths: paths(input.ignorePaths, "paths.ignore"),
    runCommand:
      input.runCommand === undefined
        ? undefined
        : { programs: new Set(input.runCommand.programs), source: placed("run_command.allow", input.runCommand) },
    onlyCommands: (input.onlyCommands ?? []).map((text) => {
      const source = placed("shell_tool.allowed_commands", text);
      return { source, pattern: located(source, () => compileCommandPattern(text.text)) };
    }),
    allowedDirectories: (input.allowedDirectories ?? []).map((text) => ({
      path: absolute(text.text, options),
      source: placed("shell_tool.allowed_directories", text),
    })),
    fallback: options.fallback,
  };
  const about =
    policy.commandRules.length + policy.pathRules.length + policy.denyPaths.length + policy.readOnlyPaths.length;
  return { ...policy, judgesCommands: about + policy.onlyCommands.length > 0 };
}

function compileRule(setting: RuleSetting, index: number, options: PolicyOptions): Rule {
  const source = placed(setting.name ?? `rule ${index + 1}`, setting);
  return located(source, () => {
    const tools = setting.tools.map(compileToolPattern);
    if (setting.decide === "allow" && tools.some((pattern) => pattern.alias === undefined)) {
      throw new BosunError("SETTINGS", "a rule cannot allow every tool of every server: name the servers");
    }
    const rule: Rule = {
      source,
      verdict: setting.decide,
      reason: setting.reason,
      tools,
      arguments: Object.entries(setting.arguments).map(([path, patterns]) => compileArgumentPattern(path, patterns)),
      commands: setting.commands.map(compileCommandPattern),
      paths: setting.paths.map((path) =>
        compilePathGlob(absolute(path, options), { foldCase: options.foldCase ?? false }),
      ),
      access: setting.access,
    };
    if (tools.length === 0 && rule.commands.length === 0 && rule.paths.length === 0) {
      throw new BosunError("SETTINGS", "a rule needs a tool, a command or a path to be about");
    }
    if (rule.commands.length > 0 && rule.paths.length > 0) {
      throw new BosunError("SETTINGS", "a rule is about commands or about paths: make two of it");
    }
    return rule;
  });
}

function compileApproval({ pattern, verdict }: { pattern: Located; verdict: Verdict }): Rule {
  const source = placed(`mcp.auto_approve "${pattern.text}"`, pattern);
  return located(source, () => {
    const tool = compileToolPattern(pattern.text);
    if (tool.alias === undefined) throw new BosunError("SETTINGS", "a bare * is refused: name the servers");
    return { source, verdict, reason: undefined, tools: [tool], arguments: [], commands: [], paths: [], access: "any" };
  });
}

function compileBlocked(text: Located): Rule {
  const source = placed(`shell_tool.blocked_commands "${text.text}"`, text);
  const commands = located(source, () => [compileCommandPattern(text.text)]);
  return { source, verdict: "deny", reason: undefined, tools: [], arguments: [], commands, paths: [], access: "any" };
}

function compilePath(text: Located, name: string, options: PolicyOptions): PathPattern {
  const source = placed(`${name} "${text.text}"`, text);
  const glob = located(source, () =>
    compilePathGlob(absolute(text.text, options), { foldCase: options.foldCase ?? false }),
  );
  return { glob, source };
}

// `**/.env` is everywhere; `~` and a relative pattern get their start, so that none is silently useless.
function absolute(pattern: string, { workdir, home }: PolicyOptions): string {
  const trimmed = pattern.length > 1 ? pattern.replace(/\/+$/, "") : pattern;
  if (trimmed.startsWith("/")) return trimmed;
  if (trimmed === "~") return home;
  if (trimmed.startsWith("~/")) return `${home}${trimmed.slice(1)}`;
  if (trimmed.startsWith("**/")) return `/${trimmed}`;
  const parts = trimmed.split("/").filter((part) => part !== ".");
  if (parts.includes("..")) throw new BosunError("SETTINGS", `${pattern}: write the path without ..`);
  return [workdir === "/" ? "" : workdir, ...parts].join("/");
}

function placed(name: string, at: { file: string; line?: number }): RuleSource {
  return at.line === undefined ? { name, file: at.file } : { name, file: at.file, line: at.line };
}

function located<T>(source: RuleSource, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    // The pattern says what is wrong, the caller where it stands.
    const problem = error instanceof Error ? error.message : String(error);
    throw new BosunError("SETTINGS", `${source.file}:${source.line ?? 1}: ${source.name}: ${problem}`);
  }
}
