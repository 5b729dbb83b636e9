// Shell text against the policy: every command in it and inside it, on its parsed words.
import path from "node:path";
import { actsOf, type Act } from "./command-effects.ts";
import {
  expandedWords,
  isLiteral,
  mayRunValues,
  type Assignment,
  type ParseShell,
  type ShellText,
  type SimpleCommand,
} from "./shell-text.ts";
import { allowsWords, commandSpecificity, coversWords, type CommandPattern } from "./command-pattern.ts";
import type { Decision, RuleSource } from "./decision.ts";
import { isTooMuch, reach, shortText, type Reached } from "./expand-commands.ts";
import { judgePath } from "./judge-paths.ts";
import { mayRun } from "./indirect-execution.ts";
import type { Policy, Rule } from "./policy.ts";
import { matchesTool, type ToolName } from "./tool-pattern.ts";

/** More commands than a person reviews: an allow rule does not speak for so many. */
const MAX_ALLOWED_COMMANDS = 64;

/** A command of more words is judged by block-lists only. */
const MAX_WORDS = 1000;
const SETS_NAMES =
  /^(?:export|declare|typeset|readonly|local|unset|set|shopt|enable|hash|read|mapfile|readarray|getopts|let|printf)$/;
const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;
const UNREADABLE: RuleSource = { name: "shell text that cannot be read", file: "built in" };
const HARMLESS_VARIABLES =
  /^(?:NODE_ENV|CI|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|RUST_LOG|RUST_BACKTRACE|DEBUG|VERBOSE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GOOS|GOARCH|CGO_ENABLED)$/;

export type CommandContext = {
  readonly tool: ToolName;
  /** Real path the command starts in. */
  readonly cwd: string | undefined;
  readonly parse: ParseShell | undefined;
  readonly realPath: ((path: string) => string | undefined) | undefined;
};

/** Where a command's own words about files lead. */
type Places = { readonly cwd: string | undefined; readonly realPath: CommandContext["realPath"] };

export type CommandsJudged = {
  /** Deny and ask, the strictest first to be found. */
  readonly decision: Decision | undefined;
  /** The rule that allowed the last of them, when every single one is allowed by a rule. */
  readonly allowed: Decision | undefined;
};

export function judgeCommands(policy: Policy, shell: ShellText, context: CommandContext): CommandsJudged {
  const rules = policy.commandRules.filter(
    ({ tools }) => tools.length === 0 || tools.some((pattern) => matchesTool(pattern, context.tool)),
  );
  const reached = reach(shell, context.parse);
  const movesAbout = reached.some(
    (one) => one.kind === "command" && /^(?:cd|pushd|popd|chdir)$/.test(String(one.command.words[0])),
  );
  const places: Places = { cwd: movesAbout ? undefined : context.cwd, realPath: context.realPath };
  const verdicts = reached.map((one) =>
    one.kind === "unknown" ? judgeUnknown(rules, one) : judgeOne(policy, rules, one, places),
  );
  const decision = strictestOf([...verdicts, ...reached.map((one) => judgeOnly(policy, one))]);
  if (decision?.verdict === "deny") return { decision, allowed: undefined };
  if (isTooMuch(reached))
    return { decision: unreadable("ask", "more commands than can be looked at"), allowed: undefined };
  return { decision, allowed: decision === undefined ? allAllowed(reached, verdicts, policy, places) : undefined };
}

type Judged = {
  readonly decision: Decision | undefined; // deny or ask
  readonly allow: { readonly rule: Rule; readonly pattern: CommandPattern } | undefined;
};

/** A list of the only commands there are: whatever else is in the text, however deep, refuses it all. */
function judgeOnly({ onlyCommands }: Policy, one: Reached): Judged {
  const [first] = onlyCommands;
  const nothing = { decision: undefined, allow: undefined };
  if (first === undefined || (one.kind === "unknown" && one.why === "script")) return nothing;
  const reason = `only these commands are allowed: ${onlyCommands.map(({ pattern }) => pattern.source).join(", ")}`;
  const denied = { verdict: "deny", rule: first.source, reason, grantable: false } as const;
  if (one.kind === "unknown") return { decision: denied, allow: undefined };
  const { command, transparent, redefined } = one;
  const isOwn = command.assignments.every(
    (each) => isHarmless(each) || (command.words.length === 0 && isOwnVariable(each)),
  );
  const isKnown = !redefined && isOwn && !changesNames(command) && !expandedWords(command).some(mayRunValues);
  const isListed =
    command.words.length === 0 ||
    (transparent && isHarmlessTransparent(command)) ||
    onlyCommands.some(({ pattern }) => allowsWords(pattern, command.words));
  return isKnown && isListed ? nothing : { decision: { ...denied, part: shortText(command) }, allow: undefined };
}

