// Lines typed, oldest first, for Up and Ctrl-R. Not kept: lines that begin with a blank, and those that set a key.
import path from "node:path";
import { isObject } from "@bosun/mcp";
import { openCacheFile } from "./cache-file.ts";
import type { CacheFile } from "./cache-file.ts";

const MOST = 2000;
const LONGEST = 20_000;
/** Far less than what a state file may hold: two thousand pastes must not make it unreadable. */
const MOST_CHARS = 1_000_000;

type Lines = { readonly lines: readonly string[] };

export class InputHistory {
  readonly lines: string[];
  readonly #file: CacheFile<Lines> | undefined;

  constructor(stateFolder: string | undefined) {
    const file = stateFolder === undefined ? undefined : path.join(stateFolder, "input-history.json");
    this.#file = file === undefined ? undefined : openCacheFile(file, { lines: [] }, parseLines);
    this.lines = [...(this.#file?.value.lines ?? [])];
  }

  add(line: string): void {
    if (line.trim() === "" || /^\s/.test(line) || /^:config\s+set\b.*key/i.test(line) || line.length > LONGEST) return;
    if (this.lines.at(-1) === line) return;
    this.lines.push(line);
    this.#file?.update(({ lines }) => ({ lines: bounded([...lines, line]) }));
  }
}

function bounded(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let chars = 0;
  for (const line of lines.slice(-MOST).reverse()) {
    chars += line.length;
    if (chars > MOST_CHARS) break;
    kept.unshift(line);
  }
  return kept;
}

function parseLines(value: unknown): Lines | undefined {
  if (!isObject(value) || !Array.isArray(value["lines"])) return undefined;
  return { lines: value["lines"].filter((line): line is string => typeof line === "string") };
}
