// Which commands a rule is about. Two readings of the same words: an allow rule means exactly these leading words; a
// deny or ask rule means the action, however its flags are spelled, split, joined, ordered or shortened.
import { BosunError } from "@bosun/platform/errors";
import { couldBeOption, isLiteral, type Word } from "./shell-text.ts";
import { compileTextGlob, matchesText, type TextGlob } from "@bosun/platform/glob";

export type CommandPattern = {
  readonly source: string;
  /** Written between slashes: a regular expression on the words of one command, with a blank between them. */
  readonly expression?: RegExp;
  readonly words: readonly TextGlob[];
  /** The same, sorted for the second reading. */
  readonly program: TextGlob;
  readonly operands: readonly TextGlob[];
  readonly flags: readonly string[]; // "r", "f" or "--force"
};

export type Match = "yes" | "maybe" | "no";

// One action, two spellings. Without knowing the program only these are safe to say.
const LONG_FORMS: Readonly<Record<string, readonly string[]>> = {
  r: ["--recursive"],
  R: ["--recursive"],
  f: ["--force"],
};

export function compileCommandPattern(source: string): CommandPattern {
  const expression = expressionIn(source);
  if (expression !== undefined)
    return { source, expression, words: [], program: compileTextGlob("*"), operands: [], flags: [] };
  const words = splitWords(source);
  const [program, ...rest] = words;
  if (program === undefined) throw new BosunError("SETTINGS", "a command pattern cannot be empty");
  if (program.includes("/") && program.startsWith(".")) {
    throw new BosunError("SETTINGS", `${source}: name the program, or its absolute path`);
  }
  const flags = rest.filter((word) => word.startsWith("-") && word !== "-" && word !== "--");
  const operands = rest.filter((word) => !word.startsWith("-") || word === "-");
  return {
    source,
    words: words.map(compileTextGlob),
    program: compileTextGlob(program),
    operands: operands.map(compileTextGlob),
    flags: flags.flatMap((flag) => (isOneFlag(program, flag) ? [flag] : flag.slice(1).split(""))),
  };
}

/** For allow: these words, all known, at the beginning, in this order. A path in front of the program is another program. */
export function allowsWords(pattern: CommandPattern, words: readonly Word[]): boolean {
  if (pattern.expression !== undefined) {
    const text = words.every(isLiteral) ? words.join(" ") : undefined;
    if (text === undefined || text.length > LONGEST_MATCHED) return false;
    // All of the command, also where the expression has no ends.
    return pattern.expression.exec(text)?.[0] === text;
  }
  if (words.length < pattern.words.length) return false;
  return pattern.words.every((expected, i) => {
    const word = words[i];
    return isLiteral(word) && matchesText(expected, word);
  });
}

/** For deny and ask: does the command do this, or could it once its unknown words are known? */
export function coversWords(pattern: CommandPattern, words: readonly Word[]): Match {
  const [program, ...rest] = words;
  if (program === undefined) return "no";
  if (!isLiteral(program)) return "maybe";
  if (pattern.expression !== undefined) return matchesExpression(pattern.expression, program, words);
  if (!matchesText(pattern.program, nameOfProgram(program)) && !matchesText(pattern.program, program)) return "no";
  return worst(operandsMatch(pattern.operands, rest), flagsMatch(pattern.flags, rest));
}

export function commandSpecificity(pattern: CommandPattern): number {
  if (pattern.expression !== undefined) return 100 + Math.min(99, pattern.source.length);
  return pattern.words.length * 100 + Math.min(99, pattern.source.replace(/[*?]/g, "").length);
}

/** `/usr/bin/rm` and `./rm` are rm to a block-list. */
export function nameOfProgram(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
}

function worst(left: Match, right: Match): Match {
  if (left === "no" || right === "no") return "no";
  return left === "maybe" || right === "maybe" ? "maybe" : "yes";
}

