// Commands inside commands: env, sudo, xargs, find -exec, sh -c, eval, git -c … A rule must see what really runs.
import {
  isLiteral,
  textOfCommand,
  textOfWord,
  type ParseShell,
  type ShellText,
  type SimpleCommand,
  type Word,
} from "./command.ts";
import { nameOfProgram } from "./command-pattern.ts";
import { PROGRAMS } from "./program-table.ts";

export type Inner =
  /** Another command, beginning at this word of the outer one. */
  | { readonly kind: "command"; readonly command: SimpleCommand; readonly at: number }
  /** Shell text, already parsed by the caller's grammar. */
  | { readonly kind: "shell"; readonly text: string }
  /** Something runs, but nobody can say what before it does. */
  | { readonly kind: "unknown"; readonly why: Unknown; readonly reason: string };

/** A script file is ordinary; text made at run time could be anything; what does not parse is never let through. */
export type Unknown = "script" | "dynamic" | "unparsable";

export type Unwrapped = {
  readonly inner: readonly Inner[];
  /** The outer command adds nothing of its own (env, nice, time): only the inner one needs a rule. */
  readonly transparent: boolean;
};

type Wrapper = {
  readonly transparent?: boolean;
  /** Options that take the next word. */
  readonly takesValue?: string;
  readonly longTakesValue?: readonly string[];
  /** Words of its own before the command (timeout 5 …). */
  readonly operands?: number;
  readonly assignments?: boolean;
  /** Its words are joined and given to a shell. */
  readonly joinsWords?: boolean;
  /** Its command gets further words at run time, and this in its words is replaced. */
  readonly replaces?: string;
  /** Options whose value is shell text. */
  readonly shellText?: readonly string[];
  /** These options only look something up (command -v). */
  readonly looksUp?: RegExp;
};

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "env",
    {
      transparent: true,
      takesValue: "uCa",
      longTakesValue: ["--unset", "--chdir", "--argv0"],
      assignments: true,
      shellText: ["-S", "--split-string"],
    },
  ],
  ["command", { transparent: true, looksUp: /^-[pvV]*[vV]/ }],
  ["builtin", { transparent: true }],
  ["exec", { transparent: true, takesValue: "a" }],
  ["nice", { transparent: true, takesValue: "n", longTakesValue: ["--adjustment"] }],
  ["nohup", { transparent: true }],
  ["time", { transparent: true, takesValue: "f", longTakesValue: ["--format"] }],
  ["timeout", { transparent: true, takesValue: "ks", longTakesValue: ["--kill-after", "--signal"], operands: 1 }],
  ["stdbuf", { transparent: true, takesValue: "ioe", longTakesValue: ["--input", "--output", "--error"] }],
  ["setsid", { transparent: true }],
  ["ionice", { transparent: true, takesValue: "cn", longTakesValue: ["--class", "--classdata"] }],
  ["chrt", { transparent: true, operands: 1 }],
  ["taskset", { transparent: true, operands: 1 }],
  ["caffeinate", { transparent: true, takesValue: "tw" }],
  ["chronic", { transparent: true }],
  ["unbuffer", { transparent: true }],
  [
    "sudo",
    {
      takesValue: "ugpCcDhRrtTU",
      longTakesValue: [
        "--user",
        "--group",
        "--prompt",
        "--chdir",
        "--chroot",
        "--host",
        "--close-from",
        "--command-timeout",
        "--role",
        "--type",
        "--other-user",
      ],
      assignments: true,
    },
  ],
  ["doas", { takesValue: "uC" }],
  ["pkexec", { longTakesValue: ["--user"] }],
  ["su", { takesValue: "sgGw", shellText: ["-c", "--command"], operands: 99 }],
  ["runuser", { takesValue: "usgGw", shellText: ["-c", "--command"] }],
  [
    "xargs",
    {
      replaces: "{}",
      takesValue: "EILnPsad",
      longTakesValue: [
        "--arg-file",
        "--delimiter",
        "--max-args",
        "--max-procs",
        "--max-chars",
        "--replace",
        "--max-lines",
        "--process-slot-var",
      ],
    },
  ],
  [
    "parallel",
    {
      joinsWords: true,
      replaces: "{}",
      takesValue: "jaCINS",
      longTakesValue: ["--jobs", "--arg-file", "--colsep", "--joblog", "--results"],
    },
  ],
  ["watch", { takesValue: "n", longTakesValue: ["--interval"], joinsWords: true }],
  ["strace", { takesValue: "eopsuaEIOPSX", longTakesValue: ["--output", "--trace"] }],
  ["ltrace", { takesValue: "eopsua" }],
  ["unshare", { longTakesValue: ["--map-user", "--map-group"] }],
  ["nsenter", { takesValue: "tSG" }],
  ["chroot", { operands: 1 }],
  ["flock", { takesValue: "wE", operands: 1, shellText: ["-c", "--command"] }],
  ["busybox", {}],
  ["toybox", {}],
  ["script", { takesValue: "IOBTm", shellText: ["-c", "--command"], operands: 99 }],
  ["entr", {}],
  ["systemd-run", { takesValue: "puEMHt", longTakesValue: ["--property", "--unit", "--setenv", "--uid", "--gid"] }],
  ["bwrap", {}],
  ["firejail", {}],
  ["proxychains", { takesValue: "f" }],
  ["proxychains4", { takesValue: "f" }],
  ["torsocks", {}],
  ["rlwrap", {}],
  ["dbus-run-session", {}],
  ["xvfb-run", { takesValue: "efnpsw" }],
  ["setpriv", { longTakesValue: ["--pdeathsig", "--reuid", "--regid"] }],
  ["prlimit", {}],
  ["coproc", {}],
]);

