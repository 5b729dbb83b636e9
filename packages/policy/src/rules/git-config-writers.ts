// Commands that are known to change git's own configuration or hooks, when one of them is all that a call runs. Made to
// ask a person beforehand, never to allow anything: what is not recognised meets the protection like everything else.
import { isLiteral, type ShellText, type SimpleCommand } from "./shell-text.ts";

/** What of the repository around the working directory it changes. */
export type GitPart = "config" | "hooks" | "modules" | "worktrees";

export type HeldWrite = {
  readonly parts: readonly GitPart[];
  readonly program: string;
  /** Only when one of these scripts of package.json installs hooks: see `partsOfScripts`. */
  readonly scripts?: readonly string[];
};

/** Programs that put hooks in place, and what they change for it. */
const INSTALLERS: Readonly<Record<string, { readonly verbs: RegExp; readonly parts: readonly GitPart[] }>> = {
  "pre-commit": { verbs: /^(?:install|uninstall)$/, parts: ["hooks"] },
  lefthook: { verbs: /^(?:install|uninstall)$/, parts: ["hooks"] },
  husky: { verbs: /^(?:|init|install|uninstall)$/, parts: ["config"] },
  "simple-git-hooks": { verbs: /^(?:|uninstall)$/, parts: ["hooks"] },
};
/** They start a program of the project by its name. */
const RUNNERS = /^(?:npx|bunx)$/;
const PACKAGE_MANAGERS = /^(?:npm|pnpm|yarn|bun)$/;
const AT_INSTALL = ["preinstall", "install", "postinstall", "prepublish", "prepare"] as const;

/** A cheap look at the text: nearly every command is none of these, and need not be parsed. */
export function mayBeHeldWrite(text: string): boolean {
  return /^\s*(?:git|npx|bunx|npm|pnpm|yarn|bun|husky|lefthook|pre-commit|simple-git-hooks)(?:\s|$)/.test(text);
}

/** Undefined for everything but one plain command: no list, no variables, no redirect to a file. */
export function heldWriteOf(shell: ShellText): HeldWrite | undefined {
  if (shell.kind === "unparsable" || (shell.defines ?? []).length > 0) return undefined;
  const [command, ...others] = shell.commands;
  if (command?.kind !== "command" || others.length > 0 || !isPlain(command)) return undefined;
  const [program = "", ...words] = command.words.filter(isLiteral);
  if (program === "git") return gitWrite(words);
  if (RUNNERS.test(program)) return runnerWrite(program, words);
  if (PACKAGE_MANAGERS.test(program)) return packageManagerWrite(program, words);
  return installerWrite(program, words);
}

export type ScriptWrite = { readonly parts: readonly GitPart[]; readonly texts: readonly string[] };

/** What the named scripts of a package.json change, by the installers in them; `texts` for people, `name: command`. */
export function partsOfScripts(packageJson: string, names: readonly string[]): ScriptWrite {
  const scripts = scriptsIn(packageJson).filter(([name]) => names.includes(name));
  const parts = Object.entries(INSTALLERS).flatMap(([name, installer]) => {
    const word = new RegExp(`(?:^|[^\\w-])${name}(?:[^\\w-]|$)`);
    return scripts.some(([, text]) => word.test(text)) ? installer.parts : [];
  });
  return { parts: [...new Set(parts)], texts: scripts.map(([name, text]) => `${name}: ${text}`) };
}

function scriptsIn(packageJson: string): [name: string, text: string][] {
  try {
    const scripts = (JSON.parse(packageJson) as { scripts?: unknown } | null)?.scripts;
    if (typeof scripts !== "object" || scripts === null) return [];
    return Object.entries(scripts).filter((one): one is [string, string] => typeof one[1] === "string");
  } catch {
    return []; // then the package manager fails as well
  }
}

function isPlain({ words, assignments, redirects }: SimpleCommand): boolean {
  // 2>&1 only joins two streams.
  const isHarmless = redirects.every(
    ({ op, target }) => target === "/dev/null" || (op.includes("&") && isLiteral(target) && /^[0-9]$/.test(target)),
  );
  return assignments.length === 0 && isHarmless && words.every(isLiteral);
}