function judgeUnknown(rules: readonly Rule[], one: Extract<Reached, { kind: "unknown" }>): Judged {
  // A script file is ordinary work and passes as what its program is; the block-list says so about itself.
  if (one.why === "script") return { decision: undefined, allow: undefined };
  const blocking = rules.some((rule) => rule.verdict === "deny");
  const asking = rules.some((rule) => rule.verdict === "ask");
  if (one.why === "unparsable")
    return { decision: unreadable(blocking ? "deny" : "ask", one.reason), allow: undefined };
  return { decision: blocking || asking ? unreadable("ask", one.reason) : undefined, allow: undefined };
}

function judgeOne(
  policy: Policy,
  rules: readonly Rule[],
  one: Extract<Reached, { kind: "command" }>,
  places: Places,
): Judged {
  const { command } = one;
  const isLong = command.words.length > MAX_WORDS;
  if (isLong && (policy.pathRules.length > 0 || policy.denyPaths.length > 0 || policy.readOnlyPaths.length > 0)) {
    return { decision: unreadable("ask", "a command of more words than can be looked at"), allow: undefined };
  }
  const acts = isLong ? [] : actsOf(command);
  const onPath = judgeTargets(policy, acts, places);
  if (onPath?.verdict === "deny") return { decision: onPath, allow: undefined };
  let ask: { decision: Decision; specificity: number } | undefined;
  let allow: { rule: Rule; pattern: CommandPattern; specificity: number } | undefined;
  for (const rule of rules) {
    for (const pattern of rule.commands) {
      if (rule.verdict === "allow") {
        if (isLong || one.redefined || !allowsWords(pattern, command.words)) continue;
        const specificity = commandSpecificity(pattern);
        if (allow === undefined || specificity > allow.specificity) allow = { rule, pattern, specificity };
        continue;
      }
      const covers = coversWords(pattern, command.words);
      const match = covers === "no" && mayRun(pattern, command, acts) ? "maybe" : covers;
      if (match === "no") continue;
      if (rule.verdict === "deny" && match === "yes") return { decision: ruled(rule, command), allow: undefined };
      const specificity = match === "maybe" ? Infinity : commandSpecificity(pattern);
      const decision = match === "maybe" ? couldBecome(rule, pattern, command) : ruled(rule, command);
      if (ask === undefined || specificity > ask.specificity) ask = { decision, specificity };
    }
  }
  if (ask !== undefined && (allow === undefined || ask.specificity >= allow.specificity))
    return { decision: ask.decision, allow: undefined };
  if (onPath !== undefined && onPath.verdict === "ask") return { decision: onPath, allow: undefined };
  if (allow === undefined || !isCovered(allow.pattern, command, acts, policy, places))
    return { decision: undefined, allow: undefined };
  return { decision: undefined, allow };
}

function allAllowed(
  reached: readonly Reached[],
  verdicts: readonly Judged[],
  policy: Policy,
  places: Places,
): Decision | undefined {
  if (reached.length === 0 || reached.length > MAX_ALLOWED_COMMANDS) return undefined;
  let last: Rule | undefined;
  for (const [i, one] of reached.entries()) {
    const outer = one.outer === undefined ? undefined : verdicts[one.outer]?.allow;
    const own = verdicts[i]?.allow;
    if (own !== undefined) last = own.rule;
    else if (one.kind === "command" && one.transparent && isHarmlessTransparent(one.command)) continue;
    else if (
      one.kind === "command" &&
      one.command.words.length === 0 &&
      isHarmlessAssignment(one.command, policy, places)
    )
      continue;
    // The rule names the inner command itself: `sudo systemctl status` speaks for `systemctl status`.
    else if (
      one.kind === "command" &&
      outer !== undefined &&
      one.at !== undefined &&
      outer.pattern.words.length > one.at
    )
      continue;
    else if (one.kind === "unknown" && one.why === "script" && outer !== undefined && outer.pattern.words.length > 1)
      continue;
    else return undefined;
  }
  if (last === undefined) return undefined;
  return {
    verdict: "allow",
    rule: last.source,
    reason: last.reason ?? "every command in it is allowed",
    grantable: false,
  };
}