// The leading operands, with options between them stepped over. Whether an unknown option takes the next word as its
// value is not known, so both readings count.
function operandsMatch(operands: readonly TextGlob[], words: readonly Word[]): Match {
  if (operands.length === 0) return "yes";
  // Word by word, every reading at once: how many operands are found, and whether the last word was an option.
  let readings: readonly Reading[] = [{ found: 0, afterOption: false }];
  for (const word of words) {
    if (!isLiteral(word)) return "maybe";
    const next: Reading[] = [];
    for (const { found, afterOption } of readings) {
      const expected = operands[found];
      if (word === "--") next.push({ found, afterOption: false });
      else if (word.startsWith("-") && word !== "-") next.push({ found, afterOption: !word.includes("=") });
      else {
        if (expected !== undefined && matchesText(expected, word)) {
          if (found + 1 === operands.length) return "yes";
          next.push({ found: found + 1, afterOption: false });
        }
        if (afterOption) next.push({ found, afterOption: false });
      }
    }
    readings = distinct(next);
    if (readings.length === 0) return "no";
  }
  return "no";
}

type Reading = { found: number; afterOption: boolean };

function distinct(readings: readonly Reading[]): Reading[] {
  return readings.filter(
    (one, i) => readings.findIndex((other) => other.found === one.found && other.afterOption === one.afterOption) === i,
  );
}

function flagsMatch(flags: readonly string[], words: readonly Word[]): Match {
  if (flags.length === 0) return "yes";
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  const given = before.filter(isLiteral).filter((word) => word.startsWith("-") && word !== "-");
  const missing = flags.filter((flag) => !given.some((word) => givesFlag(word, flag)));
  if (missing.length === 0) return "yes";
  return before.some((word) => !isLiteral(word) && couldBeOption(word)) ? "maybe" : "no";
}

function givesFlag(word: string, flag: string): boolean {
  if (flag.startsWith("-")) return givesLong(word, flag) || shortOf(flag).some((short) => givesShort(word, short));
  return givesShort(word, flag) || (LONG_FORMS[flag] ?? []).some((long) => givesLong(word, long));
}

function givesShort(word: string, letter: string): boolean {
  if (word.startsWith("--")) return false;
  if (letter === "r" || letter === "R") return /[rR]/.test(word.slice(1));
  return word.slice(1).includes(letter);
}

// GNU programs take any unambiguous beginning of a long option: --recurs, --fo.
function givesLong(word: string, long: string): boolean {
  if (word === long || word.startsWith(`${long}=`)) return true;
  const name = word.split("=", 1)[0] ?? "";
  return word.startsWith("--") && name.length > 2 && long.startsWith(name);
}

function shortOf(long: string): string[] {
  return Object.entries(LONG_FORMS)
    .filter(([, forms]) => forms.includes(long))
    .map(([short]) => short);
}

// -rf is two flags; --force, find's -delete and java's -jar are one.
function isOneFlag(program: string, flag: string): boolean {
  return flag.startsWith("--") || flag.includes("=") || /^(?:find|java|javac|openssl|ffmpeg)$/.test(program);
}

/** A longer command is asked about: an expression may take very long to fail on one. */
const LONGEST_MATCHED = 4096;

function expressionIn(source: string): RegExp | undefined {
  const [, body] = /^\/(.+)\/$/s.exec(source) ?? [];
  if (body === undefined) return undefined;
  try {
    return new RegExp(body, "s");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BosunError("SETTINGS", `${source}: not a regular expression: ${why}`);
  }
}

function matchesExpression(expression: RegExp, program: string, words: readonly Word[]): Match {
  const name = nameOfProgram(program);
  const texts = words.map((word) => (isLiteral(word) ? word : word.dynamic));
  const text = texts.join(" ");
  if (text.length > LONGEST_MATCHED) return "maybe";
  const isKnown = words.every(isLiteral);
  // By its name and as it was written, like every pattern.
  const matches = expression.test(text) || expression.test([name, ...texts.slice(1)].join(" "));
  if (matches) return isKnown ? "yes" : "maybe";
  return !isKnown && expression.source.includes(name) ? "maybe" : "no";
}

function splitWords(source: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const character of source) {
    if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (/[;&|<>()$`]/.test(character)) {
      throw new BosunError("SETTINGS", `${source}: a pattern is the words of one command, without ${character}`);
    } else word = (word ?? "") + character;
  }
  if (quote !== "") throw new BosunError("SETTINGS", `${source}: a quote is never closed`);
  if (word !== undefined) words.push(word);
  return words;
}
