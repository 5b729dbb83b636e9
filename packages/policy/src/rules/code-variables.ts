// Variables by which a command runs something else than its words say: they change where programs are found, are code
// themselves, or name a program. A rule about commands must see what they bring.
import { isLiteral, type Assignment, type ShellText, type SimpleCommand, type Word } from "./shell-text.ts";
import { shellWord, type Inner } from "./nested-command.ts";

/** They change which program a name means, or make a loader, shell, runtime or tool run code that is not in the text. */
const CHANGES_WHAT_RUNS =
  /^(?:PATH|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_LOADABLES_PATH|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|GCONV_PATH|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONHOME|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS|GNUMAKEFLAGS|MFLAGS|MAKEFILES|TAR_OPTIONS|RIPGREP_CONFIG_PATH|GOFLAGS|GIT_CONFIG.*|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|(?:npm|NPM)_(?:config|CONFIG)_(?:script_shell|SCRIPT_SHELL|node_options|NODE_OPTIONS|git|GIT|userconfig|globalconfig|prefix))$/;
/** Their value is a command, for whoever asks for a pager, an editor, a helper. */
const IS_A_COMMAND =
  /^(?:[A-Z0-9_]*(?:PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|_SSH_COMMAND|_RSH|LESSOPEN|LESSCLOSE|EXTERNAL_DIFF|_WRAPPER|_LAUNCHER|_RUNNER)|GIT_SSH|RSYNC_RSH|PROMPT_COMMAND|FCEDIT|SHELL|CC|CXX|CPP|LD|AR|AS|RUSTC)$/;
const IS_A_SHELL = /^\/(?:usr\/(?:local\/)?)?bin\/(?:ba|da|z|k)?sh$/;
/** Of Node's, these run code; --max-old-space-size and the like do not. */
const NODE_RUNS = /(?:^|\s)-(?:-?r|-require|-import|-loader|-experimental-loader|e|-eval|-inspect)/;
/** Where the system keeps its programs, and no agent can write. */
const SYSTEM_PATH = /^(?:\/(?:usr\/(?:local\/)?)?s?bin)(?::\/(?:usr\/(?:local\/)?)?s?bin)*$/;

const ASSIGNS = /^(?:export|declare|typeset|readonly|local)$/;
const FILLS = /^(?:read|mapfile|readarray|getopts|printf|unset)$/;

export function variableInner(command: SimpleCommand): Inner[] {
  return assignedIn(command).flatMap(innerOfVariable);
}

/** A text with variables that its caller sets beside it: as if it began by assigning them. */
export function withVariables(text: ShellText, environment: Readonly<Record<string, string>> = {}): ShellText {
  const assignments = Object.entries(environment).map(([name, value]) => ({ name, value }));
  if (text.kind === "unparsable" || assignments.length === 0) return text;
  const first: SimpleCommand = { kind: "command", words: [], redirects: [], assignments };
  return { ...text, commands: [first, ...text.commands] };
}

function innerOfVariable({ name, value }: Assignment): Inner[] {
  if (name === "NODE_OPTIONS" && isLiteral(value) && !NODE_RUNS.test(value)) return [];
  if (name === "PATH" && isLiteral(value) && SYSTEM_PATH.test(value)) return [];
  if (CHANGES_WHAT_RUNS.test(name) || name === "NODE_OPTIONS") {
    return [{ kind: "unknown", why: "dynamic", reason: `${name} changes what the words after it run` }];
  }
  if (!IS_A_COMMAND.test(name) || value === "" || (name === "SHELL" && isLiteral(value) && IS_A_SHELL.test(value)))
    return [];
  return [shellWord(isLiteral(value) ? value.replace(/^[|-]+/, "") : value)];
}

function assignedIn({ words, assignments }: SimpleCommand): readonly Assignment[] {
  const [program, ...rest] = words;
  if (!isLiteral(program)) return assignments;
  if (ASSIGNS.test(program)) return [...assignments, ...rest.flatMap(assignmentIn)];
  if (!FILLS.test(program)) return assignments;
  const names = rest.flatMap((word) => (isLiteral(word) ? [word.replace(/^-v/, "").split("[", 1)[0] ?? ""] : []));
  const filled = names.filter((name) => (program === "unset" ? name === "PATH" : true));
  return [...assignments, ...filled.map((name) => ({ name, value: { dynamic: `(${program})` } }))];
}

function assignmentIn(word: Word): Assignment[] {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)\+?=(.*)$/s.exec(isLiteral(word) ? word : word.dynamic) ?? [];
  if (name === undefined || value === undefined) return [];
  return [{ name, value: isLiteral(word) ? value : { dynamic: value } }];
}
