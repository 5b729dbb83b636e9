// Commands inside commands: env, sudo, xargs, find -exec, sh -c, eval, git -c … A rule must see what really runs.
import { variableInner } from "./code-variables.ts";
import { isLiteral, type SimpleCommand, type Word } from "./shell-text.ts";
import { nameOfProgram } from "./command-pattern.ts";
import { evalInner, shellWord, valueOf, type Inner, type Unwrapped } from "./nested-command.ts";
import { programInner } from "./programs-that-run-others.ts";
import { factsAbout } from "./program-table.ts";
import { unwrapWrapper, WRAPPERS, type Wrapper } from "./wrappers.ts";

const SHELLS = new Set("sh bash dash zsh ksh mksh ash rbash fish yash posh csh tcsh".split(" "));
const GIT_RUNS =
  /^(?:alias\.|core\.(?:pager|editor|sshcommand|fsmonitor|askpass|hookspath|gitproxy|alternaterefscommand)|pager\.|sequence\.editor|diff\.(?:external|.*\.(?:command|textconv))|.*\.(?:clean|smudge|process|driver|command|cmd|path|program|helper|textconv|vcs)$|credential\.|gpg\.|submodule\.|protocol\.|ssh\.|sendemail\.|filter\.|merge\.|difftool\.|mergetool\.|browser\.|man\.|interactive\.difffilter|uploadpack\.|http\.proxy|url\.)/i;

const GIT_READS_CODE = /^(?:core\.hookspath|include\.path|includeif\.)/i;

/** What a command runs besides itself. */
export function unwrap(command: SimpleCommand): Unwrapped {
  const { inner, transparent } = unwrapWords(command);
  return { inner: [...variableInner(command), ...inner], transparent };
}

function unwrapWords(command: SimpleCommand): Unwrapped {
  if (turnsAliasesOn(command)) {
    const reason = "aliases change what later words mean";
    return { inner: [{ kind: "unknown", why: "dynamic", reason }], transparent: false };
  }
  const [program] = command.words;
  if (!isLiteral(program)) return { inner: [], transparent: false };
  const name = nameOfProgram(program);
  const wrapper = WRAPPERS.get(name);
  if (wrapper !== undefined) {
    const { inner, transparent } = unwrapWrapper(command, wrapper);
    return { inner: [...inner, ...programInner(command, name)], transparent };
  }
  if (SHELLS.has(name)) return { inner: shellInner(command), transparent: false };
  if (name === "eval") return { inner: [evalInner(command.words.slice(1))], transparent: false };
  if (name === "trap") return { inner: trapInner(command.words), transparent: false };
  if (name === "alias") return { inner: aliasInner(command.words), transparent: false };
  if (name === "source" || name === ".") return { inner: [scriptInner(command, command.words[1])], transparent: false };
  if (name === "at" || name === "batch" || name === "newgrp") return { inner: laterInner(command), transparent: false };
  if (/^ld(?:-linux|-musl)?[^/]*\.so[.\d]*$/.test(name)) return unwrapWrapper(command, LOADER);
  if (name === "find") return { inner: findInner(command), transparent: false };
  if (/^[gmn]?awk$/.test(name)) return { inner: awkInner(command.words), transparent: false };
  if (name === "ssh") return { inner: sshInner(command.words), transparent: false };
  if (name === "scp" || name === "sftp") {
    const inner = [
      ...optionInner(command, name),
      ...programInner(command, name),
      ...command.words.flatMap((_, at) => sshOptionInner(command.words, at)),
    ];
    return { inner, transparent: false };
  }
  if (name === "socat") return { inner: socatInner(command.words), transparent: false };
  return {
    inner: [
      ...optionInner(command, name),
      ...programInner(command, name),
      ...(name === "git" ? gitInner(command.words) : []),
    ],
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
    if (/^--(?:rcfile|init-file)$/.test(word)) return [scriptInner(command, words[at + 1])];
    if (/^[-+][A-Za-z]*[oO]$/.test(word)) at += 1;
    if (/^--(?:version|help)$/.test(word)) return [];
  }
  const operand = words[at] === "--" ? words[at + 1] : words[at];
  return operand === undefined || operand === "-" ? fedInner(command) : [scriptInner(command, operand)];
}

