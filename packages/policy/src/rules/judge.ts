// One call → allow, ask or deny, with the rule that decided. Pure: the same call and policy always give the same answer.
// First deny wins; otherwise the most specific rule; a rule that cannot be evaluated denies.
import path from "node:path";
import { argumentSpecificity, matchesArgument } from "./argument-pattern.ts";
import type { ParseShell, ShellText } from "./shell-text.ts";
import { BUILT_IN, isStricter, type Decision } from "./decision.ts";
import { judgeCommands, type CommandsJudged } from "./judge-commands.ts";
import { judgePath, type PathAccess } from "./judge-paths.ts";
import type { Policy, Rule } from "./policy.ts";
import { matchesTool, toolSpecificity, type ToolName } from "./tool-pattern.ts";

export type Call = {
  readonly tool: ToolName;
  readonly arguments?: unknown;
  /** The parsed shell text, for tools that run one. */
  readonly shell?: ShellText;
  /** Program and arguments, for tools that start one without a shell. */
  readonly argv?: readonly string[];
  /** Real path of the directory it would run in. */
  readonly cwd?: string;
  /** Real paths it would touch, as the engine's resolver made them. */
  readonly paths?: readonly CallPath[];
};

export type CallPath = {
  readonly path: string;
  readonly access: PathAccess;
  /** As the caller wrote it, where that text does not say where it leads. */
  readonly requested?: string;
  /** What was there when it was resolved: an answer does not hold for something else at the same path. */
  readonly seen?: string;
};

export type JudgeOptions = {
  /** Reads shell text inside commands (`sh -c '…'`). Without it such text is never allowed. */
  readonly parse?: ParseShell;
  /**
   * The real path behind a path (links followed, parents of what does not exist yet included), or undefined when there
   * is none to be had: the engine's resolver. Without it no path rule allows what a command writes.
   */
  readonly realPath?: (path: string) => string | undefined;
};

export function judge(policy: Policy, call: Call, options: JudgeOptions = {}): Decision {
  try {
    return judgeAll(policy, call, options);
  } catch (error) {
    // What cannot be judged is refused, whatever the reason.
    const why = error instanceof Error ? error.message : String(error);
    return {
      verdict: "deny",
      rule: { name: "rules", file: BUILT_IN },
      reason: `the rules could not be evaluated: ${why}`,
      grantable: false,
    };
  }
}

function judgeAll(policy: Policy, call: Call, options: JudgeOptions): Decision {
  const tool = judgeTool(policy, call);
  if (tool.decision.verdict === "deny") return tool.decision;
  const early = judgeDirectory(policy, call) ?? judgeProgram(policy, call);
  if (early !== undefined) return early;
  const paths = (call.paths ?? []).map(({ path: one, access }) => judgePath(policy, one, access));
  const commands = judgeShell(policy, call, options);
  const strict = [...paths, commands?.decision].filter((decision) => decision !== undefined);
  const denied = strict.find(({ verdict }) => verdict === "deny");
  if (denied !== undefined) return denied;
  const asked = strict.find(({ verdict }) => verdict === "ask");
  if (tool.isAboutThisCall && tool.decision.verdict === "ask") return tool.decision;
  if (asked !== undefined) return asked;
  // Rules about the very commands and paths of a call say more than one about its tool.
  return allowedByParts(paths, commands) ?? tool.decision;
}

function allowedByParts(
  paths: readonly (Decision | undefined)[],
  commands: CommandsJudged | undefined,
): Decision | undefined {
  const pathsAllowed = paths.every((decision) => decision?.verdict === "allow");
  if (!pathsAllowed || (paths.length === 0 && commands === undefined)) return undefined;
  return commands === undefined ? paths[0] : commands.allowed;
}

type ToolJudged = { decision: Decision; isAboutThisCall: boolean };

