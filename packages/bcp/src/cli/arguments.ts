// Command-line words → options and operands. Misuse is a UsageError: exit code 2.

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

export type OptionSpec = {
  /** Without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What the value is called in help; a flag has none. */
  readonly value?: string;
  readonly help: string;
};

export type Parsed = {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
};

/** Understands `--name value`, `--name=value`, `-n value`, `-nvalue`, `-abc` and `--`. Nothing may come twice. */
export function parseArguments(words: readonly string[], specs: readonly OptionSpec[]): Parsed {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const operands: string[] = [];
  const queue = [...words];
  let onlyOperands = false;

  const accept = (spec: OptionSpec, spelled: string, attached: string | undefined): void => {
    if (flags.has(spec.name) || values.has(spec.name)) throw new UsageError(`${spelled} cannot be used twice`);
    if (!spec.value) {
      if (attached !== undefined) throw new UsageError(`${spelled} takes no value`);
      flags.add(spec.name);
      return;
    }
    const value = attached ?? queue.shift();
    // A lone dash is a value: standard input or output.
    if (value === undefined || (attached === undefined && value.startsWith("-") && value !== "-")) {
      throw new UsageError(`${spelled} needs a value: ${spelled} <${spec.value}>`);
    }
    values.set(spec.name, value);
  };

  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (onlyOperands || word === "-" || !word.startsWith("-")) operands.push(word);
    else if (word === "--") onlyOperands = true;
    else if (word.startsWith("--")) {
      const [name = "", attached] = splitAt(word.slice(2), "=");
      const spec = specs.find((candidate) => candidate.name === name);
      if (!spec) throw new UsageError(unknownOption(`--${name}`, specs));
      accept(spec, `--${name}`, attached);
    } else acceptShort(word, specs, accept);
  }
  return { flags, values, operands };
}

/** A decimal number from 0 to `max`, or misuse. */
export function parseCount(text: string, option: string, max: bigint): number {
  const value = /^\+?\d+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
  if (value !== undefined && value <= max) return Number(value);
  throw new UsageError(`${option} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}`);
}

// `-vo out` and `-oout`: letters are flags until one of them takes what is left as its value.
function acceptShort(
  word: string,
  specs: readonly OptionSpec[],
  accept: (spec: OptionSpec, spelled: string, attached: string | undefined) => void,
): void {
  for (let rest = word.slice(1); rest !== "";) {
    const letter = rest.slice(0, 1);
    rest = rest.slice(1);
    const spec = specs.find(({ short }) => short === letter);
    if (!spec) throw new UsageError(unknownOption(`-${letter}`, specs));
    if (!spec.value) accept(spec, `-${letter}`, undefined);
    else {
      accept(spec, `-${letter}`, rest === "" ? undefined : rest.replace(/^=/, ""));
      return;
    }
  }
}

function unknownOption(word: string, specs: readonly OptionSpec[]): string {
  const known = specs.map(({ name }) => `--${name}`).join(", ");
  return `unknown option ${word} (known here: ${known})`;
}

function splitAt(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const REPLACEMENT = "\ufffd";

/** Throws for such a word; where the system does not tell (not Linux), for none. */
export function refuseNonUtf8Words(words: readonly string[]): void {
  const misread = words.find((word) => word.includes(REPLACEMENT));
  if (misread === undefined || isUtf8(ownCommandLine())) return;
  throw new UsageError(`${JSON.stringify(misread)} is not UTF-8: use - and redirect (< or >), or rename the file`);
}

function ownCommandLine(): Uint8Array {
  try {
    return readFileSync("/proc/self/cmdline");
  } catch {
    return new Uint8Array(0);
  }
}