const STANDS_ALONE = new Set(
  "--ignore-environment --null --debug --foreground --preserve-status --verbose --preserve-env --non-interactive --stdin --login --shell --no-run-if-empty --interactive --open-tty --exit --wait --fork --help --version --quiet --color --beep --differences".split(
    " ",
  ),
);
const SHELLS = new Set("sh bash dash zsh ksh mksh ash rbash fish yash posh csh tcsh".split(" "));
const GIT_RUNS =
  /^(?:alias\.|core\.(?:pager|editor|sshcommand|fsmonitor|askpass|hookspath|gitproxy|alternaterefscommand)|pager\.|sequence\.editor|diff\.(?:external|.*\.(?:command|textconv))|.*\.(?:clean|smudge|process|driver|command|cmd|path|program|helper|textconv|vcs)$|credential\.|gpg\.|submodule\.|protocol\.|ssh\.|sendemail\.|filter\.|merge\.|difftool\.|mergetool\.|browser\.|man\.|interactive\.difffilter|uploadpack\.|http\.proxy|url\.)/i;

/** What a command runs besides itself. */
export function unwrap(command: SimpleCommand): Unwrapped {
  const [program] = command.words;
  if (!isLiteral(program)) return { inner: [], transparent: false };
  const name = nameOfProgram(program);
  const wrapper = WRAPPERS.get(name);
  if (wrapper !== undefined) return unwrapWrapper(command, wrapper);
  if (SHELLS.has(name)) return { inner: shellInner(command), transparent: false };
  if (name === "eval") return { inner: [evalInner(command.words.slice(1))], transparent: false };
  if (name === "trap") return { inner: trapInner(command.words), transparent: false };
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

/** Something that runs, or may run, when a shell text runs. */
export type Reached =
  | {
      readonly kind: "command";
      readonly command: SimpleCommand;
      /** Index of the command it stands in, and of the word there at which it begins. */
      readonly outer: number | undefined;
      readonly at: number | undefined;
      readonly transparent: boolean;
      /** The text gives this name another meaning: no allow rule can be about it. */
      readonly redefined: boolean;
    }
  | { readonly kind: "unknown"; readonly why: Unknown; readonly reason: string; readonly outer: number | undefined };

const MAX_DEPTH = 8;
const MAX_REACHED = 4096;

/** Flattens a shell text with everything inside its commands; what cannot be known is said, not skipped. */
export function reach(shell: ShellText, parse: ParseShell | undefined): Reached[] {
  const found: Reached[] = [];
  const defined = new Set<string>();
  function addShell(text: ShellText, outer: number | undefined, depth: number): void {
    if (text.kind === "unparsable") {
      found.push({ kind: "unknown", why: "unparsable", reason: text.reason, outer });
      return;
    }
    for (const name of text.defines ?? []) defined.add(name);
    for (const command of text.commands) {
      if (command.kind === "unparsable")
        found.push({ kind: "unknown", why: "unparsable", reason: command.reason, outer });
      else addCommand(command, outer, undefined, depth);
    }
  }
  function addCommand(command: SimpleCommand, outer: number | undefined, at: number | undefined, depth: number): void {
    if (found.length >= MAX_REACHED) return;
    if (depth > MAX_DEPTH) {
      found.push({ kind: "unknown", why: "unparsable", reason: "nested too deeply to look into", outer });
      return;
    }
    const { inner, transparent } = unwrap(command);
    const index = found.length;
    found.push({ kind: "command", command, at, outer, transparent: transparent && inner.length > 0, redefined: false });
    for (const one of inner) {
      if (one.kind === "command") addCommand(one.command, index, one.at, depth + 1);
      else if (one.kind === "unknown") found.push({ ...one, outer: index });
      else if (parse !== undefined) addShell(parse(one.text), index, depth + 1);
      else
        found.push({
          kind: "unknown",
          why: "unparsable",
          reason: "runs shell text that was not looked into",
          outer: index,
        });
    }
  }
  addShell(shell, undefined, 0);
  for (const { command } of found.filter((one) => one.kind === "command")) addAliases(command, defined);
  if (defined.size === 0) return found;
  return found.map((one) =>
    one.kind === "command" && isDefined(one.command, defined) ? { ...one, redefined: true } : one,
  );
}

/** More than this is more than anybody reviews; the list itself is cut there. */
export function isTooMuch(reached: readonly Reached[]): boolean {
  return reached.length >= MAX_REACHED;
}

function addAliases(command: SimpleCommand, defined: Set<string>): void {
  const [program, ...rest] = command.words;
  if (program === "alias" || program === "function") {
    for (const word of rest) defined.add(isLiteral(word) ? (word.split("=", 1)[0] ?? "") : ANY_NAME);
  }
  // hash -p file name, enable -f file name: a name is bound to a file.
  if (program === "hash" || program === "enable")
    for (const word of rest) defined.add(isLiteral(word) ? word : ANY_NAME);
}

const ANY_NAME = "*";

function isDefined(command: SimpleCommand, defined: ReadonlySet<string>): boolean {
  const [program] = command.words;
  return defined.has(ANY_NAME) || (isLiteral(program) && defined.has(program));
}

function unwrapWrapper(command: SimpleCommand, wrapper: Wrapper): Unwrapped {
  const { words } = command;
  const assignments: { name: string; value: Word }[] = [];
  const inner: Inner[] = [];
  let operands = wrapper.operands ?? 0;
  let at = 1;
  let uncertain = false;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (!isLiteral(word)) {
      if (!uncertain && operands <= 0) break; // an unknown program: judged as one
      operands -= 1;
      continue;
    }
    if (word === "--") {
      at += 1;
      break;
    }
    if (wrapper.looksUp?.test(word)) return { inner: [], transparent: false };
    const text = shellTextOption(words, at, wrapper);
    if (text !== undefined) {
      inner.push(text.inner);
      at += text.words - 1;
    } else if (word.startsWith("-") && word !== "-") {
      const kind = optionKind(word, wrapper);
      if (kind === "takes-next") at += 1;
      uncertain ||= kind === "unsure";
    } else if (wrapper.assignments && /^[A-Za-z_][A-Za-z0-9_]*=/.test(word)) {
      const sign = word.indexOf("=");
      assignments.push({ name: word.slice(0, sign), value: word.slice(sign + 1) });
    } else if (operands > 0) operands -= 1;
    else break;
  }
  const rest = replaced(words, at, wrapper);
  const [program] = rest;
  if (program !== undefined) {
    const outer = { ...command, assignments: [...command.assignments, ...assignments] };
    inner.push({ kind: "command", at, command: { ...outer, words: rest } });
    // An option we do not know may have taken the first word: then the command begins one word later.
    if (uncertain && rest.length > 1)
      inner.push({ kind: "command", at: at + 1, command: { ...outer, words: rest.slice(1) } });
    // "rm -rf x" as one word is no program's name: somebody gives it to a shell (sudo -s, watch, parallel).
    const written = words.slice(at);
    if (wrapper.joinsWords || (isLiteral(written[0]) && /\s/.test(written[0]))) inner.push(evalInner(written));
  }
  // env -C: what runs elsewhere may find other files there, a repository's settings for one.
  const moves = words.slice(1, at).some((word) => isLiteral(word) && /^(?:-[A-Za-z]*C|--chdir)/.test(word));
  return { inner, transparent: (wrapper.transparent ?? false) && !uncertain && !moves };
}