/** A script by name: a file of the project, its own input, or text made at run time. */
function scriptInner(command: SimpleCommand, script: Word | undefined): Inner {
  if (isLiteral(script) && OWN_INPUT.test(script)) return fedInner(command)[0] ?? FROM_ELSEWHERE;
  if (script !== undefined && !isLiteral(script) && /[<>]\(/.test(script.dynamic))
    return { kind: "unknown", why: "dynamic", reason: "runs a script that is made at run time" };
  return { kind: "unknown", why: "script", reason: "runs a script file" };
}

const OWN_INPUT = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+|thread-self)\/fd\/\d+)$/;
const FROM_ELSEWHERE: Inner = {
  kind: "unknown",
  why: "dynamic",
  reason: "a shell that reads its commands from elsewhere",
};

function fedInner(command: SimpleCommand): Inner[] {
  const fed = command.redirects.filter(({ op }) => op.startsWith("<<"));
  return fed.length > 0 ? fed.map(({ target }) => shellWord(target)) : [FROM_ELSEWHERE];
}

// at now <<< text: a shell runs it later, unless only a list is asked for, or a file is named.
function laterInner(command: SimpleCommand): Inner[] {
  if (command.words.some((word) => isLiteral(word) && /^-[A-Za-z]*[lrdc]/.test(word))) return [];
  const named = command.words.some((word) => isLiteral(word) && /^-[A-Za-z]*f/.test(word));
  return named ? [{ kind: "unknown", why: "script", reason: "runs a script file" }] : fedInner(command);
}

const LOADER: Wrapper = { longTakesValue: ["--preload", "--library-path", "--argv0", "--audit", "--inhibit-rpath"] };

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

// awk 'BEGIN { system("…") }', print | "…" and "…" | getline: what stands there in plain text is looked at, what awk puts
// together is unknown.
function awkInner(words: readonly Word[]): Inner[] {
  // -F'|' and the like are no code.
  const scripts = words.filter(
    (word, at) =>
      isLiteral(word) && !/^-[Fv]|^--(?:assign|field-sep)/.test(word) && !/^-[Fv]$/.test(String(words[at - 1])),
  );
  const text = scripts.join("\n").slice(0, 20_000);
  const found = [...text.matchAll(AWK_RUNS)].map(([, after, before]): Inner => {
    return { kind: "shell", text: (after ?? before ?? "").replace(/\\(.)/g, "$1") };
  });
  const rest = text.replaceAll(AWK_RUNS, " ").replaceAll(/"(?:[^"\\\n]|\\.)*"|\/(?:[^/\\\n]|\\.)+\/|\|\|/g, " ");
  const isMade = /\bsystem\s*\(\s*[^\s)]|\|/.test(rest);
  return isMade
    ? [...found, { kind: "unknown", why: "dynamic", reason: "awk runs text that it puts together" }]
    : found;
}

