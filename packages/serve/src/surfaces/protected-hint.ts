// After a command: when it failed at a protected place, a line that says so. The system's own words ("Device or resource
// busy") would send a model looking for a process that holds the file.
import path from "node:path";
import type { Captured, ProtectedPlace } from "@bosun/engine";
import type { ServerState } from "../server/server-state.ts";
import { holds } from "../config/config.ts";

/** Why something failed is said near the beginning or the end. */
const LOOKED_AT_CHARS = 64 * 1024;
const MOST_HINTS = 3;

const SYSTEM_WORDS = ["Read-only file system", "Device or resource busy"] as const;
const GIT_WORDS = "could not write config file";

/** Each begins with `[protected]`; none for nearly every command. */
export function protectedHints(
  run: { readonly stdout: Captured; readonly stderr: Captured; readonly cwdAfter: string | null },
  state: Pick<ServerState, "protection">,
): string[] {
  const lines = [run.stderr, run.stdout].flatMap(({ text }) => tellingLines(text));
  if (lines.length === 0) return [];
  const places = state.protection.places();
  const hints = lines.flatMap((line) => hintFor(line, nearestFirst(places, run.cwdAfter), state) ?? []);
  return [...new Set(hints)].slice(0, MOST_HINTS);
}

/** As text to put after a command's output, or nothing. */
export function withHints(said: string, hints: readonly string[]): string {
  if (hints.length === 0) return said;
  return `${said}${said.endsWith("\n") ? "" : "\n"}${hints.join("\n")}`;
}

/** Several repositories have a `.git/config`: the one the command ended in is meant. */
function nearestFirst(places: readonly ProtectedPlace[], cwd: string | null): readonly ProtectedPlace[] {
  if (cwd === null) return places;
  const near = ({ path: file }: ProtectedPlace): number => {
    const top = file.slice(0, Math.max(file.indexOf("/.git"), 0));
    return top !== "" && holds(top, cwd) ? top.length : 0;
  };
  return places.toSorted((a, b) => near(b) - near(a));
}

function tellingLines(text: string): string[] {
  if (![...SYSTEM_WORDS, GIT_WORDS].some((words) => text.includes(words))) return [];
  const shown =
    text.length <= 2 * LOOKED_AT_CHARS ? text : `${text.slice(0, LOOKED_AT_CHARS)}\n${text.slice(-LOOKED_AT_CHARS)}`;
  return shown.split("\n").filter((line) => [...SYSTEM_WORDS, GIT_WORDS].some((words) => line.includes(words)));
}

function hintFor(
  line: string,
  places: readonly ProtectedPlace[],
  { protection }: Pick<ServerState, "protection">,
): string | undefined {
  const said = SYSTEM_WORDS.find((words) => line.includes(words)) ?? GIT_WORDS;
  const mentioned = places
    .flatMap((place) => namesOf(place.path, protection.shown(place.path)).map((name) => ({ place, name })))
    .filter(({ place, name }) => mentions(line, name, place.isFolder))
    // "sub/.git/config" holds ".git/config": the longest name is the one that was meant.
    .toSorted((a, b) => b.name.length - a.name.length)[0]?.place;
  if (mentioned !== undefined) {
    const shown = protection.shown(mentioned.path);
    const alone = line.includes(GIT_WORDS) ? "; as the only command of a call it asks them" : "";
    return `[protected] ${shown} is read-only here: ${speaker(line)} says "${said}". ${protection.advice(mentioned)}${alone}`;
  }
  // A folder that holds a protected place can be neither moved nor removed.
  const around = places
    .map((place) => path.posix.dirname(place.path))
    .find((folder) => namesOf(folder, protection.shown(folder)).some((name) => mentions(line, name, false)));
  if (around === undefined) return undefined;
  const advice = protection.advice({ path: around, isFolder: true });
  return `[protected] ${protection.shown(around)} holds places that are read-only here: ${speaker(line)} says "${said}". ${advice}`;
}

/** As messages name it: whole, from the allowed folder, or from its own repository. */
function namesOf(file: string, shown: string): string[] {
  const inRepository = /(?<=\/)\.git(?:\/.+)?$/.exec(file)?.[0];
  return [...new Set([file, shown, ...(inRepository === undefined ? [] : [inRepository])])];
}

function mentions(line: string, name: string, isFolder: boolean): boolean {
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
    const [before, after] = [line.charAt(at - 1), line.charAt(at + name.length)];
    const ends = !/[\w.-]/.test(after) && (after !== "/" || isFolder);
    if (ends && !/[\w.-]/.test(before)) return true;
  }
  return false;
}

function speaker(line: string): string {
  if (/^(?:error|fatal|warning|hint): /.test(line) || line.includes(GIT_WORDS)) return "git";
  return /^(?:\S*\/)?([\w.+-]{1,32}): /.exec(line)?.[1] ?? "the system";
}
