// A small JSON file of ours in the state folder: believed as read at the start, written whole, 0600, outside every
// tool's reach.
import path from "node:path";
import { BosunError } from "../errors/index.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

export type StateFile<T> = {
  readonly file: string;
  /** What was there at the start, and what we changed since: never read again, so nobody changes it under us. */
  readonly value: T;
  /**
   * Makes a change here and in the file. Other programs of ours write the same file: their changes stay in it, but what
   * this program believes is what it read at its start and what it did itself.
   */
  update(change: (value: T) => T): void;
};

/** `parse` makes the type from what was read; it throws or returns undefined when the file does not hold it. */
export function openStateFile<T>(file: string, empty: T, parse: (value: unknown) => T | undefined): StateFile<T> {
  const read = (): T => {
    const content = readPrivateFile(file);
    return content === undefined ? empty : parsed(file, content.text, parse);
  };
  let value = read();
  return {
    file,
    get value() {
      return value;
    },
    update(change) {
      writePrivateFile(file, `${JSON.stringify(change(read()), undefined, 1)}\n`);
      value = change(value);
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
    // Not JSON at all: as damaged as JSON of another form.
    value = undefined;
  }
  if (value === undefined) throw new BosunError("STORE", `${file} is damaged: move it away to start over`);
  return value;
}
