// Commands inside commands: env, sudo, xargs, find -exec, sh -c, eval, git -c … A rule must see what really runs.
import { isLiteral, type SimpleCommand, type Word } from "./command.ts";
import { nameOfProgram } from "./command-pattern.ts";
import { evalInner, shellWord, valueOf, type Inner, type Unwrapped } from "./inner.ts";
import { PROGRAMS } from "./program-table.ts";
import { unwrapWrapper, WRAPPERS } from "./wrappers.ts";

const SHELLS = new Set("sh bash dash zsh ksh mksh ash rbash fish yash posh csh tcsh".split(" "));
const GIT_RUNS =
  /^(?:alias\.|core\.(?:pager|editor|sshcommand|fsmonitor|askpass|hookspath|gitproxy|alternaterefscommand)|pager\.|sequence\.editor|diff\.(?:external|.*\.(?:command|textconv))|.*\.(?:clean|smudge|process|driver|command|cmd|path|program|helper|textconv|vcs)$|credential\.|gpg\.|submodule\.|protocol\.|ssh\.|sendemail\.|filter\.|merge\.|difftool\.|mergetool\.|browser\.|man\.|interactive\.difffilter|uploadpack\.|http\.proxy|url\.)/i;

/** What a command runs besides itself. */
export function unwrap(command: SimpleCommand): Unwrapped {
  if (turnsAliasesOn(command)) {
    const reason = "aliases change what later words mean";
    return { inner: [{ kind: "unknown", why: "dynamic", reason }], transparent: false };
  }
  const [program] = command.words;
  if (!isLiteral(program)) return { inner: [], transparent: false };
  const name = nameOfProgram(program);
  const wrapper = WRAPPERS.get(name);
  if (wrapper !== undefined) return unwrapWrapper(command, wrapper);
  if (SHELLS.has(name)) return { inner: shellInner(command), transparent: false };
  if (name === "eval") return { inner: [evalInner(command.words.slice(1))], transparent: false };
  if (name === "trap") return { inner: trapInner(command.words), transparent: false };
  if (name === "alias") return { inner: aliasInner(command.words), transparent: false };
  if (name === "source" || name === ".")
    return { inner: [{ kind: "unknown", why: "script", reason: "runs a script file" }], transparent: false };
  if (name === "find") return { inner: findInner(command), transparent: false };
  if (/^[gmn]?awk$/.test(name)) return { inner: awkInner(command.words), transparent: false };
  if (name === "ssh") return { inner: sshInner(command.words), transparent: false };
  return {
    inner: [...optionInner(command, name), ...(name === "git" ? gitInner(command.words) : [])],
    transparent: false,
  };
}

// sh -c text, sh -ec text, sh <<< text, sh script, and sh reading what a pipe brings.
function shellInner(command: SimpleCommand): Inner[] {
  const { words } = command;
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (!isLiteral(word))
      return [{ kind: "unknown", why: "dynamic", reason: "a shell with words that are only known later" }];
    if (word === "--" || !/^[-+]/.test(word)) break;
    if (/^-[A-Za-z]*c/.test(word) || word === "--command") {
      // Options may still stand between -c and its text: bash -c -e 'text'.
      const text = words.slice(at + 1).find((next) => !isLiteral(next) || !/^[-+]/.test(next));
      return [shellWord(text)];
    }
    if (/^[-+][A-Za-z]*[oO]$/.test(word) || /^--(?:rcfile|init-file)$/.test(word)) at += 1;
    if (/^--(?:version|help)$/.test(word)) return [];
  }
  const operand = words[at] === "--" ? words[at + 1] : words[at];
  if (operand !== undefined && operand !== "-")
    return [{ kind: "unknown", why: "script", reason: "runs a script file" }];
  const fed = command.redirects.filter(({ op }) => op.startsWith("<<"));
  if (fed.length > 0) return fed.map(({ target }) => shellWord(target));
  return [{ kind: "unknown", why: "dynamic", reason: "a shell that reads its commands from elsewhere" }];
}

function trapInner(words: readonly Word[]): Inner[] {
  const text = words.slice(1).find((word) => word !== "--" && !(isLiteral(word) && word.startsWith("-")));
  return words.length < 3 || text === undefined ? [] : [shellWord(text)];
}

// bash expands aliases where it is told to, and in POSIX mode; BASH_ALIASES makes them without the word alias.
function turnsAliasesOn({ words, assignments }: SimpleCommand): boolean {
  const [program] = words;
  const switches = program === "set" || program === "shopt";
  return (
    assignments.some(({ name }) => ALIAS_VARIABLE.test(name)) ||
    words.some((word) => isLiteral(word) && ALIAS_VARIABLE.test(word)) ||
    (switches && words.some((word) => word === "posix" || word === "expand_aliases"))
  );
}