const AWK_RUNS =
  /(?:system\s*\(\s*|\|&?\s*)"((?:[^"\\\n]|\\.){1,2000})"|"((?:[^"\\\n]|\\.){1,2000})"\s*\|&?\s*getline/g;

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
    inner.push(...sshOptionInner(words, at));
    if (/^-[bcDEeFIiJLlmOopQRSWw]$/.test(word)) at += 1;
  }
  return inner;
}

function sshOptionInner(words: readonly Word[], at: number): Inner[] {
  const value = valueOf(words, at, "-o");
  if (!isLiteral(value)) return [];
  const text = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*(.*)$/is.exec(value)?.[1];
  return text === undefined ? [] : [{ kind: "shell", text }];
}

// socat EXEC:text, SYSTEM:text: an address that is a program.
function socatInner(words: readonly Word[]): Inner[] {
  return words.flatMap((word): Inner[] => {
    const text = isLiteral(word) ? /^(?:EXEC|SYSTEM|SHELL):(.*)$/is.exec(word)?.[1] : undefined;
    return text === undefined ? [] : [{ kind: "shell", text }];
  });
}

function gitInner(words: readonly Word[]): Inner[] {
  const inner: Inner[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (!isLiteral(word)) continue;
    // An address that is a program, whichever subcommand takes it.
    const helper = /(?:^|=)ext::(.*)$/s.exec(word)?.[1];
    if (helper !== undefined) inner.push({ kind: "shell", text: helper.replaceAll("% ", " ") });
    const setting = word === "-c" ? words[at + 1] : /^-c[A-Za-z]/.test(word) ? word.slice(2) : undefined;
    if (setting !== undefined) {
      if (!isLiteral(setting))
        inner.push({ kind: "unknown", why: "dynamic", reason: "git -c with a value that is only known later" });
      else if (GIT_READS_CODE.test(setting))
        inner.push({ kind: "unknown", why: "dynamic", reason: "git with settings or hooks from elsewhere" });
      else if (GIT_RUNS.test(setting.split("=", 1)[0] ?? ""))
        inner.push({ kind: "shell", text: setting.slice(setting.indexOf("=") + 1).replace(/^!/, "") });
      if (word === "-c") at += 1;
      continue;
    }
    if (/^--(?:config-env|exec-path)=?/.test(word))
      inner.push({ kind: "unknown", why: "dynamic", reason: "git with settings or programs from elsewhere" });
    const next = words[at + 1];
    if (word === "config") return [...inner, ...gitConfigInner(words.slice(at + 1))];
    if (word === "clone" || word === "fetch" || word === "ls-remote") {
      const pack = words.slice(at + 1).findIndex((one) => one === "-u" || one === "--upload-pack");
      if (pack >= 0) inner.push(shellWord(words[at + 2 + pack]));
    }
    if (word === "bisect" && next === "run")
      return [...inner, { kind: "command", at: at + 2, command: simple(words.slice(at + 2)) }];
    if (word === "submodule" && next === "foreach") {
      const rest = words.slice(at + 2).filter((one) => one !== "--recursive" && one !== "--quiet");
      return [...inner, evalInner(rest)];
    }
  }
  return inner;
}

// git config alias.x '!text' makes git run it later.
function gitConfigInner(words: readonly Word[]): Inner[] {
  const at = words.findIndex((word) => isLiteral(word) && GIT_RUNS.test(word));
  const value = at < 0 ? undefined : words[at + 1];
  if (value === undefined || (isLiteral(value) && value.startsWith("-"))) return [];
  return [isLiteral(value) ? { kind: "shell", text: value.replace(/^!/, "") } : shellWord(value)];
}

// tar --checkpoint-action=exec=…, rsync -e …, sort --compress-program=…: facts of the program table.
function optionInner(command: SimpleCommand, name: string): Inner[] {
  const options = factsAbout(name)?.options;
  if (options === undefined) return [];
  const inner: Inner[] = [];
  for (let at = 1; at < command.words.length; at += 1) {
    const word = command.words[at];
    if (!isLiteral(word) || !word.startsWith("-")) continue;
    if (word === "--") break;
    for (const [option, fact] of Object.entries(options)) {
      if (fact.value !== "shell" && fact.value !== "program") continue;
      const value = valueOf(command.words, at, option) ?? valueOfShortened(command.words, at, option);
      if (value === undefined) continue;
      inner.push(isLiteral(value) ? { kind: "shell", text: value.replace(/^exec=/, "") } : shellWord(value));
    }
  }
  return inner;
}

/** GNU programs take --compress-prog for --compress-program. */
function valueOfShortened(words: readonly Word[], at: number, option: string): Word | undefined {
  const word = words[at];
  if (!isLiteral(word) || !option.startsWith("--") || !word.startsWith("--")) return undefined;
  const [given = ""] = word.split("=", 1);
  if (given.length < 4 || given === option || !option.startsWith(given)) return undefined;
  return word.includes("=") ? word.slice(given.length + 1) : words[at + 1];
}

function simple(words: readonly Word[]): SimpleCommand {
  return { kind: "command", words, redirects: [], assignments: [] };
}