function judgeTool(policy: Policy, call: Call): ToolJudged {
  let best: { rule: Rule; specificity: number; exact: boolean } | undefined;
  for (const rule of policy.toolRules) {
    const patterns = rule.tools.filter((pattern) => matchesTool(pattern, call.tool));
    if (patterns.length === 0) continue;
    const match = argumentsMatch(rule, call.arguments);
    if (match === "no") continue;
    if (match === "cannot tell") return { decision: cannotTell(rule), isAboutThisCall: true };
    if (rule.verdict === "deny") return { decision: ruled(rule), isAboutThisCall: true };
    const specificity =
      Math.max(...patterns.map(toolSpecificity)) +
      rule.arguments.reduce((sum, one) => sum + 2000 + argumentSpecificity(one), 0);
    const exact = patterns.some((pattern) => !pattern.isPrefix);
    const isBetter = best === undefined || specificity > best.specificity;
    const isTie = best !== undefined && specificity === best.specificity && isStricter(rule.verdict, best.rule.verdict);
    if (isBetter || isTie) best = { rule, specificity, exact };
  }
  if (best === undefined) return { decision: fallback(policy), isAboutThisCall: false };
  const aboutThisCall = best.rule.arguments.length > 0;
  return {
    decision: {
      ...ruled(best.rule),
      grantable: best.rule.verdict === "ask" && !aboutThisCall,
      needsToolGrant: best.exact,
    },
    isAboutThisCall: aboutThisCall,
  };
}

function argumentsMatch(rule: Rule, args: unknown): "yes" | "no" | "cannot tell" {
  let result: "yes" | "no" | "cannot tell" = "yes";
  for (const pattern of rule.arguments) {
    const match = matchesArgument(pattern, args, rule.verdict === "allow");
    if (match === "no") return "no";
    if (match === "cannot tell") result = "cannot tell";
  }
  return result;
}

function judgeDirectory(policy: Policy, call: Call): Decision | undefined {
  const [first] = policy.allowedDirectories;
  if (first === undefined || (call.shell === undefined && call.argv === undefined)) return undefined;
  const { cwd } = call;
  const isInside = (folder: string, inner: string): boolean =>
    inner === folder || inner.startsWith(folder === "/" ? "/" : `${folder}/`);
  if (
    cwd !== undefined &&
    path.isAbsolute(cwd) &&
    policy.allowedDirectories.some((one) => isInside(one.path, path.normalize(cwd)))
  )
    return undefined;
  return {
    verdict: "deny",
    rule: first.source,
    reason: "the working directory is outside the allowed ones",
    part: cwd ?? "",
    grantable: false,
  };
}

// run_command: the program's name and nothing else; a path form is refused even when it would be the same program.
function judgeProgram(policy: Policy, call: Call): Decision | undefined {
  if (policy.runCommand === undefined || call.argv === undefined || call.tool.tool !== "run_command") return undefined;
  const [program = ""] = call.argv;
  if (policy.runCommand.programs.has(program)) return undefined;
  const reason = `only these programs may be started: ${[...policy.runCommand.programs].join(", ")}`;
  return { verdict: "deny", rule: policy.runCommand.source, reason, part: program, grantable: false };
}

function judgeShell(policy: Policy, call: Call, options: JudgeOptions): CommandsJudged | undefined {
  const shell = call.shell ?? shellOfArgv(call.argv);
  if (shell === undefined) return undefined;
  return judgeCommands(policy, shell, {
    tool: call.tool,
    cwd: call.cwd,
    parse: options.parse,
    realPath: options.realPath,
  });
}

function shellOfArgv(argv: readonly string[] | undefined): ShellText | undefined {
  if (argv === undefined) return undefined;
  return { commands: [{ kind: "command", words: argv, redirects: [], assignments: [] }] };
}

function ruled(rule: Rule): Decision {
  const said = { allow: "allowed", ask: "to be asked about", deny: "not allowed" }[rule.verdict];
  return { verdict: rule.verdict, rule: rule.source, reason: rule.reason ?? `this tool is ${said}`, grantable: false };
}

function cannotTell(rule: Rule): Decision {
  const named = rule.arguments.map(({ source }) => source).join(", ");
  return {
    verdict: "deny",
    rule: rule.source,
    reason: `the rule looks at ${named}, which is not a plain value here`,
    part: named,
    grantable: false,
  };
}

function fallback(policy: Policy): Decision {
  const reason = { allow: "no rule is about it", ask: "no rule allows it", deny: "no rule allows it" }[policy.fallback];
  return {
    verdict: policy.fallback,
    rule: { name: "default", file: BUILT_IN },
    reason,
    grantable: policy.fallback === "ask",
  };
}
