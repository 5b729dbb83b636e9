// Rules about what a tool is called with: a path into the arguments and patterns for the value found there.
import { BosunError } from "@bosun/platform/errors";
import {
  compilePathGlob,
  compileTextGlob,
  fixedLength,
  matchesPath,
  matchesText,
  type PathGlob,
  type TextGlob,
} from "@bosun/platform/glob";

export type ArgumentPattern = {
  readonly source: string;
  readonly steps: readonly string[];
  readonly values: readonly ValuePattern[];
};

// A pattern with a slash is about a path or an address: * does not cross slashes, and .. never slips by.
type ValuePattern =
  { readonly kind: "text"; readonly glob: TextGlob } | { readonly kind: "path"; readonly glob: PathGlob };

export type ArgumentMatch = "yes" | "no" | "cannot tell";

const MAX_VALUE_CHARS = 256 * 1024;
const MAX_VALUES = 10_000;

export function compileArgumentPattern(path: string, patterns: readonly string[]): ArgumentPattern {
  const steps = path.split(".");
  if (steps.some((step) => step === "")) throw new BosunError("SETTINGS", `arguments."${path}": an empty step`);
  if (patterns.length === 0) throw new BosunError("SETTINGS", `arguments."${path}" needs a pattern`);
  const values = patterns.map((pattern): ValuePattern =>
    pattern.includes("/")
      ? { kind: "path", glob: compilePathGlob(pattern) }
      : { kind: "text", glob: compileTextGlob(pattern) },
  );
  return { source: path, steps, values };
}

/** For deny and ask one value is enough; for allow every value must match. What is missing does not match. */
export function matchesArgument(pattern: ArgumentPattern, args: unknown, forAllow: boolean): ArgumentMatch {
  const found: unknown[] = [];
  collect(args, pattern.steps, 0, found);
  if (found.length === 0) return "no";
  if (found.length > MAX_VALUES) return "cannot tell";
  const texts = found.map(textOfValue);
  if (texts.includes(undefined)) return "cannot tell";
  const matches = (text: string | undefined): boolean =>
    pattern.values.some((value) => matchesValue(value, text ?? "", forAllow));
  return (forAllow ? texts.every(matches) : texts.some(matches)) ? "yes" : "no";
}

export function argumentSpecificity(pattern: ArgumentPattern): number {
  return 1 + Math.max(...pattern.values.map(({ glob }) => Math.min(99, fixedLength(glob))));
}

// `*` is every member or element; a list met on the way means each of its elements.
function collect(value: unknown, steps: readonly string[], at: number, found: unknown[]): void {
  if (found.length > MAX_VALUES) return;
  if (Array.isArray(value) && steps[at] !== undefined && !(steps[at] in value)) {
    const next = steps[at] === "*" ? at + 1 : at;
    for (const item of value) collect(item, steps, next, found);
    return;
  }
  const step = steps[at];
  if (step === undefined) {
    if (Array.isArray(value)) found.push(...value);
    else if (value !== undefined) found.push(value);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (step === "*") for (const item of Object.values(value)) collect(item, steps, at + 1, found);
  else if (Object.hasOwn(value, step)) collect(Reflect.get(value, step), steps, at + 1, found);
}

function textOfValue(value: unknown): string | undefined {
  if (typeof value === "string") return value.length > MAX_VALUE_CHARS ? undefined : value;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return JSON.stringify(value);
  return undefined;
}

function matchesValue(pattern: ValuePattern, text: string, forAllow: boolean): boolean {
  if (pattern.kind === "text") return matchesText(pattern.glob, text);
  if (forAllow) return isStraight(text) && matchesPath(pattern.glob, text);
  return matchesPath(pattern.glob, text) || matchesPath(pattern.glob, straightened(text));
}

// What an allow rule compares must be what will be used: no step back, no doubled or trailing slash, no NUL.
function isStraight(text: string): boolean {
  if (text.includes("\u0000") || text.includes("\\")) return false;
  return text.split("/").every((part) => part !== ".." && part !== ".");
}

function straightened(text: string): string {
  const parts: string[] = [];
  for (const part of text.replaceAll("\u0000", "").split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && (part !== "" || parts.length === 0)) parts.push(part);
  }
  return parts.join("/") || "/";
}
