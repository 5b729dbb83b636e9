// What a command does, from its parse: reads, writes, connections, other programs. For questions, and so that an allow
// rule for a "safe" program does not cover what an option or a redirect adds to it.
import { couldBeOption, isLiteral, textOfWord, type Redirect, type SimpleCommand, type Word } from "./shell-text.ts";
import { nameOfProgram } from "./command-pattern.ts";
import { valueOf } from "./nested-command.ts";
import { factsAbout, type ActKind, type OptionFact, type ProgramFact } from "./program-table.ts";

export type Act = {
  readonly kind: ActKind;
  /** A file, host or program, when it is known before it runs. */
  readonly target?: string;
  /** It has a target, but only the shell will know it. */
  readonly unknownTarget?: boolean;
  /** "program" and "operand" are what naming the program means; "option" and "redirect" come on top. */
  readonly by: "program" | "operand" | "option" | "redirect";
  readonly detail?: string;
};

const STANDARD_STREAMS = /^\/dev\/(?:null|zero|full|stdin|stdout|stderr|tty|fd\/\d+)$/;
const MAX_SCRIPT_CHARS = 4000;
const GIT_TAKES_VALUE = /^(?:-c|-C|--git-dir|--work-tree|--namespace|--config-env|--super-prefix|--attr-source)$/;
const TAKES_NAMES =
  /^(?:printf|read|unset|let|declare|typeset|local|export|readonly|test|\[|wait|mapfile|readarray|getopts)$/;

// Addresses with p, d, q and the like, and s with flags that neither write nor run. Not w, W, e, r, or s///e.
const PLAIN_SED = plainSed();

export function actsOf(command: SimpleCommand): Act[] {
  const acts = command.redirects.flatMap(actOfRedirect);
  const [program] = command.words;
  if (program === undefined) return acts;
  if (!isLiteral(program)) return [...acts, { kind: "execute", by: "program", unknownTarget: true }];
  const name = nameOfProgram(program);
  const fact = factsAbout(name) ?? {};
  acts.push(...(fact.does ?? []).map((kind): Act => ({ kind, by: "program" })));
  acts.push(...actsOfOptions(command.words, name, fact));
  acts.push(...actsOfOperands(command.words, name, fact));
  acts.push(...actsOfScript(command.words, name));
  acts.push(...actsOfOddWords(command.words, name));
  return acts;
}

/** One line for a question: what the person would allow. */
export function describeActs(acts: readonly Act[]): string {
  const worth = acts.filter((act) => act.kind !== "read");
  // "writes files" says nothing beside "writes out.txt".
  const isVague = (act: Act): boolean => act.target === undefined && act.by === "program";
  const told = worth.filter(
    (act) => !isVague(act) || !worth.some((other) => other.kind === act.kind && !isVague(other)),
  );
  return [...new Set(told.map(describe))].join(", ");
}

/** Whether it could send data off this machine: it connects, or it runs something that may. */
export function mayConnect(acts: readonly Act[]): boolean {
  return acts.some(({ kind }) => kind === "network" || kind === "execute");
}

function describe(act: Act): string {
  const target = act.target ?? (act.unknownTarget ? "something only known later" : undefined);
  const how = act.detail === undefined ? "" : ` (${act.detail})`;
  if (act.kind === "write") return `writes ${target ?? "files"}${how}`;
  if (act.kind === "network") return `connects to ${target ?? "the network"}${how}`;
  if (act.kind === "execute") return `runs ${target ?? "other programs"}${how}`;
  return `reads ${target ?? "files"}${how}`;
}

function actOfRedirect({ op, target, access }: Redirect): Act[] {
  const isText = op.startsWith("<<");
  if (isText) return [];
  if (!isLiteral(target))
    return [{ kind: access, by: "redirect", unknownTarget: true, detail: `${op} ${target.dynamic}` }];
  // 2>&1, >&-: another descriptor, not a file.
  if (op.includes("&") && /^(?:\d+-?|-)$/.test(target)) return [];
  if (/^\/dev\/(?:tcp|udp)\//.test(target)) {
    return [{ kind: "network", by: "redirect", target: target.split("/").slice(3).join(":"), detail: op }];
  }
  if (STANDARD_STREAMS.test(target)) return [];
  return [{ kind: access, by: "redirect", target, detail: op }];
}

function actsOfOptions(words: readonly Word[], name: string, fact: ProgramFact): Act[] {
  if (fact.options === undefined) return [];
  const acts: Act[] = [];
  const options = Object.entries(fact.options);
  const subcommand = gitSubcommand(words);
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined || word === "--") break;
    if (!isLiteral(word)) {
      if (couldBeOption(word))
        acts.push({
          kind: "execute",
          by: "option",
          unknownTarget: true,
          detail: `${word.dynamic} may become an option`,
        });
      continue;
    }
    const isOldStyle = at === 1 && name.endsWith("tar") && /^[A-Za-z]+$/.test(word); // tar xf …
    if (!isOldStyle && (!word.startsWith("-") || word === "-")) continue;
    for (const [option, about] of options) {
      if (name === "git" && !isGitOption(option, at, subcommand)) continue;
      if (!isGiven(isOldStyle ? `-${word}` : word, option, name)) continue;
      acts.push(actOfOption(words, at, option, about));
      if (about.onOperands) acts.push(...changedOperands(words, fact, option));
    }
  }
  return acts;
}

