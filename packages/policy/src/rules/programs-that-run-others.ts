// Programs with a way of their own to run something, one function each: make, ed, ip netns exec, cmake -E, crontab …
import { isLiteral, type SimpleCommand, type Word } from "./shell-text.ts";
import { evalInner, shellWord, valueOf, type Inner } from "./nested-command.ts";

const OWN_INPUT = /^(?:-|\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+|thread-self)\/fd\/\d+))$/;
const LONGEST_SCRIPT = 20_000;

/** What a program of that name runs besides itself and its options; nothing for most. */
export function programInner(command: SimpleCommand, name: string): Inner[] {
  return PROGRAMS.get(name)?.(command) ?? [];
}

const PROGRAMS: ReadonlyMap<string, (command: SimpleCommand) => Inner[]> = new Map([
  ["hash", hashInner],
  ["enable", enableInner],
  ["make", makeInner],
  ["gmake", makeInner],
  ["ed", (command) => [...escapes(command), ...scriptFromElsewhere(command)]],
  ["ex", (command) => [...escapes(command), ...scriptFromElsewhere(command)]],
  ["dc", (command) => [...escapes(command), ...scriptFromElsewhere(command)]],
  ["ftp", escapes],
  ["sftp", escapes],
  ["telnet", escapes],
  ["mail", escapes],
  ["mailx", escapes],
  ["ip", ipInner],
  ["cmake", cmakeInner],
  ["crontab", crontabInner],
  ["wget", wgetInner],
  ["apt", aptInner],
  ["apt-get", aptInner],
  ["strace", straceInner],
  ["sshfs", sshfsInner],
  ["fc", (command) => command.words.flatMap((_, at) => optional(valueOf(command.words, at, "-e")))],
]);

// hash -p file name: the name means that file from here on.
function hashInner({ words }: SimpleCommand): Inner[] {
  const at = words.findIndex((word) => isLiteral(word) && /^-[A-Za-z]*p/.test(word));
  if (at < 0) return words.every(isLiteral) ? [] : [unknown("hash with words that are only known later")];
  const word = String(words[at]);
  const file = word.endsWith("p") ? words[at + 1] : word.slice(word.indexOf("p") + 1);
  const named: Inner[] = file === undefined ? [] : [{ kind: "command", at: at + 1, command: simple([file]) }];
  return [...named, unknown("hash -p gives a name to another program")];
}

function enableInner({ words }: SimpleCommand): Inner[] {
  return words.some((word) => !isLiteral(word) || /^-[A-Za-z]*f/.test(word))
    ? [unknown("enable -f loads code into the shell")]
    : [];
}

// A Makefile of the project is its script; one that is made at run time, or another shell for it, could be anything.
function makeInner({ words }: SimpleCommand): Inner[] {
  return words.slice(1).flatMap((word, before): Inner[] => {
    const at = before + 1;
    if (isLiteral(word) && /^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKE|GNUMAKEFLAGS|MAKEFILES)\s*[:?+!]*=/.test(word))
      return [unknown("make with another shell or other options for what it runs")];
    const file = valueOf(words, at, "-f") ?? valueOf(words, at, "--file") ?? valueOf(words, at, "--makefile");
    const isMade = isLiteral(file) ? OWN_INPUT.test(file) : file !== undefined;
    return isMade ? [unknown("runs a Makefile that is made at run time")] : [];
  });
}

/** `!text` in what it is told: a line of its own for most, an operand for ed. */
function escapes({ words, redirects }: SimpleCommand): Inner[] {
  const told = redirects.flatMap(({ op, target }) => (op.startsWith("<<") ? [target] : []));
  return [...words.slice(1), ...told].flatMap((word): Inner[] => {
    if (!isLiteral(word))
      return told.includes(word) ? [unknown("is told what to do by text that is only known later")] : [];
    const lines = word.slice(0, LONGEST_SCRIPT).split("\n");
    return lines.flatMap((line): Inner[] => {
      const text = /^[^!]{0,200}!(.+)$/.exec(line)?.[1];
      return text === undefined ? [] : [{ kind: "shell", text }];
    });
  });
}

