// A change of tool definitions as a person reads it: which tool, which member, line by line, with nothing hidden in it.
import { exactNumberText, isObject, parseExactly } from "@bosun/platform/json";
import { revealed, type PinChange } from "./pins.ts";

export type DiffLimits = { readonly valueChars: number; readonly lines: number };

const BRIEFLY: DiffLimits = { valueChars: 4000, lines: 400 };
/** For whoever is to agree: nobody can to what was left out. Definitions themselves are bounded. */
export const IN_FULL: DiffLimits = { valueChars: Infinity, lines: Infinity };

export function describeChanges(changes: readonly PinChange[], limits: DiffLimits = BRIEFLY): string {
  const lines = changes.flatMap(linesOf).map((line) => shortened(line, limits.valueChars));
  if (lines.length <= limits.lines) return lines.join("\n");
  return [...lines.slice(0, limits.lines), `… ${lines.length - limits.lines} more lines`].join("\n");
}

function linesOf(change: PinChange): string[] {
  const name = revealed(change.name);
  switch (change.kind) {
    case "added":
      return [`+ ${name} is new`, ...membersOf(change.now).map(([key, value]) => `  + ${key}: ${value}`)];
    case "removed":
      return [`- ${name} is gone`];
    case "renamed":
      return [`~ ${name} was called ${revealed(change.from)}`];
    case "doubled":
      return [`! ${name} is there twice: held back`];
    case "unusable":
      return [`! ${revealed(change.why)}`];
    case "changed":
      return [`~ ${name} is different`, ...differences(membersOf(change.before), membersOf(change.now))];
    default:
      return change satisfies never;
  }
}

function differences(before: readonly [string, string][], now: readonly [string, string][]): string[] {
  const was = new Map(before);
  const is = new Map(now);
  const keys = [...new Set([...was.keys(), ...is.keys()])];
  return keys.flatMap((key) => {
    const left = was.get(key);
    const right = is.get(key);
    if (left === right) return [];
    return [
      ...(left === undefined ? [] : [`  - ${key}: ${left}`]),
      ...(right === undefined ? [] : [`  + ${key}: ${right}`]),
    ];
  });
}

// inputSchema.properties.path.description: "…" — one line per leaf, so that one changed word is one changed line.
function membersOf(text: string): [string, string][] {
  const leaves: [string, string][] = [];
  const walk = (value: unknown, path: string): void => {
    if (isObject(value) && Object.keys(value).length > 0 && exactNumberText(value) === undefined) {
      for (const [key, item] of Object.entries(value))
        walk(item, path === "" ? revealed(key) : `${path}.${revealed(key)}`);
    } else if (Array.isArray(value) && value.length > 0) value.forEach((item, i) => walk(item, `${path}[${i}]`));
    else leaves.push([path, shown(value)]);
  };
  walk(parseExactly(text), "");
  return leaves;
}

function shown(value: unknown): string {
  // Revealed first, then quoted by hand: JSON's own escapes would hide what an invisible character was.
  return typeof value === "string" ? `"${revealed(value)}"` : revealed(JSON.stringify(value));
}

function shortened(line: string, chars: number): string {
  return line.length > chars ? `${line.slice(0, chars)}… ${line.length - chars} more characters` : line;
}