const ALIAS_VARIABLE = /^(?:BASH_ALIASES|POSIXLY_CORRECT)(?![A-Za-z0-9_])/;

// Where aliases are expanded (sh, or bash told so), each value will stand in the place of a command.
function aliasInner(words: readonly Word[]): Inner[] {
  return words.slice(1).flatMap((word): Inner[] => {
    if (!isLiteral(word)) return [shellWord(word)];
    const at = word.indexOf("=");
    return at < 0 ? [] : [shellWord(word.slice(at + 1))];
  });
}

// A name that find puts in begins with where it looked, so alone it is no option; inside other text it is text.
function foundWord(word: Word): Word {
  if (!isLiteral(word) || !word.includes("{}")) return word;
  return word === "{}" ? "./{}" : { dynamic: `$(${word})` };
}

function findInner(command: SimpleCommand): Inner[] {
  const { words } = command;
  const inner: Inner[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (!isLiteral(word) || !/^-(?:exec|execdir|ok|okdir)$/.test(word)) continue;
    let end = at + 1;
    while (end < words.length && words[end] !== ";" && words[end] !== "+") end += 1;
    inner.push({
      kind: "command",
      at: at + 1,
      command: { kind: "command", words: words.slice(at + 1, end).map(foundWord), redirects: [], assignments: [] },
    });
    at = end;
  }
  return inner;
}

// awk 'BEGIN { system("…") }' and print | "…": what stands there in plain text is looked at.
function awkInner(words: readonly Word[]): Inner[] {
  const text = words.filter(isLiteral).join("\n").slice(0, 20_000);
  return [...text.matchAll(/(?:system\s*\(\s*|\|\s*)"((?:[^"\\\n]|\\.){1,2000})"/g)].map(([, found = ""]): Inner => {
    return { kind: "shell", text: found.replace(/\\(.)/g, "$1") };
  });
}

// The remote command is text for the remote shell; what it does there is not ours to judge, but it is looked at.
function sshInner(words: readonly Word[]): Inner[] {
  const inner: Inner[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (!isLiteral(word))
      return [...inner, { kind: "unknown", why: "dynamic", reason: "ssh with words that are only known later" }];
    if (!word.startsWith("-")) {
      const remote = words.slice(at + 1);
      return remote.length === 0 ? inner : [...inner, evalInner(remote)];
    }
    const value = /^-[bcDEeFIiJLlmOopQRSWw]$/.test(word) ? words[(at += 1)] : word.slice(2);
    if (word.startsWith("-o") && isLiteral(value)) {
      const option = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*(.*)$/is.exec(value)?.[1];
      if (option !== undefined) inner.push({ kind: "shell", text: option });
    }
  }
  return inner;
}

function gitInner(words: readonly Word[]): Inner[] {
  const inner: Inner[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (!isLiteral(word)) continue;
    const setting = word === "-c" ? words[at + 1] : /^-c[A-Za-z]/.test(word) ? word.slice(2) : undefined;
    if (setting !== undefined) {
      if (!isLiteral(setting))
        inner.push({ kind: "unknown", why: "dynamic", reason: "git -c with a value that is only known later" });
      else if (GIT_RUNS.test(setting.split("=", 1)[0] ?? ""))
        inner.push({ kind: "shell", text: setting.slice(setting.indexOf("=") + 1).replace(/^!/, "") });
      if (word === "-c") at += 1;
      continue;
    }
    const next = words[at + 1];
    if (word === "bisect" && next === "run")
      return [...inner, { kind: "command", at: at + 2, command: simple(words.slice(at + 2)) }];
    if (word === "submodule" && next === "foreach") {
      const rest = words.slice(at + 2).filter((one) => one !== "--recursive" && one !== "--quiet");
      return [...inner, evalInner(rest)];
    }
  }
  return inner;
}

// tar --checkpoint-action=exec=…, rsync -e …, sort --compress-program=…: facts of the program table.
function optionInner(command: SimpleCommand, name: string): Inner[] {
  const options = PROGRAMS.get(name)?.options;
  if (options === undefined) return [];
  const inner: Inner[] = [];
  for (let at = 1; at < command.words.length; at += 1) {
    const word = command.words[at];
    if (!isLiteral(word) || !word.startsWith("-")) continue;
    if (word === "--") break;
    for (const [option, fact] of Object.entries(options)) {
      if (fact.value !== "shell" && fact.value !== "program") continue;
      const value = valueOf(command.words, at, option);
      if (value === undefined) continue;
      inner.push(isLiteral(value) ? { kind: "shell", text: value.replace(/^exec=/, "") } : shellWord(value));
    }
  }
  return inner;
}

function simple(words: readonly Word[]): SimpleCommand {
  return { kind: "command", words, redirects: [], assignments: [] };
}