/** Its commands come from a pipe or a file: shell escapes among them. */
function scriptFromElsewhere({ words, redirects }: SimpleCommand): Inner[] {
  const isTold =
    redirects.some(({ op }) => op.startsWith("<<")) ||
    words.some((word) => /^-[ce]|^--(?:version|help|expression)/.test(String(word)));
  return isTold ? [] : [unknown("reads its commands from elsewhere")];
}

// ip [options] netns exec NAME command, ip -all netns exec command, ip vrf exec NAME command
function ipInner({ words }: SimpleCommand): Inner[] {
  const at = words.findIndex((word, i) => word === "exec" && isLiteral(words[i - 1]));
  if (at < 0 || !/^(?:n|ne|net|netn|netns|vrf)$/.test(String(words[at - 1]))) return [];
  const isAll = words.slice(1, at).some((word) => isLiteral(word) && /^-a(?:l|ll)?$/.test(word));
  const begins = isAll ? at + 1 : at + 2;
  return words.length > begins ? [{ kind: "command", at: begins, command: simple(words.slice(begins)) }] : [];
}

// cmake -E env A=1 command, cmake -E time command, cmake -E chdir folder command
function cmakeInner({ words }: SimpleCommand): Inner[] {
  const at = words.indexOf("-E");
  const skipped = { env: 0, time: 0, chdir: 1 }[String(words[at + 1])];
  if (at < 0 || skipped === undefined) return [];
  let begins = at + 2 + skipped;
  for (let word = words[begins]; isLiteral(word) && /^(?:--|[A-Za-z_]\w*=)/.test(word); word = words[begins])
    begins += 1;
  return words.length > begins ? [{ kind: "command", at: begins, command: simple(words.slice(begins)) }] : [];
}

function crontabInner({ words }: SimpleCommand): Inner[] {
  const looks = words.some((word) => isLiteral(word) && /^-[A-Za-z]*[lrTV]/.test(word));
  return looks ? [] : [unknown("what it is given runs later")];
}

// wget -e use_askpass=program
function wgetInner({ words }: SimpleCommand): Inner[] {
  return words.flatMap((_, at): Inner[] => {
    const given = valueOf(words, at, "-e") ?? valueOf(words, at, "--execute");
    if (given === undefined) return [];
    return [isLiteral(given) ? { kind: "shell", text: given.replace(/^[^=]*=\s*/, "") } : shellWord(given)];
  });
}

// apt-get -o DPkg::Pre-Invoke::=text
function aptInner({ words }: SimpleCommand): Inner[] {
  return words.flatMap((_, at): Inner[] => {
    const given = valueOf(words, at, "-o") ?? valueOf(words, at, "--option");
    if (given === undefined) return [];
    if (!isLiteral(given)) return [shellWord(given)];
    const text = /^[^=]*(?:invoke|install-pkgs|solver|proxy-auto-detect|path)[^=]*=(.*)$/is.exec(given)?.[1];
    return text === undefined ? [] : [{ kind: "shell", text: text.replace(/^"(.*)"$/s, "$1") }];
  });
}

// strace -o '|command'
function straceInner({ words }: SimpleCommand): Inner[] {
  return words.flatMap((_, at): Inner[] => {
    const given = valueOf(words, at, "-o") ?? valueOf(words, at, "--output");
    return isLiteral(given) && /^[|!]/.test(given) ? [{ kind: "shell", text: given.slice(1) }] : [];
  });
}

function sshfsInner({ words }: SimpleCommand): Inner[] {
  return words.flatMap((_, at): Inner[] => {
    const given = valueOf(words, at, "-o");
    const text = isLiteral(given) ? /(?:^|,)(?:ssh_command|ProxyCommand)=(.*)$/is.exec(given)?.[1] : undefined;
    return text === undefined ? [] : [{ kind: "shell", text }];
  });
}

function optional(word: Word | undefined): Inner[] {
  return word === undefined ? [] : [evalInner([word])];
}

function unknown(reason: string): Inner {
  return { kind: "unknown", why: "dynamic", reason };
}

function simple(words: readonly Word[]): SimpleCommand {
  return { kind: "command", words, redirects: [], assignments: [] };
}
