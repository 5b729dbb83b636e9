// Commands inside commands: what env, sudo, timeout, xargs, find -exec, sh -c, eval, git -c and their like really run.
// What cannot be told before it runs becomes a command whose program is dynamic: no judge can call it safe.
import { commandOf, isStatic, sourceOf } from "./simple-command.ts";
import { WRAPPERS } from "./wrapper-table.ts";
import type { ShellSyntax, ShellWord, SimpleCommand } from "./simple-command.ts";
import type { Wrapper } from "./wrapper-table.ts";

type Parse = (text: string) => ShellSyntax;

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish"]);
// Values of these keys are commands; any other key is when its value starts with an exclamation mark.
const GIT_COMMAND_KEY =
  /^(core\.(pager|editor|sshcommand|fsmonitor|gitproxy|askpass|alternaterefscommand)|sequence\.editor|diff\.external|credential\.helper|gpg\.program|gpg\..+\.program|uploadpack\.packobjectshook|pager\..+|.+\.(textconv|cmd|clean|smudge|process|driver|path|command|uploadpack|receivepack|proxy|vcs))$/i;

/** The commands directly inside one, or an unparsable when text inside does not parse. */
export function innerCommands(
  command: SimpleCommand,
  parse: Parse,
): readonly SimpleCommand[] | { readonly reason: string } {
  const [program, ...rest] = command.words;
  if (!isStatic(program)) return [];
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (SHELLS.has(name)) return fromShell(command, rest, parse);
  if (name === "eval") return fromText(rest, parse);
  if (name === "trap")
    return rest.length > 1 && rest[0] !== "-" && !isOption(rest[0]) ? fromText(rest.slice(0, 1), parse) : [];
  if (name === "find" || name === "gfind") return fromFind(rest);
  if (name === "git") return fromGit(rest, parse);
  if (name === "su" || name === "script" || name === "runuser") return fromOptionText(rest, ["-c", "--command"], parse);
  if (name === "tar" || name === "bsdtar" || name === "gtar") return fromTar(rest, parse);
  if (name === "rsync") return fromOptionText(rest, ["-e", "--rsh", "--rsync-path"], parse);
  if (name === "ssh") return fromSsh(rest, parse);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return wrapper === undefined ? [] : fromWrapper(name, wrapper, rest, parse);
}

function fromWrapper(
  name: string,
  wrapper: Wrapper,
  words: readonly ShellWord[],
  parse: Parse,
): ReturnType<typeof innerCommands> {
  let operands = wrapper.operands ?? 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!isStatic(word)) return [commandOf([{ dynamic: words.slice(at).map(sourceOf).join(" ") }])];
    if (word === "--") continue;
    const shellText = shellTextOf(wrapper, word, words[at + 1]);
    if (shellText !== undefined) return fromText([shellText, ...(name === "env" ? words.slice(at + 2) : [])], parse);
    if (word.startsWith("-") && word !== "-") {
      // command -v, -V only look a name up.
      if (name === "command" && /^-p?[vV]/.test(word)) return [];
      if (takesNext(wrapper, word)) at += 1;
      continue;
    }
    if (wrapper.assignments === true && /^[A-Za-z_][A-Za-z0-9_]*=/.test(word)) continue;
    if (word === "-" && name === "env") continue;
    if (operands > 0) {
      operands -= 1;
      continue;
    }
    const inner = words.slice(at);
    return [commandOf(wrapper.appends === undefined ? inner : [...inner, { dynamic: wrapper.appends }])];
  }
  // xargs without a command runs echo; parallel runs what it reads.
  return name === "parallel" ? [commandOf([{ dynamic: "commands that parallel reads" }])] : [];
}

function shellTextOf(wrapper: Wrapper, word: string, next: ShellWord | undefined): ShellWord | undefined {
  for (const option of wrapper.shellText ?? []) {
    if (word === option) return next ?? { dynamic: option };
    if (option.startsWith("--") && word.startsWith(`${option}=`)) return word.slice(option.length + 1);
    if (!option.startsWith("--") && word.startsWith(option) && word.length > option.length)
      return word.slice(option.length);
  }
  return undefined;
}