function gitWrite(words: readonly string[]): HeldWrite | undefined {
  const start = words.findIndex((word) => !/^(?:-P|--no-pager|--no-optional-locks)$/.test(word));
  const [verb = "", ...rest] = start < 0 ? [] : words.slice(start);
  const parts = GIT_WRITES[verb]?.(rest);
  return parts === undefined || parts.length === 0 ? undefined : { parts, program: "git" };
}

type Reading = (words: readonly string[]) => readonly GitPart[];

const CONFIG: readonly GitPart[] = ["config"];
const NONE: readonly GitPart[] = [];
const whenVerb =
  (verbs: RegExp, parts: readonly GitPart[]): Reading =>
  (words) =>
    verbs.test(words.find((word) => !word.startsWith("-")) ?? "") ? parts : NONE;
const whenOption =
  (options: RegExp): Reading =>
  (words) =>
    words.some((word) => options.test(word)) ? CONFIG : NONE;

const GIT_WRITES: Readonly<Record<string, Reading>> = {
  config: (words) => (writesConfig(words) ? CONFIG : NONE),
  remote: whenVerb(/^(?:add|set-url|set-branches|remove|rm|rename)$/, CONFIG),
  branch: whenOption(/^(?:-[a-z]*[mMcCu]|--(?:move|copy|set-upstream-to|unset-upstream|edit-description)(?:=|$))/),
  push: whenOption(/^(?:-[a-z0-9]*u|--set-upstream$)/),
  submodule: whenVerb(/^(?:add|init|update|deinit|sync|set-url|set-branch|absorbgitdirs)$/, ["config", "modules"]),
  worktree: whenVerb(/^(?:remove|move|prune|repair)$/, ["worktrees"]),
  lfs: whenVerb(/^(?:install|uninstall)$/, ["hooks", "config"]),
};

/** Of the repository's own file: another one is named by an option. */
function writesConfig(words: readonly string[]): boolean {
  const operands: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (/^(?:--(?:global|system|worktree|file|blob|get.*|list|edit|show-.*|name-only)(?:=|$)|-[flez]+$)/.test(word))
      return false;
    if (/^--(?:add|unset|unset-all|replace-all|rename-section|remove-section)$/.test(word)) return true;
    if (/^--(?:type|default|comment|value|url)$/.test(word)) at += 1;
    else if (!word.startsWith("-")) operands.push(word);
  }
  const [first = ""] = operands;
  if (/^(?:get|list|edit|get-color|get-colorbool)$/.test(first)) return false;
  return operands.length >= 2;
}

function installerWrite(program: string, words: readonly string[]): HeldWrite | undefined {
  const installer = Object.hasOwn(INSTALLERS, program) ? INSTALLERS[program] : undefined;
  const verb = words.find((word) => !word.startsWith("-")) ?? "";
  // `husky .config/husky` names its folder, so anything goes there.
  if (installer === undefined || (program !== "husky" && !installer.verbs.test(verb))) return undefined;
  return { parts: installer.parts, program };
}

function runnerWrite(runner: string, words: readonly string[]): HeldWrite | undefined {
  const start = words.findIndex((word) => !/^(?:-y|--yes|--no|--no-install|--bun|--)$/.test(word));
  const [program = "", ...rest] = start < 0 ? [] : words.slice(start);
  const found = installerWrite(program.replace(/(?<=.)@.*$/, ""), rest);
  return found === undefined ? undefined : { ...found, program: runner };
}

function packageManagerWrite(program: string, words: readonly string[]): HeldWrite | undefined {
  const operands = words.filter((word) => !word.startsWith("-"));
  const [verb = "", script, ...more] = operands;
  const isRun = /^(?:run|run-script)$/.test(verb) && script !== undefined && more.length === 0;
  if (isRun) return { parts: [], program, scripts: [script] };
  // With names of packages only those are installed, and the project's own scripts do not run.
  const isInstall = /^(?:install|i|ci)$/.test(verb) || (program === "yarn" && verb === "");
  return isInstall && script === undefined ? { parts: [], program, scripts: AT_INSTALL } : undefined;
}