function changedOperands(words: readonly Word[], fact: ProgramFact, option: string): Act[] {
  const operands = operandsOf(words, fact);
  const files = fact.operands === "all-but-first-read" ? operands.slice(1) : operands;
  return files.map((word) => ({ ...onTarget("write", word, "option"), detail: option }));
}

function actOfOption(words: readonly Word[], at: number, option: string, fact: OptionFact): Act {
  const base = { kind: fact.act, by: "option", detail: option } as const;
  if (fact.value === undefined) return base;
  const value = valueOf(words, at, option);
  if (value === undefined) return base;
  return isLiteral(value) ? { ...base, target: value.replace(/^exec=/, "") } : { ...base, unknownTarget: true };
}

// -o also in a cluster (-uo) or with its value joined (-oFILE); --output also shortened (--outp), as GNU programs allow.
function isGiven(word: string, option: string, name: string): boolean {
  if (word === option || word.startsWith(`${option}=`)) return true;
  if (option.startsWith("--")) {
    const given = word.split("=", 1)[0] ?? "";
    return word.startsWith("--") && given.length > 2 && option.startsWith(given);
  }
  // Go's flags are written with one dash or two.
  if (option.length > 2) return isGivenTwoDashes(word, option);
  if (word.startsWith("--") || option.length !== 2 || name === "find" || name === "go") return false;
  const letters = /^-([A-Za-z]+)/.exec(word)?.[1] ?? "";
  if (name === "git") return word.startsWith(option);
  return letters.includes(option.charAt(1));
}

function isGivenTwoDashes(word: string, option: string): boolean {
  return word === `-${option}` || word.startsWith(`-${option}=`);
}

// The same letter means different things after different subcommands.
function isGitOption(option: string, at: number, subcommand: { at: number; name: string }): boolean {
  if (option === "-c" || option === "-C") return at < subcommand.at;
  if (option === "-x") return subcommand.name === "rebase" || subcommand.name === "difftool";
  if (option === "-O") return subcommand.name === "grep";
  return true;
}

function gitSubcommand(words: readonly Word[]): { at: number; name: string } {
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (!isLiteral(word)) continue;
    if (GIT_TAKES_VALUE.test(word)) at += 1;
    else if (!word.startsWith("-")) return { at, name: word };
  }
  return { at: Infinity, name: "" };
}

function actsOfOperands(words: readonly Word[], name: string, fact: ProgramFact): Act[] {
  if (name === "dd") return words.slice(1).flatMap(actOfDd);
  const operands = operandsOf(words, fact);
  if (name === "git") return gitReaches(operands);
  switch (fact.operands) {
    case "read":
      return operands.map((word) => onTarget("read", word, "operand"));
    case "all-but-first-read":
      return operands.slice(1).map((word) => onTarget("read", word, "operand"));
    case "write":
      return operands.map((word) => onTarget("write", word, "operand"));
    case "last-written": {
      const last = operands.at(-1);
      if (last === undefined || operands.length < 2) return operands.map((word) => onTarget("read", word, "operand"));
      // uniq in out: writing is not what its name says.
      const by = fact.does?.includes("write") ? "operand" : "option";
      return [...operands.slice(0, -1).map((word) => onTarget("read", word, "operand")), onTarget("write", last, by)];
    }
    case "hosts":
      return operands.slice(0, 4).map((word) => onTarget("network", word, "operand"));
    default:
      return [];
  }
}