// An allow rule covers what its words do. What an option or a redirect adds must be named by the rule, or be a write
// that a path rule allows.
function isCovered(
  pattern: CommandPattern,
  command: SimpleCommand,
  acts: readonly Act[],
  policy: Policy,
  places: Places,
): boolean {
  if (!command.assignments.every(isHarmless) || changesNames(command)) return false;
  if (expandedWords(command).some(mayRunValues)) return false;
  return acts.every((act) => {
    if (act.kind === "read" || act.by === "program" || act.by === "operand") return true;
    if (act.kind === "execute" && FIND_RUNS.test(act.detail ?? "")) return true; // what it runs is judged itself
    if (
      act.by === "option" &&
      act.detail !== undefined &&
      pattern.words.some(({ source }) => namesOption(source, act.detail ?? ""))
    )
      return true;
    return act.kind === "write" && isAllowedWrite(act, policy, places);
  });
}

// export PATH=…, read PATH, printf -v PATH …: they change what every later word means.
function changesNames({ words }: SimpleCommand): boolean {
  const [program, ...rest] = words;
  if (!isLiteral(program) || !SETS_NAMES.test(program)) return false;
  if (program === "printf" && !rest.some((word) => isLiteral(word) && word.startsWith("-v"))) return false;
  return rest.some((word) => {
    if (!isLiteral(word)) return program !== "printf";
    if (/^(?:declare|typeset|local)$/.test(program) && /^-[A-Za-z]*n/.test(word)) return true; // a name for another name
    const name = word.replace(/^-v/, "").split(/[=[]/, 1)[0] ?? "";
    const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
    return isName && !isHarmless({ name, value: "" }) && !isOwnVariable({ name, value: "" });
  });
}

function namesOption(word: string, option: string): boolean {
  return word === option || (word.startsWith(option) && option.startsWith("-") && !option.startsWith("--"));
}

function isAllowedWrite(act: Act, policy: Policy, places: Places): boolean {
  const written = absoluteTarget(act, places.cwd);
  const target = written === undefined ? undefined : places.realPath?.(written);
  return target !== undefined && judgePath(policy, target, "write")?.verdict === "allow";
}

function isHarmlessAssignment(command: SimpleCommand, policy: Policy, places: Places): boolean {
  if (expandedWords(command).some(mayRunValues)) return false;
  const writes = actsOf(command).filter((act) => act.kind !== "read");
  return (
    command.assignments.every((one) => isHarmless(one) || isOwnVariable(one)) &&
    writes.every((act) => isAllowedWrite(act, policy, places))
  );
}

function isHarmlessTransparent(command: SimpleCommand): boolean {
  return command.assignments.every(isHarmless) && isLiteral(command.words[0]) && !command.words[0].includes("/");
}

function isHarmless({ name }: Assignment): boolean {
  return HARMLESS_VARIABLES.test(name);
}

// A script's own variable. Programs look at upper-case names, and at the lower-case ones for proxies.
function isOwnVariable({ name }: Assignment): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !name.endsWith("_proxy");
}

function judgeTargets(policy: Policy, acts: readonly Act[], places: Places): Decision | undefined {
  let asked: Decision | undefined;
  for (const act of acts) {
    const target = absoluteTarget(act, places.cwd);
    if ((act.kind !== "read" && act.kind !== "write") || target === undefined) continue;
    // As written and as it really is: a link must not lead around a rule, nor a rule be lost behind one.
    for (const one of new Set([target, places.realPath?.(target) ?? target])) {
      const decision = judgePath(policy, one, act.kind);
      if (decision?.verdict === "deny") return decision;
      if (decision?.verdict === "ask") asked ??= decision;
    }
  }
  return asked;
}

function absoluteTarget({ target }: Act, cwd: string | undefined): string | undefined {
  if (target === undefined || target.includes("\u0000") || target.startsWith("~")) return undefined;
  if (path.isAbsolute(target)) return path.normalize(target).replace(/(.)\/$/, "$1");
  return cwd === undefined ? undefined : path.join(cwd, target).replace(/(.)\/$/, "$1");
}

function strictestOf(verdicts: readonly Judged[]): Decision | undefined {
  const decisions = verdicts.map(({ decision }) => decision).filter((decision) => decision !== undefined);
  return decisions.find(({ verdict }) => verdict === "deny") ?? decisions[0];
}

function ruled(rule: Rule, command: SimpleCommand): Decision {
  const said = rule.verdict === "deny" ? "this command is not allowed" : "this command is to be asked about";
  return {
    verdict: rule.verdict,
    rule: rule.source,
    reason: rule.reason ?? said,
    part: shortText(command),
    grantable: false,
  };
}

function couldBecome(rule: Rule, pattern: CommandPattern, command: SimpleCommand): Decision {
  const reason = `parts of it are only known when it runs, and could make it "${pattern.source}"`;
  return { verdict: "ask", rule: rule.source, reason, part: shortText(command), grantable: false };
}

function unreadable(verdict: "ask" | "deny", reason: string): Decision {
  return { verdict, rule: UNREADABLE, reason, grantable: false };
}