function takesNext(wrapper: Wrapper, option: string): boolean {
  if (option.startsWith("--")) return (wrapper.longValues ?? []).includes(option.slice(2));
  const values = wrapper.values ?? "";
  // In -xu, u takes the next word; in -uroot, root is u's value and nothing follows.
  const letters = option.slice(1);
  for (let at = 0; at < letters.length; at++) {
    if (values.includes(letters[at] ?? "")) return at === letters.length - 1;
  }
  return false;
}

function fromShell(
  command: SimpleCommand,
  words: readonly ShellWord[],
  parse: Parse,
): ReturnType<typeof innerCommands> {
  let text = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!isStatic(word)) return [commandOf([{ dynamic: sourceOf(word) }])];
    if (word === "--init-file" || word === "--rcfile") return [commandOf([words[at + 1] ?? { dynamic: word }])];
    if (/^[-+][A-Za-z]*[oO]$/.test(word)) {
      if (word.startsWith("-") && word.includes("c")) text = true;
      at += 1; // -o pipefail
      continue;
    }
    if (word === "--" || word === "-") continue;
    if (word.startsWith("--") || /^[-+]/.test(word)) {
      if (/^-[A-Za-z]*c/.test(word)) text = true;
      else if (/^-[A-Za-z]*s/.test(word)) return fedShell(command, parse);
      continue;
    }
    return text ? fromText([word], parse) : [];
  }
  return text ? [commandOf([{ dynamic: "shell text that is missing" }])] : fedShell(command, parse);
}

/** A shell without a script reads its commands from its input. */
function fedShell(command: SimpleCommand, parse: Parse): ReturnType<typeof innerCommands> {
  const fed = command.redirects.findLast((redirect) => redirect.access === "read");
  if (fed !== undefined && fed.op.startsWith("<<")) return fromText([fed.target], parse);
  return [commandOf([{ dynamic: "commands that a shell reads from its input" }])];
}

/** Words that are joined by blanks and evaluated. */
function fromText(words: readonly ShellWord[], parse: Parse): ReturnType<typeof innerCommands> {
  if (!words.every(isStatic)) return [commandOf([{ dynamic: words.map(sourceOf).join(" ") }])];
  const inner = parse(words.join(" "));
  return inner.kind === "parsed" ? inner.commands : { reason: inner.reason };
}

function fromFind(words: readonly ShellWord[]): SimpleCommand[] {
  const found: SimpleCommand[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!isStatic(word) || !/^-(exec|execdir|ok|okdir)$/.test(word)) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex((each, index) => each === ";" || (each === "+" && rest[index - 1] === "{}"));
    const inner = end < 0 ? rest : rest.slice(0, end);
    found.push(commandOf(inner.map((each) => (isStatic(each) && each.includes("{}") ? { dynamic: each } : each))));
    at += inner.length;
  }
  return found;
}

function fromGit(words: readonly ShellWord[], parse: Parse): ReturnType<typeof innerCommands> {
  const found: SimpleCommand[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!isStatic(word)) {
      found.push(commandOf([{ dynamic: sourceOf(word) }]));
      break;
    }
    if (word.startsWith("--config-env") || word.startsWith("--exec-path=")) found.push(commandOf([{ dynamic: word }]));
    if (word === "-C" || word === "--git-dir" || word === "--work-tree" || word === "--namespace") at += 1;
    else if (word === "-c") {
      at += 1;
      const inner = fromGitSetting(words[at], parse);
      if ("reason" in inner) return inner;
      found.push(...inner);
    } else if (!word.startsWith("-")) {
      const inner = fromGitSubcommand(words.slice(at), parse);
      if ("reason" in inner) return inner;
      found.push(...inner);
      break;
    }
  }
  return found;
}

