// What a person is shown before they answer, and what a model is told when the answer is no. Made from the parsed call
// that will be sent, safe for a screen; says whether anything was left out, so that nobody approves what was not there.
import { serverLabel, type ServerAddress } from "../pins/server-identity.ts";
import { isSecretName, masked } from "@bosun/platform/secrets";
import { actsOf, describeActs, type Act } from "../rules/command-effects.ts";
import type { ParseShell, ShellText } from "../rules/shell-text.ts";
import type { CallPath } from "../rules/judge.ts";
import { nameOfRule, type Decision } from "../rules/decision.ts";
import { reach } from "../rules/expand-commands.ts";
import { displayName, type ToolName } from "../rules/tool-pattern.ts";
import { mixesScripts } from "../pins/confusables.ts";
import { makeScreenSafe, screenSafe } from "@bosun/platform/safe-text";

export type Question = {
  readonly tool: ToolName;
  readonly title?: string;
  readonly server: ServerAddress;
  readonly arguments: unknown;
  readonly decision: Decision;
  readonly isDestructive?: boolean;
  /** The shell text in it, so that the question can say what it does. */
  readonly shell?: ShellText;
  readonly parse?: ParseShell;
  /** Where its paths lead: shown where the caller's text does not say it. */
  readonly paths?: readonly CallPath[];
};

export type QuestionOptions = {
  /** Longest value shown in full; longer ones give their first lines. Infinity: everything. */
  readonly maxValueChars?: number;
  readonly maxValueLines?: number;
  /** Show secrets too: the person asked to see all. */
  readonly secrets?: boolean;
};

export type QuestionText = {
  readonly text: string;
  /** False: something was left out or masked. Show the rest before taking a yes. */
  readonly isWhole: boolean;
  /** Characters that could not be shown as they are. A plain "y" is too little then. */
  readonly escaped: number;
};

const MAX_ACTS = 8;

export function questionText(question: Question, options: QuestionOptions = {}): QuestionText {
  const name = displayName(question.tool);
  const notes = [mixesScripts(name) ? " (mixed scripts)" : "", question.isDestructive ? " (destructive)" : ""].join("");
  const lines = [`${oneLine(name)}${notes} on ${oneLine(serverLabel(question.server))}`];
  if (question.title !== undefined && question.title !== question.tool.tool)
    lines.push(`title: ${oneLine(question.title)}`);
  lines.push(`why asked: ${oneLine(question.decision.reason)}, ${oneLine(nameOfRule(question.decision.rule))}`);
  const acts = question.shell === undefined ? "" : describeShell(question.shell, question.parse);
  if (acts !== "") lines.push(`it ${oneLine(acts)}`);
  const led = showPaths(question.paths ?? []);
  const shown = showArguments(question.arguments, options);
  return {
    text: [...lines, ...led.lines, ...shown.lines].join("\n"),
    isWhole: shown.isWhole,
    escaped: led.escaped + shown.escaped,
  };
}

/** What a shell text does, in a few words. */
export function describeShell(shell: ShellText, parse?: ParseShell): string {
  const reached = reach(shell, parse);
  const acts = reached.flatMap((one): Act[] => (one.kind === "command" ? actsOf(one.command) : []));
  const unknown = reached.flatMap((one) => (one.kind === "unknown" ? [one.reason] : []));
  const said = [describeActs(acts), ...new Set(unknown)]
    .filter((part) => part !== "")
    .join(", ")
    .split(", ");
  return said.length > MAX_ACTS
    ? `${said.slice(0, MAX_ACTS).join(", ")} and ${said.length - MAX_ACTS} more`
    : said.join(", ");
}

/** One sentence for the model or the caller: which rule said no, and what a person can do about it. */
export function refusalText(decision: Decision, options: { settingsFile: string; cannotAsk?: boolean }): string {
  const about =
    decision.part === undefined || decision.part === ""
      ? ""
      : ` (${screenSafe(decision.part, { oneLine: true, maxChars: 200 })})`;
  const rule = oneLine(nameOfRule(decision.rule));
  if (decision.verdict === "deny")
    return `Refused${about}: ${oneLine(decision.reason)}. Rule: ${rule}. A person can change it in ${options.settingsFile}.`;
  const way = options.cannotAsk
    ? `This client cannot ask a person (no elicitation). A person can allow it with a rule in ${options.settingsFile}`
    : "Nobody answered the question with a yes";
  return `Not run${about}: it needs a person's approval, because ${oneLine(decision.reason)}. Rule: ${rule}. ${way}.`;
}

/** `path: a/link → /w/a/x`: a link says nothing of where it leads. */
function showPaths(paths: readonly CallPath[]): { lines: string[]; escaped: number } {
  let escaped = 0;
  const safe = (text: string): string => {
    const made = makeScreenSafe(text, { oneLine: true });
    escaped += made.escaped;
    return made.text;
  };
  const lines = paths.flatMap(({ requested, path }) =>
    requested === undefined ? [] : [`path: ${safe(unambiguous(requested))} → ${safe(unambiguous(path))}`],
  );
  return { lines, escaped };
}

/** An arrow of its own in a name must not pass for ours. */
function unambiguous(name: string): string {
  return /[→"]/.test(name) ? JSON.stringify(name) : name;
}

function showArguments(
  args: unknown,
  options: QuestionOptions,
): { lines: string[]; isWhole: boolean; escaped: number } {
  const entries: [string, unknown][] =
    typeof args === "object" && args !== null && !Array.isArray(args) ? Object.entries(args) : [["arguments", args]];
  let isWhole = true;
  let escaped = 0;
  const lines = entries.flatMap(([key, value]) => {
    const name = makeScreenSafe(key, { oneLine: true, maxChars: 200 });
    escaped += name.escaped;
    if (name.cut > 0) isWhole = false;
    if (typeof value === "string" && isSecretName(key) && value !== "" && !options.secrets) {
      isWhole = false;
      return [`  ${name.text}: ${screenSafe(masked(value), { oneLine: true })}`];
    }
    const shown = showValue(value, options);
    escaped += shown.escaped;
    isWhole &&= shown.isWhole;
    return shown.lines.map((line, i) => (i === 0 ? `  ${name.text}: ${line}` : `    ${line}`));
  });
  return { lines, isWhole, escaped };
}

function showValue(value: unknown, options: QuestionOptions): { lines: string[]; isWhole: boolean; escaped: number } {
  const { maxValueChars = 200, maxValueLines = 8 } = options;
  const json = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value, undefined, 2) ?? "null");
  // A text of several lines is easier to read as lines; what stands in them is escaped one by one.
  const isLong = typeof value === "string" && value.includes("\n");
  const source = isLong ? value : json;
  const all = source.split("\n");
  const kept: string[] = [];
  let chars = 0;
  for (const line of all.slice(0, maxValueLines)) {
    if (chars + line.length > Math.max(maxValueChars, 200) * (isLong ? maxValueLines : 1)) break;
    kept.push(line);
    chars += line.length + 1;
  }
  if (kept.length === 0) kept.push(source.slice(0, maxValueChars).toWellFormed());
  const safe = kept.map((line) => makeScreenSafe(line, { oneLine: true }));
  const lines = safe.map(({ text }) => text);
  const left = source.length - kept.join("\n").length;
  if (left > 0) lines.push(`… ${left.toLocaleString("en-US")} more characters`);
  return { lines, isWhole: left <= 0, escaped: safe.reduce((sum, one) => sum + one.escaped, 0) };
}

function oneLine(text: string): string {
  return screenSafe(text, { oneLine: true, maxChars: 500 });
}