function actOfDd(word: Word): Act[] {
  if (!isLiteral(word)) return [{ kind: "write", by: "operand", unknownTarget: true }];
  if (word.startsWith("of=")) return [{ kind: "write", by: "operand", target: word.slice(3), detail: "of=" }];
  return word.startsWith("if=") ? [{ kind: "read", by: "operand", target: word.slice(3), detail: "if=" }] : [];
}

function gitReaches(operands: readonly Word[]): Act[] {
  const [subcommand] = operands;
  if (!isLiteral(subcommand)) return [];
  return /^(?:push|fetch|pull|clone|ls-remote|remote|submodule|send-email|svn|p4)$/.test(subcommand)
    ? [{ kind: "network", by: "operand", detail: `git ${subcommand}` }]
    : [];
}

function operandsOf(words: readonly Word[], fact: ProgramFact): Word[] {
  const operands: Word[] = [];
  let only = false;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (!only && word === "--") only = true;
    else if (!only && isLiteral(word) && word.startsWith("-") && word !== "-") {
      if (takesNext(word, fact)) at += 1;
    } else operands.push(word);
  }
  return operands;
}

function takesNext(word: string, fact: ProgramFact): boolean {
  if (fact.takesValue?.includes(word)) return true;
  return Object.entries(fact.options ?? {}).some(([option, { value }]) => value !== undefined && option === word);
}

function onTarget(kind: ActKind, word: Word, by: "operand" | "option"): Act {
  return isLiteral(word) ? { kind, by, target: word } : { kind, by, unknownTarget: true, detail: textOfWord(word) };
}

// The little languages inside sed and awk can write files and start programs: only plain scripts are taken as plain.
function actsOfScript(words: readonly Word[], name: string): Act[] {
  if (name === "sed")
    return scriptsOf(words, ["-e", "--expression"]).flatMap((script) =>
      isPlainSed(script) ? [] : scriptActs("sed script"),
    );
  if (/^[gmn]?awk$/.test(name))
    return scriptsOf(words, ["-e", "--source"]).flatMap((script) =>
      isPlainAwk(script) ? [] : scriptActs("awk script"),
    );
  return [];
}

// Words that do more than they seem to, without being options.
function actsOfOddWords(words: readonly Word[], name: string): Act[] {
  const literal = words.slice(1).filter(isLiteral);
  // The shell evaluates a subscript, substitutions included, wherever a builtin takes a variable's name.
  if (TAKES_NAMES.test(name) && literal.some((word) => /\[[^\]]*[$`]/.test(word))) {
    return [{ kind: "execute", by: "option", unknownTarget: true, detail: "a subscript that runs something" }];
  }
  if ((name === "less" || name === "more") && literal.some((word) => word.startsWith("+"))) {
    return [{ kind: "execute", by: "option", detail: "+command" }];
  }
  if (name === "curl" && literal.some((word) => word.includes("%output{"))) {
    return [{ kind: "write", by: "option", detail: "%output{…}" }];
  }
  return [];
}

function scriptActs(detail: string): Act[] {
  return [
    { kind: "write", by: "option", unknownTarget: true, detail },
    { kind: "execute", by: "option", unknownTarget: true, detail },
  ];
}

function scriptsOf(words: readonly Word[], options: readonly string[]): Word[] {
  const given = words.flatMap((_, at) =>
    options.map((option) => valueOf(words, at, option)).filter((value) => value !== undefined),
  );
  if (given.length > 0) return given;
  const operands = operandsOf(words, factsAbout(nameOfProgram(String(words[0]))) ?? {});
  return operands.slice(0, 1);
}

function isPlainSed(script: Word): boolean {
  return isLiteral(script) && script.length <= MAX_SCRIPT_CHARS && PLAIN_SED.test(script);
}

function isPlainAwk(script: Word): boolean {
  return isLiteral(script) && script.length <= MAX_SCRIPT_CHARS && !/system|getline|fflush|close|[|>@]/.test(script);
}

function plainSed(): RegExp {
  const address = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)`;
  const substitute = ["/", "|", "#", ",", ":", "@"].map((sign) => {
    const body = String.raw`(?:[^\\\n${sign}]|\\.)*`;
    return `s\\${sign}${body}\\${sign}${body}\\${sign}[gpiI0-9]*`;
  });
  const one = `(?:${address}(?:,(?:${address}|\\+\\d+))?!?)?(?:[pdqDgGhHlnNPx=]|${substitute.join("|")})`;
  return new RegExp(`^[ ]*${one}(?:[ ]*[;\\n][ ]*${one})*[ ]*;?$`);
}