// What xargs and parallel add or put in is known to nobody: it may be an option, or text for a shell.
function replaced(words: readonly Word[], from: number, wrapper: Wrapper): readonly Word[] {
  const rest = words.slice(from);
  if (wrapper.replaces === undefined || rest.length === 0) return rest;
  const marks = [wrapper.replaces];
  for (let at = 1; at < from; at += 1) {
    const value = valueOf(words, at, "-I") ?? valueOf(words, at, "--replace");
    if (isLiteral(value) && value !== "") marks.push(value);
  }
  const isMarked = (word: Word): boolean => isLiteral(word) && marks.some((mark) => word.includes(mark));
  return [
    ...rest.map((word) => (isMarked(word) ? { dynamic: `$(${textOfWord(word)})` } : word)),
    { dynamic: "$(words read)" },
  ];
}

function optionKind(word: string, wrapper: Wrapper): "alone" | "takes-next" | "unsure" {
  if (word.startsWith("--")) {
    if (word.includes("=")) return "alone";
    if (wrapper.longTakesValue?.includes(word)) return "takes-next";
    return STANDS_ALONE.has(word) ? "alone" : "unsure";
  }
  const letters = wrapper.takesValue ?? "";
  for (let i = 1; i < word.length; i += 1) {
    if (letters.includes(word.charAt(i))) return i === word.length - 1 ? "takes-next" : "alone";
  }
  return wrapper.takesValue === undefined && /^-[A-Za-z]$/.test(word) ? "unsure" : "alone";
}

