// What a command can run besides itself: another command, shell text, or something nobody can name yet.
import { isLiteral, type SimpleCommand, type Word } from "./shell-text.ts";

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

export function shellWord(word: Word | undefined): Inner {
  if (word === undefined) return { kind: "unknown", why: "dynamic", reason: "runs shell text that is missing" };
  if (isLiteral(word)) return { kind: "shell", text: word };
  return { kind: "unknown", why: "dynamic", reason: `runs shell text that is only known later: ${word.dynamic}` };
}

export function evalInner(words: readonly Word[]): Inner {
  if (!words.every(isLiteral))
    return { kind: "unknown", why: "dynamic", reason: "eval of text that is only known later" };
  return { kind: "shell", text: words.filter((word) => word !== "--").join(" ") };
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
