// Wrong words of a command that does not say which were meant → the nearest that its help documents.
import { nearest } from "@bosun/platform/flags";
import { optionsInHelp, wordsInHelp } from "./read-help.ts";

/** undefined: every word is known, or nothing is near. */
export function hintFor(argv: readonly string[], help: string): string | undefined {
  const ours = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const options = optionsInHelp(help).flatMap(({ name, short }) => [
    `--${name}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]);
  const words = wordsInHelp(help).map(([word]) => word);
  for (const word of ours) {
    const typed = word.split("=")[0] ?? word;
    if (typed.startsWith("--") && !options.includes(typed)) return meant(typed, options);
  }
  const first = ours.find((word) => !word.startsWith("-"));
  return first === undefined || words.length === 0 || words.includes(first) ? undefined : meant(first, words);
}

function meant(word: string, known: readonly string[]): string | undefined {
  const close = nearest(word, known);
  return close === undefined ? undefined : `${word}: did you mean ${close}?`;
}