function fromGitSetting(setting: ShellWord | undefined, parse: Parse): ReturnType<typeof innerCommands> {
  if (!isStatic(setting)) return [commandOf([{ dynamic: setting === undefined ? "git -c" : sourceOf(setting) }])];
  const [key = "", ...parts] = setting.split("=");
  const value = parts.join("=");
  if (/^(core\.hookspath|include\.path|includeif\..*)$/i.test(key)) return [commandOf([{ dynamic: setting }])];
  if (value.startsWith("!")) return fromText([value.slice(1)], parse);
  return GIT_COMMAND_KEY.test(key) && value !== "" && !/^(true|false|cat|-)$/.test(value)
    ? fromText([value], parse)
    : [];
}

/** Subcommands that run what they are given. */
function fromGitSubcommand([name, ...words]: readonly ShellWord[], parse: Parse): ReturnType<typeof innerCommands> {
  if (name === "rebase") return fromOptionText(words, ["-x", "--exec"], parse);
  if (name === "bisect" && words[0] === "run") return [commandOf(words.slice(1))];
  if (name === "submodule" && words[0] === "foreach")
    return fromText(
      words.slice(1).filter((word) => !isOption(word)),
      parse,
    );
  if (name === "filter-branch") {
    const options = [
      "--tree-filter",
      "--index-filter",
      "--msg-filter",
      "--env-filter",
      "--commit-filter",
      "--parent-filter",
      "--tag-name-filter",
      "--setup",
    ];
    return fromOptionText(words, options, parse);
  }
  if (
    name === "clone" ||
    name === "fetch" ||
    name === "pull" ||
    name === "push" ||
    name === "ls-remote" ||
    name === "archive"
  ) {
    return fromOptionText(
      words,
      ["-u", "--upload-pack", "--receive-pack", "--exec"],
      parse,
      name === "push" ? ["-u"] : [],
    );
  }
  if (name === "difftool" || name === "mergetool") return fromOptionText(words, ["-x", "--extcmd"], parse);
  return [];
}

function fromTar(words: readonly ShellWord[], parse: Parse): ReturnType<typeof innerCommands> {
  const texts = words.flatMap((word) => {
    const found = isStatic(word) ? /^--checkpoint-action=exec=(.*)$/s.exec(word) : null;
    return found === null ? [] : [found[1] ?? ""];
  });
  const options = fromOptionText(
    words,
    ["--to-command", "--use-compress-program", "-I", "--info-script", "-F", "--rsh-command", "--rmt-command"],
    parse,
  );
  if ("reason" in options || texts.length === 0) return options;
  const inner = fromText([texts.join("\n")], parse);
  return "reason" in inner ? inner : [...options, ...inner];
}

function fromSsh(words: readonly ShellWord[], parse: Parse): ReturnType<typeof innerCommands> {
  const texts = words.flatMap((word, at): ShellWord[] => {
    const setting = word === "-o" ? words[at + 1] : isStatic(word) && word.startsWith("-o") ? word.slice(2) : undefined;
    if (setting === undefined) return [];
    if (!isStatic(setting)) return [setting];
    const found = /^(?:proxycommand|localcommand|knownhostscommand|match exec)[= ](.*)$/is.exec(setting.trim());
    return found === null ? [] : [found[1] ?? ""];
  });
  return texts.length === 0 ? [] : fromText(texts, parse);
}

/** Options that take shell text, glued by an equals sign or as the next word. */
function fromOptionText(
  words: readonly ShellWord[],
  options: readonly string[],
  parse: Parse,
  except: readonly string[] = [],
): ReturnType<typeof innerCommands> {
  const found: SimpleCommand[] = [];
  for (const [at, word] of words.entries()) {
    if (!isStatic(word)) continue;
    const option = options.find(
      (each) =>
        !except.includes(each) &&
        (word === each || (each.startsWith("--") ? word.startsWith(`${each}=`) : word.startsWith(each))),
    );
    if (option === undefined) continue;
    const glued = word.slice(option.length).replace(/^=/, "");
    const inner = fromText([glued === "" ? (words[at + 1] ?? { dynamic: word }) : glued], parse);
    if ("reason" in inner) return inner;
    found.push(...inner);
  }
  return found;
}

function isOption(word: ShellWord | undefined): boolean {
  return isStatic(word) && word.startsWith("-");
}
