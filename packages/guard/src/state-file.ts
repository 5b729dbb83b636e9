// A small JSON file of ours in the state folder: read once, written whole, 0600, outside every tool's reach.
import path from "node:path";
import { GuardError } from "./failure.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

export type StateFile<T> = {
  readonly file: string;
  /** What was there at the start, and what we changed since: never read again, so nobody changes it under us. */
  readonly value: T;
  save(value: T): void;
};

/** `parse` makes the type from what was read; it throws or returns undefined when the file does not hold it. */
export function openStateFile<T>(file: string, empty: T, parse: (value: unknown) => T | undefined): StateFile<T> {
  const content = readPrivateFile(file);
  let value = content === undefined ? empty : parsed(file, content.text, parse);
  return {
    file,
    get value() {
      return value;
    },
    save(next) {
      writePrivateFile(file, `${JSON.stringify(next, undefined, 1)}\n`);
      value = next;
    },
  };
}

export function stateFileIn(folder: string, name: string): string {
  return path.join(folder, name);
}

// A damaged store is not an empty one: starting over would silently forget a "deny" or accept a changed tool.
function parsed<T>(file: string, text: string, parse: (value: unknown) => T | undefined): T {
  let value: T | undefined;
  try {
    value = parse(JSON.parse(text));
  } catch {
    value = undefined;
  }
  if (value === undefined) throw new GuardError("STORE", `${file} is damaged: move it away to start over`);
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