function shellTextOption(
  words: readonly Word[],
  at: number,
  wrapper: Wrapper,
): { inner: Inner; words: number } | undefined {
  const word = words[at];
  if (!isLiteral(word)) return undefined;
  for (const option of wrapper.shellText ?? []) {
    if (word === option) return { inner: shellWord(words[at + 1]), words: 2 };
    if (option.startsWith("--") && word.startsWith(`${option}=`))
      return { inner: { kind: "shell", text: word.slice(option.length + 1) }, words: 1 };
    if (!option.startsWith("--") && word.startsWith(option) && !word.startsWith("--"))
      return { inner: { kind: "shell", text: word.slice(option.length) }, words: 1 };
  }
  return undefined;
}

function shellWord(word: Word | undefined): Inner {
  if (word === undefined) return { kind: "unknown", why: "dynamic", reason: "runs shell text that is missing" };
  if (isLiteral(word)) return { kind: "shell", text: word };
  return { kind: "unknown", why: "dynamic", reason: `runs shell text that is only known later: ${word.dynamic}` };
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

function evalInner(words: readonly Word[]): Inner {
  if (!words.every(isLiteral))
    return { kind: "unknown", why: "dynamic", reason: "eval of text that is only known later" };
  return { kind: "shell", text: words.filter((word) => word !== "--").join(" ") };
}

function trapInner(words: readonly Word[]): Inner[] {
  const text = words.slice(1).find((word) => word !== "--" && !(isLiteral(word) && word.startsWith("-")));
  return words.length < 3 || text === undefined ? [] : [shellWord(text)];
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

/** The value of an option that stands at this word: `-o x`, `-ox`, `--out x`, `--out=x`. */
export function valueOf(words: readonly Word[], at: number, option: string): Word | undefined {
  const word = words[at];
  if (!isLiteral(word)) return undefined;
  if (word === option) return words[at + 1];
  if (word.startsWith(`${option}=`)) return word.slice(option.length + 1);
  if (/^-[A-Za-z]$/.test(option) && word.startsWith(option) && !word.startsWith("--")) return word.slice(2);
  return undefined;
}

function simple(words: readonly Word[]): SimpleCommand {
  return { kind: "command", words, redirects: [], assignments: [] };
}

/** For messages: the inner command in a few words. */
export function shortText(command: SimpleCommand): string {
  const text = textOfCommand(command);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
